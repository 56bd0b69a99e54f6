"""Sockets of clients that go as soon as they have come."""

from __future__ import annotations

import asyncio

import aiohttp

from tests.process.person import Person, is_idle


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
