"""What the README shows works, and its table knows every variable that the settings read."""

import re
from pathlib import Path

from agents.testing import ScriptedProvider, call, text

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
SETTINGS = [(ROOT / "chatapp" / name).read_text() for name in ("settings.py", "environment.py")]


def test_its_python_runs(capsys) -> None:
    model = ScriptedProvider([call("cancel_order", {"number": 7}), text("It is cancelled.")])
    code = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
    assert code.count("helper = Agent(") == 1
    exec(code.replace("helper = Agent(", "helper = Agent(model=model,"), {"__name__": "shop", "model": model})
    assert "Order 7 is cancelled" in capsys.readouterr().out


def test_every_variable_is_in_the_table() -> None:
    read = set()
    for source in SETTINGS:
        read |= set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', source))
        read |= set(re.findall(r'values(?:\.get\(|\[)"([A-Z_]+)"', source))
        read |= set(re.findall(r'^    "([A-Z_]+_KEY)": "', source, re.MULTILINE))
    told = set(re.findall(r"`([A-Z_]+)`", README))
    assert read - told == set()
