"""What a client shows, made of the frames it got, by the rules of the socket alone. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal

Frame = dict[str, Any]
Place = tuple[str, int]
PartKind = Literal["text", "reasoning", "step"]
DELTAS: dict[str, PartKind] = {"text_delta": "text", "reasoning_delta": "reasoning"}


@dataclass(slots=True)
class Part:
    kind: PartKind
    text: str = ""


@dataclass(slots=True)
class RunView:
    """One run on a screen. `whole`: seen from its first frame on, so that the screen has all of its text."""

    run_id: str
    seq: int = 0
    whole: bool = True
    status: str = "running"
    parts: list[Part] = field(default_factory=list)

    def text(self, kind: PartKind = "text") -> str:
        return "".join(part.text for part in self.parts if part.kind == kind)

    def take(self, frame: Frame) -> None:
        self.seq = frame["seq"]
        match frame["type"]:
            case "text_delta" | "reasoning_delta":
                self._write(DELTAS[frame["type"]], frame["text"])
            case "tool_call" | "tool_result":
                self.parts.append(Part("step"))
            case "text_withdrawn":
                self._withdraw()
            case "run_started":
                self.status = "running"
            case "run_finished":
                self.status = frame["status"]

    def _write(self, kind: PartKind, text: str) -> None:
        if not self.parts or self.parts[-1].kind != kind:
            self.parts.append(Part(kind))
        self.parts[-1].text += text

    def _withdraw(self) -> None:
        """What stands behind the last step is not stored, and void."""
        while self.parts and self.parts[-1].kind != "step":
            self.parts.pop()


@dataclass(slots=True)
class Screen:
    """All runs that a page shows. `faults` names what the server must never do. `asked`: the places that it
    was told, with a connect or a sync, and whose snapshots are still to come. `sent`: how far the server is
    with each run, which may be behind what is shown where a sync has crossed some frames."""

    views: dict[str, RunView] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    asked: deque[Place | None] = field(default_factory=deque)
    sent: dict[str, int] = field(default_factory=dict)
    queue: list[dict[str, Any]] = field(default_factory=list)
    status: str = ""
    snapshots: int = 0
    resumed: int = 0

    @property
    def place(self) -> Place | None:
        """The newest run and its last frame."""
        newest = next(reversed(self.views.values()), None)
        return (newest.run_id, newest.seq) if newest else None

    def begin(self, place: Place | None) -> None:
        """A page that was read anew shows all up to this place, but not to this screen which text that is."""
        self.views.clear()
        if place is not None:
            self.views[place[0]] = RunView(place[0], place[1], whole=place[1] == 0)

    def connect(self) -> Place | None:
        """A new connection begins where the screen is."""
        self.asked.clear()
        self.sent.clear()
        return self.ask()

    def ask(self) -> Place | None:
        self.asked.append(self.place)
        return self.place

    def take(self, frame: Frame) -> bool:
        """False where the client lacks something and should ask for it."""
        match frame["type"]:
            case "snapshot":
                self._start_from(frame)
            case "heartbeat":
                return self._has(frame["live"])
            case "queue":
                self.queue = frame["messages"]
            case _ if "seq" in frame:
                self._continue(frame)
        return True

    def _start_from(self, frame: Frame) -> None:
        self.snapshots += 1
        self.status = frame["status"]
        asked = self.asked.popleft() if self.asked else None
        if frame["resumed"]:
            self._go_on_from(asked, frame)
            return
        self.views.clear()
        self.sent.clear()
        if frame["run_id"]:
            view = RunView(frame["run_id"], frame["seq"], whole=False)
            view.parts = [Part("text", frame["text"])] if frame["text"] else []
            self.views[view.run_id] = view
            self.sent[view.run_id] = view.seq

    def _go_on_from(self, asked: Place | None, frame: Frame) -> None:
        self.resumed += 1
        if asked is None or frame["seq"] != asked[1]:
            self.faults.append(f"a snapshot resumes at {frame['seq']}, where {asked} was asked for")
        if asked is not None:
            self.sent[asked[0]] = frame["seq"]

    def _has(self, live: dict[str, Any]) -> bool:
        if live["run_id"] is None:
            return True
        view = self.views.get(live["run_id"])
        return view is not None and view.seq >= live["seq"]

    def _continue(self, frame: Frame) -> None:
        run_id, seq = frame["run_id"], frame["seq"]
        view = self.views.get(run_id) or RunView(run_id, whole=seq == 1)
        self.views[run_id] = view
        expected = self.sent.get(run_id, 0) + 1
        if seq != expected:
            self.faults.append(f"run {run_id}: frame {seq} ({frame['type']}) comes, where {expected} is due")
            view.whole = False
        self.sent[run_id] = seq
        if seq > view.seq:
            view.take(frame)
