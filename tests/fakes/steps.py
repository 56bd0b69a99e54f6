"""What an answer of the fake model server is made of: steps, played in order, and short builders for them.

A turn is a tuple of steps. Failures take `times=N`: only the first N attempts of the very same request fail.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """Assistant text: one chunk per piece, `rate` pieces per second (None: as fast as it goes)."""

    pieces: tuple[str, ...]
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class Stamps:
    """`count` tokens, each the Unix time in milliseconds at which it was sent (to measure latencies)."""

    count: int
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class Reasoning:
    pieces: tuple[str, ...]
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; its arguments go out in fragments of `fragment` characters. No call_id: a fresh one."""

    name: str
    arguments: str = "{}"
    call_id: str | None = None
    fragment: int = 8
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP error instead of a stream."""

    status: int
    message: str = "scripted error"
    code: str | None = None
    retry_after: float | None = None
    times: int | None = None


@dataclass(frozen=True, slots=True)
class StreamError:
    """An error object inside the stream, after which the stream ends."""

    message: str = "scripted error in the stream"
    code: str | int | None = None
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """The stream ends without finish_reason and [DONE]: politely, or (`drop`) by resetting the connection."""

    drop: bool = False
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing happens for `seconds` (None: until the client goes). As first step, not even headers go out."""

    seconds: float | None = None
    times: int | None = None

    @property
    def delay(self) -> float:
        return 86_400 if self.seconds is None else self.seconds


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes as they are, for malformed or unusual SSE."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Finish:
    """Another finish_reason than the one that follows from the steps."""

    reason: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """Another usage than the estimate."""

    input: int
    output: int
    cached: int = 0


Step: TypeAlias = Text | Stamps | Reasoning | Call | Status | StreamError | Cut | Hang | Raw | Finish | Tokens
Turn: TypeAlias = tuple[Step, ...]
Shape = Literal["fragments", "whole", "no_index", "no_id", "index_zero"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How this server differs from OpenAI's own, as compatible servers do."""

    calls: Shape = "fragments"
    reasoning_field: str = "reasoning_content"
    streams: bool = True  # False: answers with one JSON, whatever was asked
    stream_options: bool = True  # False: refuses a request that carries them
    always_usage: bool = False  # usage in the finish chunk, asked for or not
    done_line: bool = True
    finish_reason: str | None = None  # said at every end, e.g. "stop" after tool calls
    chop: int | None = None  # bytes per write, so that lines and characters are torn
    line_end: bytes = b"\n"


def words(count: int) -> str:
    """The exact text of `say(count)`."""
    return "".join(word_pieces(count))


def word_pieces(count: int) -> tuple[str, ...]:
    return tuple(f"w{n}" if n == 1 else f" w{n}" for n in range(1, count + 1))


def say(count: int, rate: float | None = None) -> Text:
    """`count` tokens: w1, w2, … so that a gap or a repeat can be seen."""
    return Text(word_pieces(count), rate)


def text(content: str, rate: float | None = None) -> Text:
    """This very text, in pieces that end with their white space."""
    return Text(tuple(_pieces(content)), rate)


def think(content: int | str, rate: float | None = None) -> Reasoning:
    pieces = word_pieces(content) if isinstance(content, int) else tuple(_pieces(content))
    return Reasoning(pieces, rate)


def call(name: str, arguments: dict[str, Any] | str | None = None, **options: Any) -> Call:
    """A tool call; a string of arguments goes out as it is, valid or not."""
    return Call(name, arguments if isinstance(arguments, str) else json.dumps(arguments or {}), **options)


def error(status: int, message: str = "scripted error", **options: Any) -> Status:
    return Status(status, message, **options)


def overflow() -> Status:
    message = (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    )
    return Status(400, message, code="context_length_exceeded")


def fail(message: str = "scripted error in the stream", **options: Any) -> StreamError:
    return StreamError(message, **options)


def cut(times: int | None = None) -> Cut:
    return Cut(times=times)


def drop(times: int | None = None) -> Cut:
    return Cut(drop=True, times=times)


def hang(seconds: float | None = None, times: int | None = None) -> Hang:
    return Hang(seconds, times)


def raw(data: str | bytes) -> Raw:
    return Raw(data.encode() if isinstance(data, str) else data)


def half_pair() -> Text:
    """An emoji whose two surrogate halves come in two deltas."""
    return Text(("\ud83d", "\ude00"))


def finish(reason: str) -> Finish:
    return Finish(reason)


def usage(input: int, output: int, cached: int = 0) -> Tokens:
    return Tokens(input, output, cached)


def _pieces(content: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for end in range(1, len(content)):
        if content[end - 1].isspace() and not content[end].isspace():
            pieces.append(content[start:end])
            start = end
    return [*pieces, content[start:]] if content else []
