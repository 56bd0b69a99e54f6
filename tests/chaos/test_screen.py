"""What a client makes of frames, and what it holds against the server."""

from benchmarks.chaos.screen import Screen


def snapshot(run=None, seq=0, *, resumed=False, text="", status="running"):
    return {
        "type": "snapshot",
        "status": status,
        "run_id": run,
        "seq": seq,
        "resumed": resumed,
        "text": text,
    }


def frame(seq, kind="text_delta", text="", run="r", **more):
    return {"type": kind, "run_id": run, "seq": seq, "text": text, **more}


def shown(*frames, place=None):
    screen = Screen()
    screen.begin(place)
    screen.connect()
    for one in frames:
        screen.take(one)
    return screen


def test_deltas_add_up() -> None:
    screen = shown(snapshot(), frame(1, "run_started"), frame(2, text="Hel"), frame(3, text="lo"))
    assert (screen.views["r"].text(), screen.views["r"].whole, screen.faults) == ("Hello", True, [])


def test_a_snapshot_in_the_middle_brings_what_is_not_stored() -> None:
    screen = shown(snapshot("r", 7, text="Hel"), frame(8, text="lo"))
    assert (screen.views["r"].text(), screen.views["r"].whole, screen.faults) == ("Hello", False, [])


def test_what_is_withdrawn_goes_back_to_the_last_step() -> None:
    screen = shown(
        snapshot(),
        frame(1, text="Let me see."),
        frame(2, "tool_call"),
        frame(3, "tool_result"),
        frame(4, text="Wro"),
        frame(5, "text_withdrawn"),
        frame(6, text="Right."),
    )
    assert screen.views["r"].text() == "Let me see.Right."


def test_a_gap_and_a_repeat_are_faults() -> None:
    assert shown(snapshot(), frame(1), frame(3)).faults == [
        "run r: frame 3 (text_delta) comes, where 2 is due"
    ]
    assert shown(snapshot(), frame(1), frame(1)).faults == [
        "run r: frame 1 (text_delta) comes, where 2 is due"
    ]


def test_after_a_sync_frames_may_come_again_and_count_once() -> None:
    screen = shown(snapshot(), frame(1, text="Hel"))
    screen.ask()
    for one in (frame(2, text="lo"), snapshot("r", 1, resumed=True), frame(2, text="lo"), frame(3, text="!")):
        screen.take(one)
    assert (screen.views["r"].text(), screen.faults) == ("Hello!", [])


def test_a_reconnect_goes_on_where_it_was() -> None:
    screen = shown(snapshot(), frame(1, text="Hel"))
    assert screen.connect() == ("r", 1)
    screen.take(snapshot("r", 1, resumed=True))
    screen.take(frame(2, text="lo"))
    assert (screen.views["r"].text(), screen.faults) == ("Hello", [])


def test_a_resume_at_another_place_is_a_fault() -> None:
    assert shown(snapshot("r", 5, resumed=True), place=("r", 3)).faults
    assert shown(snapshot("r", 5, resumed=True)).faults


def test_a_run_that_begins_in_the_middle_is_a_fault() -> None:
    assert shown(snapshot(status="idle"), frame(4)).faults


def test_a_heartbeat_tells_what_is_missing() -> None:
    screen = shown(snapshot(), frame(1))
    live = {"run_id": "r", "seq": 1, "status": "running"}
    assert screen.take({"type": "heartbeat", "live": live})
    assert not screen.take({"type": "heartbeat", "live": live | {"seq": 2}})
    assert not screen.take({"type": "heartbeat", "live": live | {"run_id": "other"}})
