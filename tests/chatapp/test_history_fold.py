"""What a turn shows, from entries, meta and frames. No database."""

from datetime import UTC, datetime
from typing import Any

import pytest

from agents.checkpoint import RunHead
from agents.transcript import (
    AssistantTextEntry,
    InputEntry,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
    UnreadableEntry,
)
from chatapp.history.facts import Flight
from chatapp.history.fold import RunRecord, ToolFacts, build_turn
from chatapp.history.turns import (
    HandoverPart,
    Message,
    PreparingPart,
    Progress,
    ReasoningPart,
    Recover,
    Retry,
    StepGroup,
    TextPart,
    ToolStep,
    UnreadablePart,
)

RUN = "3d9f"
ASK = InputEntry("user", "How much is it?")
CALL = ToolCallEntry("c1", "calculator", '{"expression": "2 * 3"}')
RESULT = ToolResultEntry("c1", "6", seconds=0.25)
NO_TOOLS = ToolFacts()
AT = datetime(2026, 3, 1, 14, 32, tzinfo=UTC)


def numbered(*entries, start=0):
    return list(enumerate(entries, start=start))


def ended(*entries, **meta):
    return build_turn(RunRecord(RUN, numbered(*entries), meta={"status": "completed"} | meta))


def flying(*entries, status="running", frames=(), tools=NO_TOOLS, stop=False, **head):
    flight = Flight(status, RunHead(agent_name="helper", **head), stop)
    return build_turn(RunRecord(RUN, numbered(*entries), flight=flight, frames=frames), tools=tools)


def text_frame(index, text):
    return {"type": "text_delta", "index": index, "text": text}


def step(turn):
    (found,) = [part for part in turn.parts if isinstance(part, ToolStep)]
    return found


# a finished run


def test_a_finished_run_is_message_steps_and_text():
    turn = ended(ASK, ReasoningEntry("Let me see."), CALL, RESULT, AssistantTextEntry("It is 6."))
    assert turn.state == "completed"
    assert turn.message == Message(f"{RUN}:0", "How much is it?")
    assert turn.parts == (
        ReasoningPart(1, "Let me see."),
        ToolStep("c1", "calculator", CALL.arguments, "2 * 3", "done", "6", "6", seconds=0.25, index=2),
        TextPart(4, "It is 6."),
    )


def test_meta_tells_times_model_and_usage():
    timing = {"started_at": "2026-03-01T14:32:00+00:00", "finished_at": "2026-03-01T14:32:06.5Z"}
    turn = ended(ASK, timing=timing, model="openai:m", assistant="helper", usage={"input_tokens": 7})
    assert (turn.started_at, turn.seconds, turn.model, turn.assistant) == (AT, 6.5, "openai:m", "helper")
    assert turn.usage == {"input_tokens": 7}
    assert turn.message.sent_at == AT


def test_a_segment_that_somebody_else_wrote_is_shown_as_finished():
    turn = build_turn(RunRecord(RUN, numbered(ASK), meta=None, created_at=AT))
    assert (turn.state, turn.started_at, turn.error) == ("completed", AT, None)


def test_meta_of_any_shape_is_no_reason_to_break():
    turn = ended(ASK, status=["?"], timing="yesterday", usage=3, dropped_calls="none", error="x", model=None)
    assert (turn.state, turn.usage, turn.dropped, turn.error, turn.model) == ("completed", None, (), None, "")


def test_a_stopped_run_keeps_its_partial_text_and_names_what_was_dropped():
    dropped = [
        {"call_id": "a", "name": "pay", "arguments": '{"sum": 3}', "started": True},
        {"call_id": "b", "name": "lookup", "arguments": "{}", "started": False},
    ]
    turn = ended(ASK, AssistantTextEntry("So f", partial=True), status="stopped", dropped_calls=dropped)
    assert turn.state == "stopped"
    assert turn.parts == (TextPart(1, "So f", partial=True),)
    assert [(call.name, call.state) for call in turn.dropped] == [
        ("pay", "may_have_run"),
        ("lookup", "not_run"),
    ]


def test_a_run_stopped_before_its_answer_has_none():
    turn = ended(ASK, status="stopped")
    assert (turn.state, turn.has_answer) == ("stopped", False)


def test_a_failed_segment_keeps_its_reason():
    turn = ended(ASK, status="failed", error={"type": "ProviderError", "message": "No quota."})
    assert (turn.state, turn.error["message"], turn.recover) == ("failed", "No quota.", None)


def test_a_failed_step_is_an_error():
    turn = ended(ASK, CALL, ToolResultEntry("c1", "Division by zero\nTraceback", is_error=True))
    assert (step(turn).state, step(turn).output_short) == ("error", "Division by zero")


def test_a_call_id_that_is_used_again_is_another_step():
    again = ToolCallEntry("c1", "calculator", '{"expression": "4"}')
    turn = ended(ASK, CALL, RESULT, again, ToolResultEntry("c1", "4"))
    assert [part.output for part in turn.parts] == ["6", "4"]


def test_several_messages_of_one_run_are_all_shown():
    turn = ended(ASK, InputEntry("user", "In euros."), AssistantTextEntry("6 €"), InputEntry("user", "Sure?"))
    assert turn.message.ref == f"{RUN}:0"
    assert turn.parts == (
        Message(f"{RUN}:1", "In euros."),
        TextPart(2, "6 €"),
        Message(f"{RUN}:3", "Sure?"),
    )


def test_system_lines_are_not_shown():
    turn = ended(ASK, InputEntry("system", "The answer must be JSON."), AssistantTextEntry("{}"))
    assert turn.parts == (TextPart(2, "{}"),)


def test_a_message_with_parts_shows_text_and_attachments():
    parts: Any = [
        {"type": "text", "text": "Read this."},
        {"type": "file", "name": "a.pdf", "mime_type": "application/pdf"},
    ]
    message = ended(InputEntry("user", parts)).message
    assert (message.text, [a.name for a in message.attachments]) == ("Read this.", ["a.pdf"])


def test_a_damaged_record_is_named_and_the_rest_is_shown():
    turn = ended(ASK, UnreadableEntry(4182, "no JSON"), AssistantTextEntry("Still here."))
    assert turn.parts == (UnreadablePart(4182), TextPart(2, "Still here."))


def test_a_damaged_result_leaves_its_call_open():
    assert step(ended(ASK, CALL, UnreadableEntry(7, "no JSON"))).state == "open"


def test_a_handover_is_a_line_of_its_own():
    call, result = ToolCallEntry("h", "transfer_to_Buyer", "{}"), ToolResultEntry("h", "Buyer takes over.")
    tools = ToolFacts(handover_to={"transfer_to_Buyer": "Buyer"}.get)
    turn = build_turn(RunRecord(RUN, numbered(ASK, call, result), meta={}), tools=tools)
    assert turn.parts == (HandoverPart("h", "Buyer"),)


def test_a_piece_of_a_long_run_has_no_end_and_its_own_key():
    entries = numbered(RESULT, AssistantTextEntry("Then"), start=60)
    piece = build_turn(RunRecord(RUN, entries, meta={"status": "stopped"}, starts=False, ends=False))
    assert piece.parts == (TextPart(61, "Then"),)
    assert (piece.key, piece.message, piece.finished_at) == (f"{RUN}-60", None, None)


# a run in flight


def test_partial_text_is_what_was_shown_and_is_not_stored():
    frames = [text_frame(1, "old"), text_frame(4, "It "), text_frame(4, "is")]
    turn = flying(ASK, AssistantTextEntry("old"), CALL, RESULT, frames=frames)
    assert turn.parts[-1] == TextPart(4, "It is", partial=True, open=True)
    assert [part.text for part in turn.parts if isinstance(part, TextPart)] == ["old", "It is"]


def test_withdrawn_text_is_void():
    frames = [text_frame(1, "Wrong"), {"type": "text_withdrawn"}, text_frame(1, "Right")]
    assert flying(ASK, frames=frames).parts == (TextPart(1, "Right", partial=True, open=True),)


def test_void_text_stays_while_the_provider_is_asked_again():
    frames = [text_frame(1, "Half"), {"type": "retry", "attempt": 2, "of": 4}]
    turn = flying(ASK, frames=frames)
    assert (turn.retry, turn.parts[0].text) == (Retry(2, 4), "Half")
    assert flying(ASK, frames=[*frames, {"type": "text_withdrawn"}, text_frame(1, "A")]).retry is None


def test_only_the_last_part_is_open():
    frames = [{"type": "reasoning_delta", "index": 1, "text": "Hm"}, text_frame(2, "So")]
    assert flying(ASK, frames=frames).parts == (
        ReasoningPart(1, "Hm"),
        TextPart(2, "So", partial=True, open=True),
    )


def test_a_call_that_is_being_written_shows_until_it_is_stored():
    preparing = {"type": "tool_preparing", "name": "calculator", "slot": 0}
    assert flying(ASK, frames=[preparing]).parts == (PreparingPart("calculator", 0),)
    called = {"type": "tool_call", "index": 1, "call_id": "c1", "name": "calculator", "arguments": "{}"}
    stored = flying(ASK, CALL, frames=[preparing, called], started_calls=["c1"])
    assert [part.kind for part in stored.parts] == ["step"]


def test_a_running_step_shows_its_progress_and_a_waiting_one_waits():
    progress = {"type": "tool_progress", "call_id": "c1", "done": 3, "total": 5, "note": "Dorn"}
    turn = flying(ASK, CALL, ToolCallEntry("c2", "pay", "{}"), frames=[progress], started_calls=["c1"])
    assert [(part.state, part.progress) for part in turn.parts] == [
        ("running", Progress(3, 5, "Dorn")),
        ("queued", None),
    ]


@pytest.mark.parametrize("known, since", [(AT.timestamp(), AT), (1e300, None), ("soon", None)])
def test_a_running_step_says_since_when_it_runs(known, since):
    turn = flying(ASK, CALL, started_calls=["c1"], call_started_at={"c1": known})
    assert [(part.state, part.started_at) for part in turn.parts] == [("running", since)]


def test_a_resumed_run_says_so_until_something_comes():
    resumed = {"type": "run_started", "resumed": True}
    assert flying(ASK, frames=[text_frame(1, "Ha"), resumed]).resuming
    assert not flying(ASK, frames=[text_frame(1, "Ha"), resumed, text_frame(1, "A")]).resuming


def test_a_run_that_was_asked_to_stop_is_stopping():
    assert flying(ASK, stop=True).stopping
    assert not flying(ASK, stop=True, status="interrupted").stopping


def test_an_interrupted_run_says_what_is_saved_and_what_is_unknown():
    pay = ToolCallEntry("c2", "pay", "{}")
    turn = flying(
        ASK,
        CALL,
        RESULT,
        ToolCallEntry("c3", "lookup", "{}"),
        pay,
        ToolCallEntry("c4", "later", "{}"),
        status="interrupted",
        frames=[text_frame(6, "Sti")],
        tools=ToolFacts(is_repeatable={"lookup"}.__contains__),
        started_calls=["c3", "c2"],
        updated_at=AT,
    )
    assert turn.state == "interrupted_open"
    assert turn.parts[-1] == TextPart(6, "Sti", partial=True)
    assert turn.recover == Recover(
        "interrupted", AT, ("lookup", "pay"), ("pay",), finished_steps=1, has_text=True
    )


def test_a_failed_run_in_flight_has_its_reason_and_can_be_retried():
    error = {"type": "ProviderError", "message": "No quota.", "hint": "", "status": 429}
    turn = flying(ASK, status="failed", error=error)
    assert (turn.state, turn.error, turn.recover.kind) == ("failed_open", error, "failed")


# rows of steps


def finished(call_id):
    return [ToolCallEntry(call_id, "calculator", "{}"), ToolResultEntry(call_id, "1", seconds=2.0)]


def test_three_finished_steps_in_a_row_fold():
    turn = ended(ASK, *finished("a"), *finished("b"), *finished("c"), AssistantTextEntry("Done."))
    group, text = turn.blocks
    assert isinstance(group, StepGroup)
    assert (len(group.tools), group.seconds, text.kind) == (3, 6.0, "text")


def test_two_steps_and_a_live_turn_do_not_fold():
    assert [b.kind for b in ended(ASK, *finished("a"), *finished("b")).blocks] == ["step", "step"]
    live = flying(ASK, *finished("a"), *finished("b"), *finished("c"))
    assert [b.kind for b in live.blocks] == ["step"] * 3


def test_a_thought_before_the_first_tool_stays_outside_the_fold():
    steps = [*finished("a"), ReasoningEntry("Then"), *finished("b"), *finished("c")]
    kinds = [b.kind for b in ended(ASK, ReasoningEntry("First"), *steps).blocks]
    assert kinds == ["reasoning", "group"]
