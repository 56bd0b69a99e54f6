"""What a fold keeps, drops and says: the pure rule."""

from agents.checkpoint import RunHead
from agents.transcript import AssistantTextEntry, InputEntry, ToolCallEntry, ToolResultEntry
from agents.usage import Usage
from chatapp.lifecycle import plan_fold

CALL_A = ToolCallEntry(call_id="a", name="lookup", arguments="{}")
CALL_B = ToolCallEntry(call_id="b", name="pay", arguments='{"sum": 3}')
RESULT_A = ToolResultEntry(call_id="a", output="fine")


def numbered(*entries):
    return list(enumerate(entries))


def test_finished_pairs_stay_and_dangling_calls_are_named():
    head = RunHead(agent_name="helper", started_calls=["a", "b"])
    plan = plan_fold(numbered(InputEntry("user", "go"), CALL_A, CALL_B, RESULT_A), [], head, ending="stopped")
    assert plan.drop == [2]
    assert plan.meta["dropped_calls"] == [
        {"call_id": "b", "name": "pay", "arguments": '{"sum": 3}', "started": True}
    ]


def test_a_call_that_had_not_started_says_so():
    plan = plan_fold(numbered(CALL_B), [], RunHead(agent_name="helper"), ending="interrupted")
    assert [call["started"] for call in plan.meta["dropped_calls"]] == [False]


def test_a_reused_call_id_is_paired_by_occurrence():
    again = ToolCallEntry(call_id="a", name="lookup", arguments="{}")
    plan = plan_fold(numbered(CALL_A, RESULT_A, again), [], RunHead(agent_name="helper"), ending="stopped")
    assert plan.drop == [2]


def test_what_was_shown_becomes_the_tail():
    shown = [AssistantTextEntry("so far", partial=True)]
    plan = plan_fold(
        numbered(InputEntry("user", "go")), shown, RunHead(agent_name="helper"), ending="stopped"
    )
    assert (plan.drop, plan.tail) == ([], shown)
    assert "dropped_calls" not in plan.meta


def test_the_meta_tells_how_it_ended():
    head = RunHead(
        agent_name="helper", usage=Usage(input_tokens=7), turns=2, error={"type": "X", "message": "cut"}
    )
    failed = plan_fold([], [], head, ending="failed", model="openai:m").meta
    stopped = plan_fold([], [], head, ending="stopped").meta
    assert failed["status"] == "failed"
    assert failed["error"] == {"type": "X", "message": "cut"}
    assert (failed["model"], failed["turns"], failed["usage"]["input_tokens"]) == ("openai:m", 2, 7)
    assert stopped["status"] == "stopped"
    assert "error" not in stopped
