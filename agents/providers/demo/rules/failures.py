"""What is said when a tool did not answer."""

from __future__ import annotations

from collections.abc import Iterable

from agents.providers.demo.markdown import code, quote
from agents.providers.demo.plan import joined
from agents.providers.demo.talk import Outcome, Talk


def failure(talk: Talk, outcomes: Iterable[Outcome]) -> str:
    """The errors in the tool's own words; empty when every call has answered."""
    return joined(*(one_failure(talk, outcome) for outcome in outcomes if outcome.is_error))


def one_failure(talk: Talk, outcome: Outcome) -> str:
    return joined(
        talk.pick(
            f"{code(outcome.name)} reported an error, so I have no result to give:",
            f"{code(outcome.name)} 报告了错误，所以我给不出结果：",
        ),
        quote(outcome.output),
    )
