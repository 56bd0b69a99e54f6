"""Tool calls out of fragments: which call a fragment belongs to, also where index or id are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from agents.deltas import ToolCallDelta
from agents.transcript import TextCleaner, clean_text


@dataclass(slots=True)
class _Call:
    slot: int
    call_id: str | None = None
    given_id: str | None = None
    name: str | None = None
    written: bool = False
    cleaner: TextCleaner = field(default_factory=TextCleaner)


class CallAssembler:
    """The calls of one answer. Every call ends up with an id of its own, given by the server or made here."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    @property
    def has_calls(self) -> bool:
        return bool(self._calls)

    def feed(self, fragments: Any) -> Iterator[ToolCallDelta]:
        for fragment in fragments if isinstance(fragments, list) else ():
            if isinstance(fragment, dict):
                yield self._take(fragment)

    def end(self) -> Iterator[ToolCallDelta]:
        """What is still owed: ids that never came, half characters that were held back."""
        for call in self._calls:
            rest = call.cleaner.flush()
            if call.call_id is None:
                call.call_id = _new_id()
                yield ToolCallDelta(call.slot, call_id=call.call_id, arguments=rest)
            elif rest:
                yield ToolCallDelta(call.slot, arguments=rest)

    def _take(self, fragment: dict[str, Any]) -> ToolCallDelta:
        function = fragment.get("function")
        function = function if isinstance(function, dict) else {}
        given_id, name = _text(fragment.get("id")), _text(function.get("name"))
        call = self._call_of(fragment.get("index"), given_id, name)
        arguments = call.cleaner.feed(_arguments(function.get("arguments")))
        call.written = call.written or bool(arguments)
        return ToolCallDelta(
            call.slot,
            call_id=self._identify(call, given_id),
            name=self._christen(call, name),
            arguments=arguments,
        )

    def _call_of(self, index: Any, given_id: str | None, name: str | None) -> _Call:
        known = self._by_index.get(index) if isinstance(index, int) else self._last_of(given_id)
        if known is None or _begins_another(known, given_id, name):
            known = _Call(len(self._calls))
            self._calls.append(known)
        if isinstance(index, int):
            self._by_index[index] = known
        return known

    def _last_of(self, given_id: str | None) -> _Call | None:
        same = [call for call in self._calls if given_id is not None and call.given_id == given_id]
        return same[-1] if same else self._calls[-1] if self._calls else None

    def _identify(self, call: _Call, given_id: str | None) -> str | None:
        if call.call_id is not None or given_id is None:
            return None
        taken = any(other.call_id == given_id for other in self._calls)
        call.given_id, call.call_id = given_id, _new_id() if taken else given_id
        return call.call_id

    def _christen(self, call: _Call, name: str | None) -> str | None:
        if call.name is not None or name is None:
            return None
        call.name = name
        return name


def _begins_another(call: _Call, given_id: str | None, name: str | None) -> bool:
    """Where all calls have the index 0, or none: another id, or (without ids) a name behind arguments.

    An id without a name begins nothing: some servers make up a new one for every fragment.
    """
    if name is None or call.name is None:
        return False
    if given_id is not None and call.given_id is not None:
        return given_id != call.given_id
    return call.written


def _arguments(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str | None:
    return clean_text(str(value)) if value not in (None, "") else None


def _new_id() -> str:
    return f"call_{uuid4().hex[:24]}"
