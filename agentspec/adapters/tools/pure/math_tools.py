"""math_tools: the toolkit `math`: arithmetic, statistics, units and number bases. Pure functions over decimals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from agentspec.adapters.tools.kit import Offered, Setting
from agentspec.adapters.tools.pure.calc import CONTEXT, SHOWN, calc, shown_number
from agentspec.adapters.tools.pure.calc_functions import CONSTANTS, FUNCTIONS
from agentspec.adapters.tools.pure.pure import Pure, Shown, Unfit, parameter, pure_toolkit
from agentspec.adapters.tools.pure.units import convert

MOST_NUMBERS = 10_000
MOST_DIGITS = 1000
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"


def statistics(numbers: Sequence[float]) -> Shown:
    """Count, sum, mean and the like; a number counts as it is written, so 0.1 is a tenth."""
    if not 0 < len(numbers) <= MOST_NUMBERS:
        raise Unfit(f"`numbers` has {len(numbers)} items; 1 to {MOST_NUMBERS} are taken")
    with localcontext(CONTEXT):
        values = sorted(Decimal(repr(number)) for number in numbers)
        count, total = len(values), sum(values, Decimal(0))
        mean = total / count
        spread = sum(((value - mean) ** 2 for value in values), Decimal(0))
        found = {
            "sum": total,
            "mean": mean,
            "median": FUNCTIONS["median"].apply(values),
            "min": values[0],
            "max": values[-1],
            "stdev": (spread / (count - 1)).sqrt() if count > 1 else Decimal(0),
            "stdev_of_all": (spread / count).sqrt(),
        }
        shown = {name: shown_number(value, 17) for name, value in found.items()}
    lines = [f"count: {count}", *(f"{name}: {each.text}" for name, each in shown.items())]
    return Shown("\n".join(lines), {"count": count} | {name: each.data for name, each in shown.items()})


def convert_units(value: float, unit: str, to: str) -> Shown:
    """The same quantity in another unit."""
    with localcontext(CONTEXT):
        converted = convert(Fraction(repr(value)), unit, to)
        return shown_number(Decimal(converted.numerator) / converted.denominator, 17)


def convert_base(number: str, from_base: int, to_base: int) -> str:
    """A whole number in another base, from 2 to 36, with small letters as digits."""
    if len(number) > MOST_DIGITS:
        raise Unfit(f"`number` has {len(number)} characters; at most {MOST_DIGITS} are taken")
    try:
        value = int(number, from_base)
    except ValueError:
        raise Unfit(f"`{number[:80]}` is no whole number in base {from_base}") from None
    digits: list[str] = []
    rest = abs(value)
    while rest:
        rest, digit = divmod(rest, to_base)
        digits.append(LETTERS[digit])
    return ("-" if value < 0 else "") + ("".join(reversed(digits)) or "0")


_BASE = {"minimum": 2, "maximum": 36}
TOOLS: dict[str, Pure] = {
    "calc": Pure(
        "Calculate an arithmetic expression exactly, in decimals. Signs: + - * / // % ** and parentheses. Functions: "
        f"{', '.join(FUNCTIONS)}. Names: {', '.join(CONSTANTS)}. Angles are in radians.",
        {
            "expression": parameter("string", "Such as `round(1200 * (1 + 0.035) ** 10, 2)`."),
            "digits": parameter(
                "integer?", f"Digits of a result that is not whole; {SHOWN} if not given.", minimum=1, maximum=300
            ),
        },
        calc,
    ),
    "statistics": Pure(
        "Count, sum, mean, median, least, greatest and standard deviation of numbers.",
        {"numbers": parameter("number[]", "The numbers.")},
        statistics,
    ),
    "convert_units": Pure(
        "Convert a quantity to another unit: length, area, volume, mass, time, speed, temperature, data, energy, …",
        {
            "value": parameter("number", "How much."),
            "unit": parameter("string", "The unit that it is in, such as `km`, `lb`, `F`, `MiB`."),
            "to": parameter("string", "The unit that is wanted."),
        },
        convert_units,
    ),
    "convert_base": Pure(
        "Write a whole number in another base.",
        {
            "number": parameter("string", "The number, such as `ff` or `-1010`."),
            "from_base": parameter("integer", "The base that it is written in.", **_BASE),
            "to_base": parameter("integer", "The base that is wanted.", **_BASE),
        },
        convert_base,
    ),
}


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `math`."""
    return pure_toolkit("math", TOOLS, options, setting)
