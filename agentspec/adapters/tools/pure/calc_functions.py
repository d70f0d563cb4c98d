"""calc_functions: what an arithmetic expression may call. Decimals in, a decimal out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import NamedTuple

from agentspec.adapters.tools.pure.pure import Unfit

DIGITS = 320  # that are kept on the way: every factorial up to 170 is exact
PI = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
E = "2.71828182845904523536028747135266249775724709369995957496696762772407663035354759457138217852516642743"
CONSTANTS = {"pi": Decimal(PI), "e": Decimal(E), "tau": 2 * Decimal(PI)}
_MANY = 1000


class Function(NamedTuple):
    """A function of `least` to `most` values."""

    least: int
    most: int
    apply: Callable[[Sequence[Decimal]], Decimal]

    @property
    def takes(self) -> str:
        """How many values it takes, in words."""
        if self.least == self.most:
            return "1 value" if self.least == 1 else f"{self.least} values"
        return f"{self.least} or more values" if self.most == _MANY else f"{self.least} to {self.most} values"


def _one(function: Callable[[Decimal], Decimal]) -> Function:
    return Function(1, 1, lambda values: function(values[0]))


def _inexact(function: Callable[[float], float]) -> Function:
    """A function that is known to 15 digits only."""

    def apply(values: Sequence[Decimal]) -> Decimal:
        try:
            return Decimal(repr(round(function(float(values[0])), 15)))
        except (ValueError, OverflowError):
            raise Unfit(f"`{values[0]:.30g}` is outside of what the function is defined for") from None

    return Function(1, 1, apply)


def _whole(value: Decimal, most: int) -> int:
    if value != value.to_integral_value() or abs(value) > most:
        raise Unfit(f"`{value:.30g}` has to be a whole number, and not larger than {most:g}")
    return int(value)


def _wholes(function: Callable[..., int]) -> Callable[[Sequence[Decimal]], Decimal]:
    return lambda values: Decimal(function(*(_whole(value, 10**300) for value in values)))


def _round(values: Sequence[Decimal]) -> Decimal:
    digits = _whole(values[1], DIGITS) if len(values) > 1 else 0
    return values[0].quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def _counted(function: Callable[[int, int], int]) -> Callable[[Sequence[Decimal]], Decimal]:
    def apply(values: Sequence[Decimal]) -> Decimal:
        n, k = (_whole(value, 1000) for value in values)
        if n < 0 or k < 0:
            raise Unfit("both values have to be 0 or more")
        return Decimal(function(n, k))

    return apply


def _factorial(value: Decimal) -> Decimal:
    n = _whole(value, 170)
    if n < 0:
        raise Unfit("a factorial is of a number from 0 on")
    return Decimal(math.factorial(n))


def _median(values: Sequence[Decimal]) -> Decimal:
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


FUNCTIONS: dict[str, Function] = {
    "abs": _one(abs),
    "sqrt": _one(Decimal.sqrt),
    "exp": _one(Decimal.exp),
    "ln": _one(Decimal.ln),
    "log10": _one(Decimal.log10),
    "log2": _one(lambda x: x.ln() / Decimal(2).ln()),
    "log": Function(2, 2, lambda values: values[0].ln() / values[1].ln()),
    "round": Function(1, 2, _round),
    "floor": _one(lambda x: x.to_integral_value(ROUND_FLOOR)),
    "ceil": _one(lambda x: x.to_integral_value(ROUND_CEILING)),
    "trunc": _one(lambda x: x.to_integral_value("ROUND_DOWN")),
    "min": Function(1, _MANY, min),
    "max": Function(1, _MANY, max),
    "sum": Function(1, _MANY, lambda values: sum(values, Decimal(0))),
    "mean": Function(1, _MANY, lambda values: sum(values, Decimal(0)) / len(values)),
    "median": Function(1, _MANY, _median),
    "gcd": Function(2, _MANY, _wholes(math.gcd)),
    "lcm": Function(2, 8, _wholes(math.lcm)),
    "factorial": _one(_factorial),
    "comb": Function(2, 2, _counted(math.comb)),
    "perm": Function(2, 2, _counted(math.perm)),
    "sin": _inexact(math.sin),
    "cos": _inexact(math.cos),
    "tan": _inexact(math.tan),
    "asin": _inexact(math.asin),
    "acos": _inexact(math.acos),
    "atan": _inexact(math.atan),
    "degrees": _one(lambda x: x * 180 / CONSTANTS["pi"]),
    "radians": _one(lambda x: x * CONSTANTS["pi"] / 180),
}
