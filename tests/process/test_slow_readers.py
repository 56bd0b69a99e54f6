"""Readers that stop reading: nobody waits for them, they cost no memory, and they miss nothing."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, closing
from pathlib import Path

from tests.fakes.model_server import ModelServer
from tests.fakes.steps import Text, say
from tests.process.person import Person, is_idle, seen_text, texts
from tests.process.server import Server
from tests.process.slow import SlowReader

READERS = 20
PARAGRAPHS = Text(tuple(f"{n} " + "word " * 200 + "\n\n" for n in range(2500)), rate=800)  # 2.5 MB
FOR_ALL_OF_THEM = 25 * 2**20  # bytes; without a bound they cost 60 MB and more


def memory_of(server: Server) -> int:
    """Bytes in memory, of the web process."""
    process = server._parts[0]._process
    assert process is not None
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))


async def test_readers_that_stop_reading_delay_nobody_and_miss_nothing(
    server: Server, person: Person, model_server: ModelServer
) -> None:
    model_server.script(turns=[[PARAGRAPHS], [say(20, rate=20), PARAGRAPHS]], match="tell me")
    first = await asyncio.to_thread(person.new_thread, "tell me")
    await asyncio.to_thread(person.wait, first, is_idle)
    thread = await asyncio.to_thread(person.new_thread, "tell me")
    before = memory_of(server)
    with ExitStack() as stack:
        slow = [
            stack.enter_context(closing(await asyncio.to_thread(SlowReader, person, thread)))
            for _ in range(READERS)
        ]
        frames = await person.watch(thread, lambda frames: frames and frames[-1]["type"] == "run_finished")
        assert memory_of(server) - before < FOR_ALL_OF_THEM
        whole = texts(await asyncio.to_thread(person.wait, thread, is_idle))[-1]
        assert seen_text(frames) == whole
        for reader in slow[:3]:
            late = await asyncio.to_thread(reader.read_until, "run_finished")
            assert seen_text(late) == whole
            seqs = [frame["seq"] for frame in late if "seq" in frame and frame["type"] != "snapshot"]
            assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
