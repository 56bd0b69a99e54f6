"""One turn of the model: the request is made, its answer streamed, and asked for again when the provider
breaks off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from itertools import count
from typing import Any

from agents.context import estimate_entries, estimate_text
from agents.deltas import Delta
from agents.errors import ProviderError
from agents.events import EventStream, Retrying, TextWithdrawn
from agents.providers.base import ModelRequest, Provider
from agents.runtime.draft import TurnDraft
from agents.runtime.failure import message_of
from agents.runtime.retry import RetryPolicy
from agents.runtime.state import RunState
from agents.usage import Usage


class ModelTurn:
    """After `stream` has ended by itself, `draft` holds the whole answer. Usage is counted for every
    attempt."""

    def __init__(
        self, state: RunState, provider: Provider, request: ModelRequest, *, retry: RetryPolicy
    ) -> None:
        self._state = state
        self._provider = provider
        self._request = request
        self._retry = retry
        self.draft = self._new_draft()

    async def stream(self) -> EventStream:
        for attempt in count(1):
            try:
                async with aclosing(self._stream_attempt()) as events:
                    async for event in events:
                        yield event
                return
            except (ProviderError, ConnectionError, TimeoutError) as error:
                failure = error
            wait = self._retry.wait(attempt, failure)
            if wait is None:
                if self._state.shows_misfit:
                    yield self._withdrawn()
                raise failure
            self._state.withdraw |= self.draft.has_content
            yield Retrying(self._state.run_id, attempt + 1, self._retry.attempts, message_of(failure))
            await asyncio.sleep(wait)
            self.draft = self._new_draft()

    async def _stream_attempt(self) -> EventStream:
        draft, state = self.draft, self._state
        try:
            async with self._open() as deltas:
                async for delta in deltas:
                    for event in draft.feed(delta):
                        if state.withdraw:
                            yield self._withdrawn()
                        yield event
            if draft.finish_reason is None:
                raise ProviderError("The answer broke off before its end.", retryable=True)
            for event in draft.close():
                yield event
            if state.withdraw:
                yield self._withdrawn()
        finally:
            self._count_usage(draft)
            state.note_reasoning(draft.reasoning_seconds)

    def _open(self) -> AbstractAsyncContextManager[AsyncIterator[Delta]]:
        """The stream, closed as soon as it is left; one that cannot be closed ends by itself."""
        stream: Any = self._provider.stream(self._request)
        return aclosing(stream) if hasattr(stream, "aclose") else nullcontext(stream)

    def _withdrawn(self) -> TextWithdrawn:
        self._state.withdraw = self._state.shows_misfit = False
        return TextWithdrawn(self._state.run_id)

    def _count_usage(self, draft: TurnDraft) -> None:
        """What the provider said, or a guess for an answer that it sent without, or that was cut off."""
        usage = draft.usage
        if usage is None and (draft.has_content or draft.finish_reason):
            asked = estimate_text(self._request.system) + estimate_entries(self._request.entries)
            usage = Usage(input_tokens=asked, output_tokens=draft.estimated_output())
            self._state.usage_estimated = True
            self._state.update(usage_estimated=True)
        if usage is not None:
            self._state.add_usage(usage)
            self._state.update(last_input_tokens=usage.input_tokens)

    def _new_draft(self) -> TurnDraft:
        state = self._state
        return TurnDraft(run_id=state.run_id, first_index=len(state.entries), provider=self._provider.name)
