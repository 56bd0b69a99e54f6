"""The functions and constants that an expression may use, over exact integers and decimals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

from agents.errors import ToolError

Number = int | Decimal
MAX_FACTORIAL = 450  # 1,001 digits
MAX_PLACES = 30

CONSTANTS: dict[str, Decimal] = {
    "pi": Decimal("3.14159265358979323846264338327950288419716939937511"),
    "tau": Decimal("6.28318530717958647692528676655900576839433879875021"),
    "e": Decimal("2.71828182845904523536028747135266249775724709369996"),
}


@dataclass(frozen=True, slots=True)
class Function:
    call: Callable[..., Number]
    least: int = 1
    most: int = 1


def divide(left: Number, right: Number) -> Number:
    if right == 0:
        raise ToolError("Division by zero.")
    if isinstance(left, int) and isinstance(right, int) and left % right == 0:
        return left // right
    return Decimal(left) / Decimal(right)


def whole(value: Number, what: str) -> int:
    if value != int(value):
        raise ToolError(f"{what} needs whole numbers, not {value}.")
    return int(value)


def factorial(value: Number) -> int:
    number = whole(value, "A factorial")
    if not 0 <= number <= MAX_FACTORIAL:
        raise ToolError(f"A factorial is computed for 0 to {MAX_FACTORIAL} only.")
    return math.factorial(number)


def square_root(value: Number) -> Number:
    if value < 0:
        raise ToolError("The square root of a negative number is not a real number.")
    if isinstance(value, int) and math.isqrt(value) ** 2 == value:
        return math.isqrt(value)
    return Decimal(value).sqrt()


def logarithm(value: Number, base: Number | None = None) -> Number:
    if value <= 0 or (base is not None and (base <= 0 or base == 1)):
        raise ToolError("A logarithm needs a positive number, and a positive base other than 1.")
    if base is None:
        return Decimal(value).ln()
    if base == 10:
        return Decimal(value).log10()
    return Decimal(value).ln() / Decimal(base).ln()


def rounded(value: Number, places: Number = 0) -> Number:
    """Halves go away from zero, as on paper; Python's own `round` sends them to the even neighbour."""
    digits = whole(places, "round")
    if abs(digits) > MAX_PLACES:
        raise ToolError(f"round takes up to {MAX_PLACES} places.")
    scaled = (Decimal(value).scaleb(digits)).to_integral_value(ROUND_HALF_UP)
    return int(scaled) * 10**-digits if digits <= 0 else scaled.scaleb(-digits)


def towards(rounding: str) -> Callable[[Number], Number]:
    return lambda value: int(Decimal(value).to_integral_value(rounding))


def by_float(function: Callable[[float], float]) -> Callable[[Number], Number]:
    """Trigonometry: 15 digits, and what is only the noise of a float counts as zero."""

    def call(value: Number) -> Number:
        result = function(float(value))
        return Decimal(0) if abs(result) < 1e-15 else Decimal(f"{result:.15g}")

    return call


def total(*values: Number) -> Number:
    result: Number = 0
    for value in values:
        result = Decimal(result) + value if isinstance(value, Decimal) else result + value
    return result


def mean(*values: Number) -> Number:
    return divide(total(*values), len(values))


def cube_root(value: Number) -> Number:
    """Exact for the cubes of integers, negative ones too."""
    if value < 0:
        return -cube_root(-value)
    root = Decimal(value) ** (Decimal(1) / 3)
    whole_root = int(root.to_integral_value())
    return whole_root if whole_root**3 == value else root


MANY = 200
FUNCTIONS: dict[str, Function] = {
    "abs": Function(abs),
    "sqrt": Function(square_root),
    "cbrt": Function(cube_root),
    "round": Function(rounded, 1, 2),
    "floor": Function(towards(ROUND_FLOOR)),
    "ceil": Function(towards(ROUND_CEILING)),
    "min": Function(min, 2, MANY),
    "max": Function(max, 2, MANY),
    "sum": Function(total, 1, MANY),
    "avg": Function(mean, 1, MANY),
    "mean": Function(mean, 1, MANY),
    "ln": Function(logarithm),
    "log": Function(lambda value, base=10: logarithm(value, base), 1, 2),
    "log10": Function(lambda value: logarithm(value, 10)),
    "log2": Function(lambda value: logarithm(value, 2)),
    "exp": Function(lambda value: Decimal(value).exp()),
    "factorial": Function(factorial),
    "gcd": Function(lambda *values: math.gcd(*(whole(value, "gcd") for value in values)), 2, MANY),
    "lcm": Function(lambda *values: math.lcm(*(whole(value, "lcm") for value in values)), 2, MANY),
    "sin": Function(by_float(math.sin)),
    "cos": Function(by_float(math.cos)),
    "tan": Function(by_float(math.tan)),
    "asin": Function(by_float(math.asin)),
    "acos": Function(by_float(math.acos)),
    "atan": Function(by_float(math.atan)),
    "degrees": Function(by_float(math.degrees)),
    "radians": Function(by_float(math.radians)),
}
