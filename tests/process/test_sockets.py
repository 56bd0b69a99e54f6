"""Sockets at their limits: clients that go as soon as they have come, and frames of more than a megabyte."""

from __future__ import annotations

import asyncio

import aiohttp

from tests.fakes.model_server import ModelServer
from tests.fakes.steps import Hang, Text
from tests.process.person import Person, is_idle, seen_text
from tests.process.server import Server

PARAGRAPH = "word " * 200 + "\n\n"
IN_ONE_PIECE = PARAGRAPH * 1500  # 1.5 MB


async def test_a_tab_that_is_closed_while_it_is_greeted_leaves_no_traceback(person: Person) -> None:
    thread = await asyncio.to_thread(person.new_thread, "say 100 @100")
    headers = {"Origin": person.server.url, "Cookie": f"sessionid={person.cookie('sessionid')}"}
    url = f"{person.server.url}/ws/threads/{thread}/"

    async def come_and_go(session: aiohttp.ClientSession) -> None:
        socket = await session.ws_connect(url, headers=headers)
        await socket.close()

    async with aiohttp.ClientSession() as session:
        for _ in range(5):
            await asyncio.gather(*(come_and_go(session) for _ in range(20)))
    await asyncio.to_thread(person.wait, thread, is_idle)
    assert person.server.tracebacks == 0, person.server.log.read_text()


async def test_a_frame_and_a_snapshot_may_be_longer_than_what_a_client_may_send(
    server: Server, person: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[Hang(0.5), Text((IN_ONE_PIECE,)), Hang()]])
    thread = await asyncio.to_thread(person.new_thread, "tell me")
    for _ in ("as one frame", "as a snapshot"):
        frames = await person.watch(thread, lambda frames: len(seen_text(frames)) >= len(IN_ONE_PIECE) - 2)
        assert seen_text(frames).strip() == IN_ONE_PIECE.strip()


async def test_a_client_may_not_send_more_than_a_megabyte(person: Person) -> None:
    thread = await asyncio.to_thread(person.new_thread, "say 1")
    headers = {"Origin": person.server.url, "Cookie": f"sessionid={person.cookie('sessionid')}"}
    url = f"{person.server.url}/ws/threads/{thread}/"
    async with aiohttp.ClientSession() as session, session.ws_connect(url, headers=headers) as socket:
        await socket.send_str("x" * (2**20 + 1))
        async for _ in socket:
            pass
        assert socket.close_code in (1006, 1009)
    assert person.server.tracebacks == 0, person.server.log.read_text()
