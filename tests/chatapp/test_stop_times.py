"""Stop at twenty different moments or more: the text stays, and a strict server takes the next request."""

import asyncio
import time

from agents import tool
from agents.transcript import pending_tool_calls
from tests.chatapp.conftest import DATA, ended, seen, segments, send
from tests.chatapp.scripted import helper
from tests.fakes.steps import call, say, think, words

MOMENTS = 20
MOST_MOMENTS = 100
KINDS = 4
STEP = 0.02
RATE = 250.0
LOOK_AND_PAY = [call("lookup", {"word": "ink"}, rate=RATE), call("pay", {"amount": 3}, rate=RATE)]


@tool(repeatable=True)
def lookup(word: str) -> str:
    """Looks up."""
    return f"{word}: found"


@tool
async def pay(amount: int) -> str:
    """Takes its time."""
    await asyncio.sleep(5 * STEP)
    return f"paid {amount}"


def pause(moment: int) -> float:
    """In steps: one after the other; then, where the machine was too slow for these, scattered over more."""
    return moment if moment < MOMENTS else 2 * MOMENTS * (moment * 0.618 % 1)


def test_whenever_it_is_stopped_the_next_request_is_whole(client, served, make_thread):
    helper.tools = [lookup, pay]
    endings = set()
    for moment in range(MOST_MOMENTS):
        if moment >= MOMENTS and len(endings) >= KINDS:
            break
        turns = [[think(8, RATE), say(12, RATE), *LOOK_AND_PAY], [say(15, RATE)]]
        served.script(turns, match=f"Pay {moment}.")
        thread = make_thread()
        run_id = send(client, thread, f"Pay {moment}.").json()["run_id"]
        time.sleep(STEP * pause(moment))
        assert client.post(f"/threads/{thread.id}/stop/", **DATA).status_code == 200
        (stopped,) = segments(thread)
        send(client, thread, "say 2")
        ended(thread)
        kept = "".join(entry.content for entry in stopped.entries if entry.type == "assistant_text")
        assert kept == seen(thread, run_id), moment
        assert (words(12) + words(15)).startswith(kept)
        assert segments(thread)[0] == stopped
        assert pending_tool_calls(stopped.entries) == []
        assert [entry.content for entry in segments(thread)[1].entries] == ["say 2", words(2)]
        asked = [message for message in served.requests[-1].messages if message["role"] == "user"]
        assert [message["content"] for message in asked] == [f"Pay {moment}.", "say 2"]
        assert served.refusals == [], moment
        endings.add(tuple(entry.type for entry in stopped.entries))
    assert len(endings) >= KINDS, "too few kinds of moments were met"
    assert not [request for request in served.requests if request.is_open]
