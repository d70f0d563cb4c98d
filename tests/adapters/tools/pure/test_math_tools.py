"""The helpers of `math` calculate in decimals, exactly where there is an exact answer, and execute nothing."""

import contextlib
import math
import statistics as library
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.tools.pure.calc import calc
from agentspec.adapters.tools.pure.pure import Unfit
from agentspec.adapters.tools.pure.units import convert
from tests.adapters.tools.calling import call, refusal, value


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("0.1 + 0.2", "0.3"),
        ("2 ** 64", "18446744073709551616"),
        ("2^3^2", "512"),
        ("-2 ** 2", "-4"),
        ("2 ** -2", "0.25"),
        ("--3 - -3", "6"),
        ("10 / 4 * 2", "5"),
        ("1 / 3", "0.333333333333333333333333333333"),
        ("1 / 3 * 3", "1"),
        ("sqrt(2) ** 2", "2"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("7 % (-3)", "-2"),
        ("50 % 3", "2"),
        ("1_000 * 1.5e3", "1500000"),
        (".5 × 4 ÷ 2 − 1", "0"),
        ("round(2.675, 2)", "2.68"),
        ("round(-2.5)", "-3"),
        ("round(1234, -2)", "1200"),
        ("floor(-1.5) + ceil(1.2) + trunc(-1.9)", "-1"),
        ("max(1, 2.50, -3)", "2.5"),
        ("mean(1, 2, 4)", "2.33333333333333333333333333333"),
        ("median(3, 1, 2, 10)", "2.5"),
        ("gcd(12, 18, 27) + lcm(4, 6)", "15"),
        ("factorial(25)", "15511210043330985984000000"),
        ("comb(52, 5)", "2598960"),
        ("perm(5, 2)", "20"),
        ("log(8, 2)", "3"),
        ("log10(1000) + log2(8) + ln(e)", "7"),
        ("sin(pi)", "0"),
        ("cos(pi)", "-1"),
        ("degrees(PI)", "180"),
        ("1e-9", "1E-9"),
        ("1e400", "1E+400"),
        ("0 ** 2", "0"),
    ],
)
def test_an_expression_gives(expression, text):
    assert calc(expression).text == text


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "the expression ends too early"),
        ("3 +", "the expression ends too early"),
        ("3 4", "unexpected `4` at character 3"),
        ("2pi", "unexpected `pi` at character 2"),
        ("(1", "a `(` is never closed"),
        ("1)", "unexpected `)` at character 2"),
        ("1 / 0", "a division by zero has no result"),
        ("1 // 0", "a division by zero has no result"),
        ("1 % 0", "a division by zero has no result"),
        ("ln(0)", "the result is no finite number"),
        ("sqrt(-1)", "a part of it has no result among real numbers, or one of more than 320 digits"),
        ("9 ** 9 ** 9", "a number on the way is larger than 1E+9999"),
        ("1e10000", "a number on the way is larger than 1E+9999"),
        ("factorial(171)", "`171` has to be a whole number, and not larger than 170"),
        ("factorial(-1)", "a factorial is of a number from 0 on"),
        ("gcd(1.5, 2)", "`1.5` has to be a whole number, and not larger than 1e+300"),
        ("acos(2)", "`2` is outside of what the function is defined for"),
        ("50% - 3", "`%` at character 3 is the remainder of a division; for percent write `/ 100`"),
        ("15%", "`%` at character 3 is the remainder of a division; for percent write `/ 100`"),
        ("1,000 + 1", "a comma at character 2: write large numbers without, decimals with a point"),
        ("x + 1", "unknown name `x` at character 1; known: pi, e, tau"),
        ("round()", "`round` takes 1 to 2 values, not 0"),
        ("abs(1, 2)", "`abs` takes 1 value, not 2"),
        ("max()", "`max` takes 1 or more values, not 0"),
        ("__import__('os')", "unexpected `_` at character 1"),
        ("(" * 51 + "1" + ")" * 51, "the expression is nested more than 50 deep"),
        ("2" + "**2" * 60, "the expression is nested more than 50 deep"),
        ("1" * 2001, "the expression has 2001 characters; at most 2000 are taken"),
    ],
)
def test_what_has_no_value_is_refused_in_words(expression, words):
    with pytest.raises(Unfit) as refused:
        calc(expression)

    assert str(refused.value) == words


def test_an_unknown_function_is_answered_with_those_that_exist():
    with pytest.raises(Unfit, match="unknown function `eval`; known: abs, sqrt, exp, "):
        calc("eval(1)")


async def test_programs_get_numbers_and_the_model_gets_all_digits():
    output = await call("math", "calc", expression="2 / 3", digits=5)

    assert (output.text, output.data) == ("0.66667", 0.66667)
    assert await value("math", "calc", expression="2 ** 65") == 2**65
    assert await value("math", "calc", expression="1e400") == "1E+400"
    assert await value("math", "calc", expression="1e-400") == "1E-400"


WHOLE = st.integers(-(10**12), 10**12)


@given(
    st.recursive(
        WHOLE.map(str),
        lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        ),
        max_leaves=8,
    )
)
def test_whole_numbers_are_calculated_as_python_calculates_them(expression):
    assert int(calc(expression).text) == eval(expression)


@given(st.integers(-1000, 1000), st.integers(-1000, 1000).filter(bool))
def test_division_and_remainder_belong_together(left, right):
    found = [int(calc(f"({left}) {sign} ({right})").text) for sign in ("//", "%")]

    assert tuple(found) == divmod(left, right)


@given(st.text(st.sampled_from("0123456789.+-*/%^()eE, abcpimxsqrt_é²"), max_size=60))
def test_any_text_is_calculated_or_refused(expression):
    with contextlib.suppress(Unfit):
        assert calc(expression).text


async def test_statistics_of_numbers():
    output = await call("math", "statistics", numbers=[0.1, 0.2, 0.3, 4])

    assert output.data == {
        "count": 4,
        "sum": 4.6,
        "mean": 1.15,
        "median": 0.25,
        "min": 0.1,
        "max": 4,
        "stdev": library.stdev([0.1, 0.2, 0.3, 4]),
        "stdev_of_all": library.pstdev([0.1, 0.2, 0.3, 4]),
    }
    assert output.text.splitlines()[:3] == ["count: 4", "sum: 4.6", "mean: 1.15"]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
async def test_statistics_agree_with_the_library(numbers):
    found = await value("math", "statistics", numbers=numbers)

    assert math.isclose(found["mean"], library.fmean(numbers), rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(found["stdev_of_all"], library.pstdev(numbers), rel_tol=1e-6, abs_tol=1e-6)
    assert (found["min"], found["max"]) == (min(numbers), max(numbers))


async def test_statistics_need_numbers():
    assert await refusal("math", "statistics", numbers=[]) == "`numbers` has 0 items; 1 to 10000 are taken"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((26.2, "miles", "km"), 42.1648128),
        ((98.6, "F", "C"), 37),
        ((-40, "°C", "fahrenheit"), -40),
        ((0, "K", "C"), -273.15),
        ((1, "GB", "MiB"), 953.67431640625),
        ((100, "Mbit", "MB"), 12.5),
        ((100, "km/h", "mph"), 62.137119223733397),
        ((2, "Feet", "inches"), 24),
        ((1, "acre", "m²"), 4046.8564224),
        ((90, "min", "h"), 1.5),
        ((0.1, "kWh", "kJ"), 360),
    ],
)
async def test_units_are_converted_exactly(arguments, expected):
    assert (
        await value("math", "convert_units", **dict(zip(("value", "unit", "to"), arguments, strict=True))) == expected
    )


async def test_units_that_do_not_go_together_are_refused():
    assert await refusal("math", "convert_units", value=1, unit="kg", to="km") == ("`kg` measures mass and `km` length")
    assert await refusal("math", "convert_units", value=1, unit="kilometr", to="m") == (
        "unknown unit `kilometr`; did you mean `kilometer`?"
    )
    assert await refusal("math", "convert_units", value=1, unit="zzz", to="m") == (
        "unknown unit `zzz`; write it as `km` or `mile`"
    )


@given(st.fractions(), st.sampled_from([("m", "in"), ("F", "C"), ("kn", "mph"), ("lb", "g"), ("arcsec", "turn")]))
def test_a_conversion_is_undone_by_its_counterpart(amount, units):
    assert convert(convert(amount, *units), *reversed(units)) == amount


def test_no_factor_is_rounded():
    assert convert(Fraction(1), "yd", "m") == Fraction(9144, 10000)


@given(st.integers(-(10**30), 10**30), st.integers(2, 36))
async def test_a_number_keeps_its_value_in_every_base(number, base):
    written = await value("math", "convert_base", number=str(number), from_base=10, to_base=base)

    assert int(written, base) == number


async def test_what_is_no_number_of_a_base_is_refused():
    assert await refusal("math", "convert_base", number="19", from_base=8, to_base=10) == (
        "`19` is no whole number in base 8"
    )
    assert await refusal("math", "convert_base", number="1" * 1001, from_base=2, to_base=10) == (
        "`number` has 1001 characters; at most 1000 are taken"
    )
