"""What a tool is, and what it is told of the run that calls it. How calls are run is the runtime's
business."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, overload

from agents.cancel import CancelToken
from agents.errors import UserError
from agents.tools.schema import Signature, read_signature
from agents.tools.threads import run_in_thread
from agents.usage import Usage

DEFAULT_TIMEOUT = 60.0
DEFAULT_MAX_OUTPUT = 50_000

_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


@dataclass(frozen=True, slots=True)
class Progress:
    done: float
    total: float | None = None
    note: str = ""


def _nowhere(_: object) -> None:
    return None


@dataclass(frozen=True, slots=True)
class RunContext:
    """The call that a tool is serving. `deps` is what the caller gave to Runner, and belongs to the
    caller."""

    run_id: str
    call_id: str
    session_id: str | None = None
    agent_name: str = ""
    deps: Any = None
    cancel: CancelToken = field(default_factory=CancelToken)
    on_progress: Callable[[Progress], None] = _nowhere
    on_usage: Callable[[Usage], None] = _nowhere

    @property
    def idempotency_key(self) -> str:
        """The same whenever this call is run again, and no other call's: a call that has no result yet runs
        at least once."""
        return f"{self.run_id}:{self.call_id}"

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for the result any more. A function in a thread cannot be cancelled: let it
        look here."""
        return self.cancel.is_cancelled

    def report(self, done: float, total: float | None = None, note: str = "") -> None:
        """Show how far it is. From any thread; what comes faster than it can be shown is passed over."""
        self.on_progress(Progress(done, total, note))

    async def progress(self, done: float, total: float | None = None, note: str = "") -> None:
        """As `report`, and lets others run."""
        self.report(done, total, note)
        await asyncio.sleep(0)


Invoke = Callable[[RunContext, dict[str, Any]], Awaitable[Any]]
NeedsApproval = bool | Callable[[dict[str, Any], RunContext], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """Something a model can call. Made by `@tool`, or by hand from a schema and an `invoke`.

    `invoke` gets the arguments as the model gave them and returns a string, None, or anything that JSON can
    carry. A ToolError is for the model to read; any other exception becomes an error result as well.
    `timeout` in seconds (None: no limit), `max_output` in characters. `repeatable`: it may be run again after
    a crash without asking. Not `parallel`: no other call runs beside it.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    invoke: Invoke
    needs_approval: NeedsApproval = False
    repeatable: bool = False
    timeout: float | None = DEFAULT_TIMEOUT
    max_output: int = DEFAULT_MAX_OUTPUT
    parallel: bool = True

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise UserError(
                f"{self.name!r} cannot name a tool.", hint="Letters, digits, _ and -, at most 64."
            )
        if self.timeout is not None and self.timeout <= 0:
            raise UserError(f"The timeout of tool {self.name!r} must be above zero.")
        if self.max_output <= 0:
            raise UserError(f"The output limit of tool {self.name!r} must be above zero.")


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    needs_approval: NeedsApproval = False,
    repeatable: bool = False,
    timeout: float | None = DEFAULT_TIMEOUT,
    max_output: int = DEFAULT_MAX_OUTPUT,
    parallel: bool = True,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **options: Any,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a Tool of a function: name, schema and description from its signature, type hints and docstring.

    A parameter of type RunContext is filled by the run and hidden from the model. Plain functions run in a
    thread.
    """

    def make(function: Callable[..., Any]) -> Tool:
        return _make_tool(function, name=name, description=description, **options)

    return make if function is None else make(function)


def _make_tool(
    function: Callable[..., Any], *, name: str | None, description: str | None, **options: Any
) -> Tool:
    signature = read_signature(function, RunContext)
    return Tool(
        name=name or function.__name__,
        description=signature.description if description is None else description,
        parameters=signature.parameters,
        invoke=_invoker(function, signature),
        **options,
    )


def _invoker(function: Callable[..., Any], signature: Signature) -> Invoke:
    async def invoke(ctx: RunContext, arguments: dict[str, Any]) -> Any:
        values = signature.bind(arguments)
        if signature.context:
            values[signature.context] = ctx
        if inspect.iscoroutinefunction(function):
            return await function(**values)
        return await run_in_thread(partial(function, **values))

    return invoke
