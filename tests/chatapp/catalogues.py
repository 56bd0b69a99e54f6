"""The words of the product, read without gettext's tools: where they are used, how they are translated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.translation.template import templatize

CALL = re.compile(r"""\b(?:p?n?gettext|_)\((?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^()'"])*\)""")
NAMES = re.compile(r"_|(?P<context>p?)(?P<plural>n?)gettext(?:_lazy|_noop)?")
FIELD = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    context: str = ""
    plural: str = ""

    @property
    def key(self) -> str | tuple[str, int]:
        """As a compiled catalogue knows it, where the language has one form for all numbers."""
        key = f"{self.context}\x04{self.text}" if self.context else self.text
        return (key, 0) if self.plural else key


def texts_in_use() -> set[Text]:
    """Every text in Python and in the templates that is marked for translation."""
    base = Path(settings.BASE_DIR)
    modules = (path.read_text() for name in ("agents", "chatapp") for path in (base / name).rglob("*.py"))
    templates = (path.read_text() for path in (base / "templates").rglob("*.*"))
    calls = (call for template in templates for call in CALL.findall(templatize(template)))
    return {text for source in (*modules, *calls) for text in marked_in(ast.parse(source))}


def marked_in(tree: ast.AST) -> Iterator[Text]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = NAMES.fullmatch(node.func.id)
            words = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            if name and words and isinstance(words[0], str):
                yield text_of(name, [str(word) for word in words])


def text_of(name: re.Match[str], words: list[str]) -> Text:
    context = words.pop(0) if name["context"] else ""
    return Text(words[0], context, words[1] if name["plural"] else "")


def read_po(path: Path) -> dict[Text, str]:
    """The translations of a source catalogue that count: those that are not there or fuzzy do not."""
    entries = (entry_of(block) for block in path.read_text().split("\n\n") if "#, fuzzy" not in block)
    return {text: said for text, said in entries if said}


def entry_of(block: str) -> tuple[Text, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in block.splitlines():
        if line.startswith("#"):
            continue
        head, quote, words = line.partition('"')
        name = head.strip() or name
        fields[name] = fields.get(name, "") + ast.literal_eval(quote + words)
    text = Text(fields["msgid"], fields.get("msgctxt", ""), fields.get("msgid_plural", ""))
    return text, fields.get("msgstr[0]") or fields.get("msgstr", "")


def fields_of(text: str) -> list[str]:
    """What is filled in: `%(name)s`, `%s`, `{name}`."""
    return sorted(FIELD.findall(text))
