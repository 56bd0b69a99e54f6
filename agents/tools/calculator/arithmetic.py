"""The value of an expression: a walk over its tree that knows numbers, signs and functions, and nothing else.

Integers stay exact up to `MAX_DIGITS` digits, everything else is a decimal of 50 digits. No input can make it
slow: powers are refused by the size of their result, before they are computed.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from decimal import (
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)

from agents.errors import ToolError
from agents.tools.calculator.expression import FACTORIAL, PERCENT, Expression
from agents.tools.calculator.functions import CONSTANTS, FUNCTIONS, Number, divide, factorial

MAX_DIGITS = 1_000
MAX_BITS = MAX_DIGITS * math.log2(10)
MAX_EXPONENT = 10_000
MAX_DEPTH = 120
SHOWN_DIGITS = 28
EXACT = Context(prec=50, Emax=9_999, Emin=-9_999, traps=[InvalidOperation, DivisionByZero, Overflow])


def evaluate(expression: Expression) -> Number:
    """Raises ToolError for what cannot be computed, with the reason."""
    with localcontext(EXACT):
        try:
            return Evaluation(expression.numbers).value(expression.tree)
        except DecimalException:
            raise ToolError("The result is not a number, or too large.") from None
        except (OverflowError, ValueError):
            raise ToolError("A function was given a number outside its range.") from None


def shown(value: Number) -> str:
    """Plain digits where they can be read, `1.5E+60` beyond; a decimal is rounded to 28 digits."""
    if isinstance(value, int):
        return str(value)
    short = Context(prec=SHOWN_DIGITS).plus(value)
    if not short:
        return "0"
    short = short.normalize(Context(prec=SHOWN_DIGITS))
    return f"{short:f}" if -12 <= short.adjusted() <= SHOWN_DIGITS else str(short)


class Evaluation:
    def __init__(self, numbers: dict[str, str]) -> None:
        self.numbers = numbers

    def value(self, node: ast.expr, depth: int = 0) -> Number:
        if depth > MAX_DEPTH:
            raise ToolError("The expression is nested too deeply.")
        match node:
            case ast.Name(id=name):
                return self.named(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand, depth + 1)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.value(operand, depth + 1)
            case ast.BinOp():
                return self.chain(node, depth)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self.call(name, [self.value(argument, depth + 1) for argument in arguments])
            case _:
                raise not_arithmetic()

    def named(self, name: str) -> Number:
        if name in self.numbers:
            text = self.numbers[name]
            return within(int(text) if text.isdecimal() else Decimal(text))
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in FUNCTIONS:
            raise ToolError(f"{name} is a function: write {name}(…).")
        raise ToolError(f"Unknown name {name!r}. Known are {', '.join([*CONSTANTS, *FUNCTIONS])}.")

    def chain(self, node: ast.BinOp, depth: int) -> Number:
        """`a + b + c + …` leans to the left: walked in a loop, so that a long sum is no deep one."""
        chain: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            chain.append(left)
            left = left.left
        result = self.value(left, depth + 1)
        for link in reversed(chain):
            result = within(self.linked(result, link, depth))
        return result

    def linked(self, left: Number, link: ast.BinOp, depth: int) -> Number:
        if is_sentinel(link, PERCENT):
            return divide(left, 100)
        if is_sentinel(link, FACTORIAL):
            return factorial(left)
        right = self.value(link.right, depth + 1)
        if isinstance(link.op, ast.Add | ast.Sub) and is_sentinel(link.right, PERCENT):
            right = multiply(left, right)  # 240 + 19 % is 285.6, as on every pocket calculator
        operation = OPERATIONS.get(type(link.op))
        if operation is None:
            raise not_arithmetic()
        return operation(left, right)

    def call(self, name: str, arguments: list[Number]) -> Number:
        function = FUNCTIONS.get(name)
        if function is None:
            raise ToolError(f"Unknown function {name!r}. Known are {', '.join(FUNCTIONS)}.")
        if not function.least <= len(arguments) <= function.most:
            raise ToolError(f"{name} does not take {len(arguments)} arguments.")
        return within(function.call(*arguments))


def is_sentinel(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.right, ast.Name) and node.right.id == name


def not_arithmetic() -> ToolError:
    return ToolError("Only numbers, + - * / // % ^ !, parentheses and functions are computed.")


def within(value: Number) -> Number:
    if value.bit_length() > MAX_BITS if isinstance(value, int) else value.adjusted() > MAX_DIGITS:
        raise ToolError(f"A number has more than {MAX_DIGITS:,} digits.")
    return value


def add(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    return Decimal(left) + Decimal(right)


def subtract(left: Number, right: Number) -> Number:
    return add(left, -right)


def multiply(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    return Decimal(left) * Decimal(right)


def floor_divide(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int) and right != 0:
        return left // right
    return math.floor(divide(left, right))


def remainder(left: Number, right: Number) -> Number:
    """Takes the sign of the divisor, for decimals too (Python's decimals would take the dividend's)."""
    return subtract(left, multiply(right, floor_divide(left, right)))


def power(base: Number, exponent: Number) -> Number:
    if exponent == int(exponent) and isinstance(base, int):
        return integer_power(base, int(exponent))
    if base < 0 and exponent != int(exponent):
        raise ToolError("A broken power of a negative number is not a real number.")
    if base == 0 and exponent <= 0:
        raise ToolError("Zero cannot be raised to zero or to a negative power.")
    if not -MAX_EXPONENT <= exponent <= MAX_EXPONENT:
        raise ToolError(f"Exponents up to {MAX_EXPONENT:,} are computed.")
    return Decimal(base) ** Decimal(exponent)


def integer_power(base: int, exponent: int) -> Number:
    if base == 0 and exponent < 0:
        raise ToolError("Zero cannot be raised to a negative power.")
    if abs(base) <= 1:
        return base ** (abs(exponent) % 2 or 2) if exponent else 1
    if abs(exponent) > MAX_EXPONENT or abs(exponent) * math.log2(abs(base)) > MAX_BITS:
        raise ToolError(f"The power has more than {MAX_DIGITS:,} digits.")
    return base**exponent if exponent >= 0 else divide(1, base**-exponent)


OPERATIONS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: add,
    ast.Sub: subtract,
    ast.Mult: multiply,
    ast.Div: divide,
    ast.FloorDiv: floor_divide,
    ast.Mod: remainder,
    ast.Pow: power,
}
