"""A strict fake model server: OpenAI chat completions, which refuses broken histories as vendors do.

In tests take the fixture `model_server` (tests/fakes/fixtures.py). The server has a thread and a loop of its
own, so it answers whatever the test's own loop does.

    async def test_it(model_server):       # OPENAI_BASE_URL is model_server.url; it needs no OPENAI_API_KEY
        model_server.script(match="weather", turns=[call("clock", {"zone": "UTC"}), [say(5), hang()]])
        model_server.script(turns=["error 429 retry 0.1", "say 400 @100"])           # any next two requests
        ...
        request = model_server.requests[-1]      # .body .messages .headers .tokens .text .closed_by .ended_at
        await model_server.until(lambda: request.tokens >= 100)      # in sync tests: model_server.wait(…)
        await model_server.until(lambda: not request.is_open); assert request.closed_by == "client"
        assert model_server.refusals == []         # the fixture asserts this at the end of every test, too

A scripted turn is a step (`tests.fakes.steps`: say, text, think, call, error, overflow, fail, cut, drop,
hang, raw, half_pair, finish, usage), a list of steps, or a line of the language below. A rule gives its
turns, one each, to the requests whose last user message contains `match` (or for which `match(record)` is
true); newer rules come first; `repeat=True` never uses a rule up. `model_server.dialect = Dialect(…)` makes
it behave like less exact servers; `.api_key = "…"` makes it ask for that key; `.models` limits the models it
knows. What no rule takes is answered by the language in the user's message, else by an echo.

From outside: `python -m tests.fakes.model_server --port 0` prints its base URL (the only line) and serves
until it is killed. `GET /_fake/requests` lists what was asked, `GET /_fake/stats` counts {requests, refusals,
open}; `POST /_fake/script` {"match", "turns": [lines], "repeat"} and `POST /_fake/reset` are the methods.

The language (tests/fakes/language.py) makes any client a bench: `say 400 @100` is 400 tokens at 100 a second,
`tool clock {} | then say 5` a tool call and the answer after its result.
"""

import argparse
import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.fakes.player import Player
from tests.fakes.record import Recorded
from tests.fakes.script import Match, Rule, Script, TurnLike, as_turn
from tests.fakes.steps import Dialect, Hang, Status, Step, Turn
from tests.fakes.strict import Refusal, check
from tests.fakes.wire import Wire


class ModelServer:
    """One fake server: `with ModelServer() as server:`, or start() and stop(). Readable from any thread."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self.reset()

    def reset(self) -> None:
        """Forgets scripts, records and settings; answers that are still going out go on."""
        self._script = Script()
        self.requests: list[Recorded] = []
        self.dialect = Dialect()
        self.api_key: str | None = None
        self.models: tuple[str, ...] | None = None

    def script(
        self, turns: str | Step | Sequence[TurnLike], *, match: Match = None, repeat: bool = False
    ) -> None:
        """Adds a rule: `turns` one by one for the next matching requests. A line or step alone: one turn."""
        many = turns if not isinstance(turns, str) and isinstance(turns, Sequence) else [turns]
        self._script.rules.insert(0, Rule([as_turn(turn) for turn in many], match, repeat))

    @property
    def url(self) -> str:
        """The base URL as OPENAI_BASE_URL wants it."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def refusals(self) -> list[str]:
        """Why requests were refused as broken; scripted errors are not among them."""
        return [record.refusal for record in self.requests if record.refusal is not None]

    def wait(self, condition: Callable[[], object], within: float = 5) -> None:
        """Blocks until the condition is true. TimeoutError."""
        end = time.monotonic() + within
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"not within {within} s")
            time.sleep(0.002)

    async def until(self, condition: Callable[[], object], within: float = 5) -> None:
        """`wait` for async tests."""
        async with asyncio.timeout(within):
            while not condition():  # noqa: ASYNC110 (any condition, set from another thread)
                await asyncio.sleep(0.002)

    def start(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(
            target=self._serve, args=(ready,), name="fake-model-server", daemon=True
        )
        self._thread.start()
        if not ready.wait(10):
            raise TimeoutError("the fake model server did not start")
        return self

    def stop(self) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(10)
            self._loop = self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.stop()

    def _serve(self, ready: threading.Event) -> None:
        asyncio.run(self._main(ready))

    async def _main(self, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        runner = web.AppRunner(self._app(), access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port, backlog=1024)
        await site.start()
        self.port = runner.addresses[0][1]
        ready.set()
        await self._stopping.wait()
        await runner.cleanup()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._completions)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_post("/web/chat/completions", _show_page)
        app.router.add_get("/_fake/requests", self._show_requests)
        app.router.add_get("/_fake/stats", self._show_stats)
        app.router.add_post("/_fake/script", self._take_script)
        app.router.add_post("/_fake/reset", self._take_reset)
        return app

    async def _completions(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        record = Recorded(len(self.requests) + 1, request.path, dict(request.headers), raw, _parsed(raw))
        record.peer = request.transport.get_extra_info("peername") if request.transport else None
        self.requests.append(record)
        try:
            response = await self._answer(request, record)
        except (asyncio.CancelledError, ConnectionError):
            record.end("server" if self._stopping.is_set() else "client")
            raise
        record.end("server")
        return response

    async def _answer(self, request: web.Request, record: Recorded) -> web.StreamResponse:
        if (refused := self._denied(record) or self._refused(record)) is not None:
            return refused
        turn = self._script.turn_for(record)
        while turn and isinstance(turn[0], Hang):
            await asyncio.sleep(turn[0].delay)
            turn = turn[1:]
        for step in turn:
            if isinstance(step, Status):
                return _error(record, step)
        wire = Wire(number=record.number, body=record.body, dialect=self.dialect)
        if record.body.get("stream") and self.dialect.streams:
            return await Player(request, record, wire, self.dialect).play(turn)
        return await _whole(record, turn, wire)

    def _denied(self, record: Recorded) -> web.Response | None:
        key = record.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.api_key is not None and key != self.api_key:
            return _error(record, Status(401, "Incorrect API key provided", "invalid_api_key"))
        model = record.body.get("model") if isinstance(record.body, dict) else None
        if self.models is not None and model not in self.models:
            return _error(record, Status(404, f"The model {model!r} does not exist", "model_not_found"))
        if (
            not self.dialect.stream_options
            and isinstance(record.body, dict)
            and "stream_options" in record.body
        ):
            return _error(record, Status(400, "Unrecognized request argument supplied: stream_options"))
        return None

    def _refused(self, record: Recorded) -> web.Response | None:
        try:
            check(record.body)
        except Refusal as refusal:
            record.refusal = str(refusal)
            return _error(record, Status(400, record.refusal, "invalid_request_error"))
        return None

    async def _list_models(self, request: web.Request) -> web.Response:
        names = self.models if self.models is not None else ("fake-model",)
        models = [{"id": name, "object": "model", "created": 0, "owned_by": "fake"} for name in names]
        return web.json_response({"object": "list", "data": models})

    async def _show_requests(self, request: web.Request) -> web.Response:
        return web.json_response([record.as_json() for record in self.requests])

    async def _show_stats(self, request: web.Request) -> web.Response:
        still_open = sum(record.is_open for record in self.requests)
        counts = {"requests": len(self.requests), "refusals": len(self.refusals), "open": still_open}
        return web.json_response(counts)

    async def _take_script(self, request: web.Request) -> web.Response:
        rule = await request.json()
        self.script(rule["turns"], match=rule.get("match"), repeat=rule.get("repeat", False))
        return web.Response(status=204)

    async def _take_reset(self, request: web.Request) -> web.Response:
        self.reset()
        return web.Response(status=204)


async def _show_page(request: web.Request) -> web.Response:
    """What a wrong base URL often leads to."""
    return web.Response(text="<html>Welcome</html>", content_type="text/html")


def _parsed(raw: bytes) -> object:
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _error(record: Recorded, step: Status) -> web.Response:
    record.status = step.status
    headers = {"x-request-id": f"req_{record.number}"}
    if step.retry_after is not None:
        headers["Retry-After"] = f"{step.retry_after:g}"
    error = {"message": step.message, "type": "error", "param": None, "code": step.code}
    return web.json_response({"error": error}, status=step.status, headers=headers)


async def _whole(record: Recorded, turn: Turn, wire: Wire) -> web.Response:
    for step in turn:
        if isinstance(step, Hang):
            await asyncio.sleep(step.delay)
    answer = wire.whole(turn)
    record.status, record.text = 200, answer["choices"][0]["message"]["content"] or ""
    return web.json_response(answer, headers={"x-request-id": f"req_{record.number}"})


def main() -> None:
    parser = argparse.ArgumentParser(description="A strict fake model server for tests and benches.")
    parser.add_argument("--port", type=int, default=0)
    server = ModelServer(parser.parse_args().port).start()
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main()
