"""`calculator`: exact arithmetic for a model, without `eval`."""

from __future__ import annotations

from agents.tools.base import tool
from agents.tools.calculator.arithmetic import evaluate, shown
from agents.tools.calculator.expression import parse

__all__ = ["calculate", "calculator"]


def calculate(expression: str) -> str:
    """The value of an arithmetic expression. Raises ToolError with a reason that a model can act on."""
    return shown(evaluate(parse(expression)))


@tool(repeatable=True)
def calculator(expression: str) -> str:
    """Compute an arithmetic expression exactly.

    Knows + - * / // % ^ !, parentheses, percent ("17.5 % of 2,480", "240 + 19 %"), pi, e, tau and functions
    such as sqrt, round(x, places), floor, ceil, abs, min, max, sum, avg, ln, log(x, base), sin, cos.

    Args:
        expression: For example "1240 * 1.19" or "sqrt(2) * round(10 / 3, 2)".
    """
    return calculate(expression)
