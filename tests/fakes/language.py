"""The text language of the fake model server: what a user's message tells it to do.

Commands are separated by line ends or ` | `; `then` starts the next turn, which answers the request that
carries the tool results of the one before. The turn is found by counting the assistant messages behind the
last user message, so nothing has to be remembered and a restart changes nothing.

    say 400 @100                 400 tokens "w1 w2 …" at 100 a second (without @: as fast as it goes)
    text Some *words* @20        exactly this text, word by word
    markdown 300 @40             300 tokens of headings, lists, code and tables
    stamp 200 @40                tokens that are the Unix time (ms) of their sending
    think 30 @50                 30 tokens of reasoning
    tool NAME {"a": 1} @10       a tool call, its arguments in fragments; several in one turn are parallel
                                 calls; arguments that are not JSON go out as they are
    hang | hang 2                nothing for ever, or for 2 s (first command: before any byte)
    error 429 retry 1 code C x2  an HTTP error instead of an answer; `x2`: only the first two attempts of this
                                 very request; a message may follow
    fail overloaded x1           an error object inside the stream
    cut x1 | drop x1             the stream ends without a finish; `drop` resets the connection
    half | lone                  an emoji split over two deltas; half of one that never gets its other half
    raw data: {broken            this line as it is
    overflow                     400 context_length_exceeded
    finish length                another finish_reason
    usage 100 20 80              input, output and cached tokens

For example: `think 20 @50 | tool clock {} | then say 200 @50`. Anything else is answered with an echo.
"""

import re
from collections.abc import Callable

from tests.fakes import steps
from tests.fakes.steps import Step, Turn

MARKDOWN = """# A heading

Some *emphasis*, **strong** words, `code` and a [link](https://example.org/).

- first item
- second item with `code`
- third item

```python
def add(a: int, b: int) -> int:
    # a comment
    return a + b
```

| name | value |
| --- | ---: |
| one | 1 |
| two | 2 |

> A quotation that is long enough to be wrapped on a small screen.

"""


def parse(message: str) -> list[Turn] | None:
    """The turns that a user's message asks for, or None when it is not written in the language."""
    turns: list[list[Step]] = [[]]
    for line in _SEPARATOR.split(message.strip()):
        name, _, rest = line.strip().partition(" ")
        if name == "then":
            turns.append([])
            name, _, rest = rest.strip().partition(" ")
        if not name:
            continue
        step = _step(name, rest.strip())
        if step is None:
            return None
        turns[-1].append(step)
    return [tuple(turn) for turn in turns]


def parse_turn(line: str) -> Turn:
    """One turn in the language, for scripts. ValueError when it is none."""
    turns = parse(line)
    if turns is None or len(turns) != 1:
        raise ValueError(f"not one turn of the fake server's language: {line!r}")
    return turns[0]


def _step(name: str, rest: str) -> Step | None:
    if (command := _COMMANDS.get(name)) is None:
        return None
    try:
        return command(rest)
    except ValueError:
        return None


def _rate(rest: str) -> tuple[str, float | None]:
    match = re.search(r"(?:^|\s)@(\d+(?:\.\d+)?)$", rest)
    return (rest[: match.start()].rstrip(), float(match[1])) if match else (rest, None)


def _times(rest: str) -> tuple[str, int | None]:
    match = re.search(r"(?:^|\s)x(\d+)$", rest)
    return (rest[: match.start()].rstrip(), int(match[1])) if match else (rest, None)


def _say(rest: str) -> Step:
    count, rate = _rate(rest)
    return steps.say(int(count), rate)


def _text(rest: str) -> Step:
    content, rate = _rate(rest)
    return steps.text(content, rate)


def _markdown(rest: str) -> Step:
    count, rate = _rate(rest)
    pieces = steps.text(MARKDOWN * (int(count) // 40 + 1)).pieces
    return steps.Text(pieces[: int(count)], rate)


def _stamp(rest: str) -> Step:
    count, rate = _rate(rest)
    return steps.Stamps(int(count), rate)


def _think(rest: str) -> Step:
    content, rate = _rate(rest)
    return steps.think(int(content) if content.isdigit() else content, rate)


def _tool(rest: str) -> Step:
    call, rate = _rate(rest)
    name, _, arguments = call.partition(" ")
    if not name:
        raise ValueError("a tool needs a name")
    return steps.call(name, arguments.strip() or None, rate=rate)


def _hang(rest: str) -> Step:
    seconds, times = _times(rest)
    return steps.hang(float(seconds) if seconds else None, times)


def _error(rest: str) -> Step:
    """`429`, then `retry 1`, `code C` and `x2` in any order, then the message."""
    status, _, rest = rest.partition(" ")
    options: dict[str, str] = {}
    while option := re.match(r"\s*(?:(retry|code)\s+(\S+)|(x)(\d+))(?=\s|$)", rest):
        options[option[1] or option[3]] = option[2] or option[4]
        rest = rest[option.end() :]
    wait, times = options.get("retry"), options.get("x")
    return steps.Status(
        int(status),
        rest.strip() or "scripted error",
        options.get("code"),
        float(wait) if wait else None,
        int(times) if times else None,
    )


def _fail(rest: str) -> Step:
    message, times = _times(rest)
    return steps.StreamError(message or "scripted error in the stream", times=times)


def _cut(rest: str) -> Step:
    return steps.cut(_times(rest)[1])


def _drop(rest: str) -> Step:
    return steps.drop(_times(rest)[1])


def _usage(rest: str) -> Step:
    return steps.usage(*(int(number) for number in rest.split()[:3]))


_COMMANDS: dict[str, Callable[[str], Step]] = {
    "say": _say,
    "text": _text,
    "markdown": _markdown,
    "stamp": _stamp,
    "think": _think,
    "tool": _tool,
    "hang": _hang,
    "error": _error,
    "fail": _fail,
    "cut": _cut,
    "drop": _drop,
    "half": lambda rest: steps.half_pair(),
    "lone": lambda rest: steps.Text(("\ud83d",)),
    "raw": lambda rest: steps.raw(rest + "\n\n"),
    "overflow": lambda rest: steps.overflow(),
    "finish": steps.finish,
    "usage": _usage,
}
_SEPARATOR = re.compile(r"\s*(?:\n|\s\|\s)\s*(?=(?:then|" + "|".join(_COMMANDS) + r")\b)")
