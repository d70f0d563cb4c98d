"""calc: arithmetic as it is written, in decimals: 0.1 + 0.2 is 0.3. A parser of its own; nothing is ever executed.

Length, depth and size of numbers are bounded, so that no expression takes long. `^` and `**` are powers, `%` is the
remainder; a sign behind it is refused, since `50% - 3` means something else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import (
    ROUND_FLOOR,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from typing import NamedTuple

from agentspec.adapters.tools.pure.calc_functions import CONSTANTS, DIGITS, FUNCTIONS
from agentspec.adapters.tools.pure.pure import Shown, Unfit

LONGEST = 2000  # characters of an expression
DEEPEST = 50
SHOWN = 30  # digits of a number that is not whole
CONTEXT = Context(prec=DIGITS, Emax=9999, Emin=-9999, traps=[InvalidOperation, DivisionByZero, Overflow])

_TOKEN = re.compile(
    r"\s*(?:(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z][A-Za-z0-9_]*)|(\*\*|//|\S))"
)
_SPELLED = {"^": "**", "×": "*", "·": "*", "÷": "/", "−": "-"}  # as models copy them from pages


class _Token(NamedTuple):
    """A number, a name or a sign, with its place in the expression, from 1; an empty text is the end."""

    kind: str
    text: str
    at: int


def calc(expression: str, digits: int = SHOWN) -> Shown:
    """The value of an arithmetic expression, whole numbers with up to 320 digits exactly.

    >>> calc("0.1 + 0.2").text, calc("2 ** 64").text, calc("round(10 / 3, 2)").text
    ('0.3', '18446744073709551616', '3.33')
    """
    if len(expression) > LONGEST:
        raise Unfit(f"the expression has {len(expression)} characters; at most {LONGEST} are taken")
    with localcontext(CONTEXT):
        try:
            return shown_number(_Parser(expression).whole(), digits)
        except DivisionByZero:
            raise Unfit("a division by zero has no result") from None
        except Overflow:
            raise Unfit("a number on the way is larger than 1E+9999") from None
        except DecimalException:
            raise Unfit("a part of it has no result among real numbers, or one of more than 320 digits") from None


def shown_number(value: Decimal, digits: int) -> Shown:
    """A number as the model reads it and as programs take it; as text where a double can't hold its size."""
    text = _written(value, digits)
    if text.lstrip("-").isdigit():
        return Shown(text, int(text))
    number = float(text)
    return Shown(text, text if math.isinf(number) or number == 0.0 else number)


def _written(value: Decimal, digits: int) -> str:
    """Whole numbers as they are; others rounded to so many digits, without zeros at the end."""
    if not value.is_finite():
        raise Unfit("the result is no finite number")
    if value.is_zero():
        return "0"
    if value == value.to_integral_value() and value.adjusted() < DIGITS:
        return f"{value.to_integral_value():f}"
    rounded = Context(prec=digits, Emax=9999, Emin=-9999).plus(value).normalize()
    return f"{rounded:f}" if -7 <= rounded.adjusted() < digits else str(rounded)


class _Parser:
    """Evaluates while it reads, one level of binding a method."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._at = 0
        self._depth = 0
        self._next = self._read()

    def whole(self) -> Decimal:
        value = self._sum()
        if self._next.text == ",":
            raise Unfit(f"a comma at character {self._next.at}: write large numbers without, decimals with a point")
        if self._next.text:
            raise self._unexpected()
        return value

    def _read(self) -> _Token:
        found = _TOKEN.match(self._expression, self._at)
        if found is None:
            return _Token("end", "", len(self._expression) + 1)
        self._at = found.end()
        kind = ("number", "name", "sign")[(found.lastindex or 1) - 1]
        text = found[found.lastindex or 1]
        return _Token(kind, _SPELLED.get(text, text), found.start(found.lastindex or 1) + 1)

    def _take(self) -> _Token:
        token, self._next = self._next, self._read()
        return token

    def _unexpected(self) -> Unfit:
        token = self._next
        if not token.text:
            return Unfit("the expression ends too early")
        return Unfit(f"unexpected `{token.text}` at character {token.at}")

    def _sum(self) -> Decimal:
        value = self._product()
        while self._next.text in ("+", "-"):
            sign = self._take().text
            right = self._product()
            value = value + right if sign == "+" else value - right
        return value

    def _product(self) -> Decimal:
        value = self._signed()
        while self._next.text in BINARY:
            sign = self._take()
            if sign.text == "%" and self._next.text in ("", "+", "-", "*", "/", ")", ","):
                raise Unfit(f"`%` at character {sign.at} is the remainder of a division; for percent write `/ 100`")
            value = BINARY[sign.text](value, self._signed())
        return value

    def _signed(self) -> Decimal:
        signs = 0
        while self._next.text in ("+", "-"):
            signs += self._take().text == "-"
        value = self._power()
        return -value if signs % 2 else value

    def _power(self) -> Decimal:
        value = self._atom()
        if self._next.text != "**":
            return value
        self._take()
        self._deeper()
        exponent = self._signed()
        self._depth -= 1
        return value**exponent

    def _atom(self) -> Decimal:
        match self._next.kind:
            case "number":
                return CONTEXT.create_decimal(self._take().text.replace("_", ""))
            case "name":
                return self._named()
        if self._next.text != "(":
            raise self._unexpected()
        self._take()
        self._deeper()
        value = self._sum()
        self._depth -= 1
        self._close()
        return value

    def _named(self) -> Decimal:
        token = self._take()
        name = token.text.lower()
        if self._next.text != "(":
            if name in CONSTANTS:
                return CONSTANTS[name]
            raise Unfit(f"unknown name `{token.text}` at character {token.at}; known: {', '.join(CONSTANTS)}")
        function = FUNCTIONS.get(name)
        if function is None:
            raise Unfit(f"unknown function `{token.text}`; known: {', '.join(FUNCTIONS)}")
        arguments = self._arguments()
        if not function.least <= len(arguments) <= function.most:
            raise Unfit(f"`{name}` takes {function.takes}, not {len(arguments)}")
        return function.apply(arguments)

    def _arguments(self) -> list[Decimal]:
        self._take()
        self._deeper()
        values = [] if self._next.text == ")" else [self._sum()]
        while self._next.text == ",":
            self._take()
            values.append(self._sum())
        self._depth -= 1
        self._close()
        return values

    def _close(self) -> None:
        if self._next.text != ")":
            raise self._unexpected() if self._next.text else Unfit("a `(` is never closed")
        self._take()

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unfit(f"the expression is nested more than {DEEPEST} deep")


def _floored(left: Decimal, right: Decimal) -> Decimal:
    return (left - _remainder(left, right)) / right


def _remainder(left: Decimal, right: Decimal) -> Decimal:
    """With the sign of the divisor, as in Python."""
    if right.is_zero():
        raise DivisionByZero
    rest = left % right
    return rest + right if rest and (rest < 0) != (right < 0) else rest


BINARY: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right if right else _by_zero(),
    "//": lambda left, right: _floored(left, right).to_integral_value(ROUND_FLOOR),
    "%": _remainder,
}


def _by_zero() -> Decimal:
    raise DivisionByZero
