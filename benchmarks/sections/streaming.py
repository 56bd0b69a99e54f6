"""Runs of 40 tokens a second that start within one second; and the same streams, read by nobody but us."""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import time
from collections.abc import AsyncIterator

from benchmarks.connection import Address
from benchmarks.figures import Figure
from benchmarks.goals import CHUNK, CPU, FIRST, TROUBLE
from benchmarks.machine import Strain, Window
from benchmarks.model import wish
from benchmarks.person import Answer, delays_of
from benchmarks.stage import Server, Stage
from benchmarks.timing import percentile

RUNS = (1, 10, 50, 100)
TOKENS = 200
RATE = 40
MARK = b'"content":"'
numbers = itertools.count()


async def streaming(stage: Stage) -> AsyncIterator[Figure]:
    server = await stage.server()
    for runs in RUNS:
        measured = [await stream(stage, server, runs) for _ in range(stage.repeat)]
        for figure in figures(f"{runs} run{'s' if runs > 1 else ''}", measured):
            yield figure


async def stream(stage: Stage, server: Server, runs: int) -> tuple[list[Answer], int, Window]:
    """The answers, how many of them were not as they should be, and what it took."""
    async with stage.people(server, runs) as people:
        with stage.window(server) as window:
            answers = await asyncio.gather(
                *(
                    person.ask(after=place / runs, tokens=TOKENS, rate=RATE)
                    for place, person in enumerate(people)
                )
            )
    trouble = await stage.trouble_with(answers)
    for line in trouble[:3]:
        print(f"  {line}")
    return answers, len(trouble), window


def figures(case: str, measured: list[tuple[list[Answer], int, Window]]) -> list[Figure]:
    strain = worst([window for _, _, window in measured])
    late = [percentile(delays_in(answers), 95) for answers, _, _ in measured]
    first = [statistics.median(answer.first for answer in answers) for answers, _, _ in measured]
    trouble = [float(trouble) for _, trouble, _ in measured]
    cpu = [per_thousand(window.cpu["server"], answers) for answers, _, window in measured]
    database = [per_thousand(window.cpu["database"], answers) for answers, _, window in measured]
    found = [
        Figure(CHUNK, case, late, strain),
        Figure(FIRST, case, first, strain),
        Figure(TROUBLE, case, trouble, strain, ""),
        Figure(CPU, case, cpu, strain, "s"),
    ]
    return [*found, Figure("CPU of the database", case, database, strain, "s")] if any(database) else found


def delays_in(answers: list[Answer]) -> list[float]:
    return [delay for answer in answers for delay in answer.delays] or [0.0]


def per_thousand(seconds: float, answers: list[Answer]) -> float:
    return seconds * 1000 / max(1, sum(len(answer.delays) for answer in answers))


def worst(windows: list[Window]) -> Strain:
    strain = windows[0].strain
    for window in windows[1:]:
        strain = strain.worst(window.strain)
    return strain


# The same streams without a server in between


class Reader(asyncio.Protocol):
    """Notes when what came."""

    def __init__(self) -> None:
        self.parts: list[tuple[int, bytes]] = []
        self.ended = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.parts.append((time.monotonic_ns(), data))
        if data.endswith(b"\r\n0\r\n\r\n"):
            self.ended.set()

    @property
    def tokens(self) -> list[tuple[int, str]]:
        return [
            (at, part[: part.index(b'"')].decode().split("\\n")[0].strip())
            for at, data in self.parts
            for part in data.split(MARK)[1:]
        ]


async def raw(stage: Stage) -> AsyncIterator[Figure]:
    for runs in RUNS:
        window = Window(server=[], model=stage.model_pid)
        read = await asyncio.gather(*(read_raw(stage.model, place / runs) for place in range(runs)))
        window.close()
        case = f"{runs} run{'s' if runs > 1 else ''}"
        answers = [answer_of(began, tokens) for began, tokens in read]
        yield Figure("raw read, p95", case, [percentile(delays_in(answers), 95)], window.strain)
        first = statistics.median(answer.first for answer in answers)
        yield Figure("raw read, first token p50", case, [first], window.strain)
        cpu = per_thousand(window.cpu["bench"] + window.cpu["model"], answers)
        yield Figure("raw read, CPU with the model's", case, [cpu], window.strain, "s")


async def read_raw(model: Address, after: float) -> tuple[int, list[tuple[int, str]]]:
    await asyncio.sleep(after)
    question = wish(f"raw{next(numbers)}", tokens=TOKENS, rate=RATE)
    body = json.dumps({"messages": [{"role": "user", "content": question}]}).encode()
    began = time.monotonic_ns()
    transport, reader = await asyncio.get_running_loop().create_connection(Reader, model.host, model.port)
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {model}\r\nContent-Length: {len(body)}\r\n\r\n"
    transport.write(head.encode() + body)
    await asyncio.wait_for(reader.ended.wait(), 60)
    transport.close()
    return began, reader.tokens


def answer_of(began: int, tokens: list[tuple[int, str]]) -> Answer:
    return Answer("", "", (tokens[0][0] - began) / 1e6, delays_of(tokens))
