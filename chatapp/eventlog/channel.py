"""What one live run has to say and has not written yet.

The loop adds events; one writer at a time (`writing`) turns them into a row. Rendering happens in the
writer's thread, never on the loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from agents import events
from chatapp.eventlog.frames import CONTENT, DELTAS, UNHURRIED, Frame, frame_of, merge_into
from chatapp.eventlog.rows import EventRow, number, publish_row, written_up_to
from chatapp.render import BlockStream, BlockUpdate

Decorate = Callable[[Frame], dict[str, Any]]

AT_ONCE = 0.0
SOON = 0.005
"""Long enough for a quick tool: its result is then written together with its call."""
PATIENCE = 0.04
"""Seconds for which frames may wait to be written: the beginning of a text not at all, most of them with what
all other runs have to say."""


class RunChannel:
    """Numbers, renders and batches the frames of one run under one lease.

    `void` says that text of an earlier attempt is still shown: it is withdrawn in one batch with the
    first frame of what replaces it.
    """

    def __init__(
        self,
        *,
        thread_id: Any,
        run_id: str,
        owner_id: int,
        fence: int,
        next_seq: int,
        stored: int,
        void: bool = False,
        decorate: Decorate | None = None,
    ) -> None:
        self.thread_id = thread_id
        self.run_id = run_id
        self.owner_id = owner_id
        self.fence = fence
        self.next_seq = next_seq
        self.stored = stored
        self.void = void
        self.writing = False
        self.patience = PATIENCE
        self._decorate = decorate or (lambda frame: {})
        self.in_doubt = False
        self._pending: list[Frame] = []
        self._taken: deque[Frame] = deque()
        self._ready: list[Frame] = []
        self._row: EventRow | None = None
        self._streams: dict[int, BlockStream] = {}
        self._calls: dict[str, str] = {}
        self._streaming = -1
        self._has_shown = False

    # on the loop

    def add(self, event: events.Event) -> bool:
        """Takes an event; true where a frame waits to be written."""
        frame = frame_of(event)
        if frame is not None:
            self.add_frame(frame)
        return frame is not None

    def add_frame(self, frame: Frame) -> None:
        if frame["type"] == "text_withdrawn":
            self._withdraw()
            return
        if self.void and frame["type"] in CONTENT:
            self._withdraw()
        self._has_shown = self._has_shown or frame["type"] in DELTAS
        merge_into(self._pending, frame)
        self.patience = min(self.patience, self._patience_with(frame))

    def _withdraw(self) -> None:
        """What is shown of this turn goes: other text follows at once, or nobody is to see it."""
        if self.void or self._has_shown:
            self._pending.append({"type": "text_withdrawn"})
            self.patience = min(self.patience, SOON)
        self.void = self._has_shown = False

    def _patience_with(self, frame: Frame) -> float:
        if frame["type"] not in UNHURRIED:
            return SOON
        if frame["type"] not in DELTAS or frame["index"] == self._streaming:
            return PATIENCE
        self._streaming = frame["index"]
        return AT_ONCE

    @property
    def is_hurried(self) -> bool:
        return self.patience < PATIENCE

    @property
    def has_news(self) -> bool:
        return bool(self._pending or self._taken or self._ready)

    def take(self, *, turn_ends: bool = False) -> None:
        """Hands the waiting frames to a writer. Ends with `wrote` or `failed`."""
        self.writing, self.patience = True, PATIENCE
        self._has_shown = self._has_shown and not turn_ends
        self._taken.extend(self._pending)
        self._pending = []

    # in the writer's thread

    def prepare(self, *, closing: list[Frame] | None = None) -> EventRow | None:
        """Renders, numbers and encodes the frames. With `closing` the open text ends, and these follow it.

        A row of an earlier attempt that was committed after all is found, and not written again.
        """
        if self.in_doubt:
            self._settle_doubt()
        while self._taken:
            self._render(self._taken[0])
            self._ready.append(self._taken.popleft())
        if closing is not None:
            self._close_text()
        numbered = number([*self._ready, *(closing or ())], self.run_id, self.next_seq)
        self._row = (
            EventRow.of(self.thread_id, self.run_id, numbered, stored=self.stored) if numbered else None
        )
        return self._row

    def _settle_doubt(self) -> None:
        """The answer to a commit got lost: what it has written is shown, and only the rest is left."""
        last = written_up_to(self.thread_id, self.run_id, self.next_seq)
        self.in_doubt = False
        count = last - self.next_seq + 1
        if count > 0:
            shown = number(self._ready[:count], self.run_id, self.next_seq)
            publish_row(EventRow.of(self.thread_id, self.run_id, shown, stored=self.stored))
            self.next_seq, self._ready = last + 1, self._ready[count:]

    def drop_waiting(self) -> int:
        """Gives up the frames that cannot be written. → how many"""
        count = len(self._taken) + len(self._ready)
        self._taken.clear()
        self._ready, self._row = [], None
        return count

    def _render(self, frame: Frame) -> None:
        if frame["type"] == "text_withdrawn":
            self._streams.clear()
        elif frame["type"] == "text_delta":
            stream = self._streams.setdefault(frame["index"], BlockStream())
            frame.update(_blocks(stream.feed(frame["text"])))
        elif frame["type"] == "tool_call":
            self._calls[frame["call_id"]] = frame["arguments"]
            frame.update(self._decorate(frame))
        elif frame["type"] == "tool_result":
            frame["arguments"] = self._calls.get(frame["call_id"], "")
            frame.update(self._decorate(frame))

    def _close_text(self) -> None:
        for index, stream in self._streams.items():
            closed = _blocks(stream.close())
            if closed:
                self._ready.append({"type": "text_delta", "index": index, "text": "", **closed})
        self._streams.clear()

    # after the commit, on the loop or under `writing`

    def wrote(self, stored: int | None = None) -> EventRow | None:
        """The frames are in the store: they may be shown."""
        row, self._row, self._ready = self._row, None, []
        self.next_seq = row.last_seq + 1 if row else self.next_seq
        self.stored = self.stored if stored is None else stored
        self.writing = False
        return row

    def failed(self) -> None:
        """Nothing was written: the frames wait for the next attempt, without what was to close them."""
        self._row, self.writing = None, False


def _blocks(update: BlockUpdate) -> dict[str, Any]:
    """A renderer's update as the `closed` and `open` fields of a frame."""
    fields: dict[str, Any] = {}
    if update.closed:
        fields["closed"] = [list(block) for block in update.closed]
    if update.open is not None:
        fields["open"] = update.open.as_dict()
    return fields
