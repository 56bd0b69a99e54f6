"""What is said when a tool did not answer, or not with what was asked of it."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from agents.providers.demo.markdown import code, quote
from agents.providers.demo.plan import joined
from agents.providers.demo.talk import Outcome, Talk


def failure(talk: Talk, outcomes: Iterable[Outcome]) -> str:
    """The errors in the tools' own words; empty when every call has answered."""
    return joined(*(one_failure(talk, outcome) for outcome in outcomes if outcome.is_error))


def sum_failure(talk: Talk, outcomes: Iterable[Outcome]) -> str:
    """The same where each answer has to be a number."""
    return joined(
        *(
            one_failure(talk, outcome)
            for outcome in outcomes
            if outcome.is_error or not is_number(outcome.output)
        )
    )


def one_failure(talk: Talk, outcome: Outcome) -> str:
    name = code(outcome.name)
    if outcome.is_error:
        lead = talk.pick(
            f"{name} reported an error, so I have no result to give:",
            f"{name} 报告了错误，所以我给不出结果：",
        )
    else:
        lead = talk.pick(f"I cannot use what {name} answered:", f"{name} 的回答我用不了：")
    return joined(lead, quote(outcome.output))


def is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False
