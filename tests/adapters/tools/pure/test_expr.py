"""An expression tool gives the text and the value of its expression, or an error that the model can read."""

import datetime as dt

import pytest

from agentspec.adapters.tools.pure.expr import ExprTool
from agentspec.core.messages import ToolError
from agentspec.errors import ExpressionError
from agentspec.expressions.compile import compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import make_scope
from agentspec.ports import Invocation, Output


class Program:
    """Stands for a compiled expression: a function of the names."""

    def __init__(self, function):
        self.evaluate = function


def invocation(**arguments):
    return Invocation(name="calc", call_id="c1", arguments=arguments, key="k", run={"id": "r"}, inputs={"n": 1})


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        (5.0, "5", 5),
        (2.5, "2.5", 2.5),
        (1e300, "1e+300", 1e300),
        (-0.0, "0", 0),
        ("hi", "hi", "hi"),
        (True, "true", True),
        (None, "", None),
        ({"b": 1.0, "a": [2.0, "é"]}, '{"a": [2, "é"], "b": 1}', {"a": [2, "é"], "b": 1}),
        ({1: "x"}, '{"1": "x"}', {"1": "x"}),
        (b"\xff", "/w==", "/w=="),
        (dt.datetime(2026, 1, 2, tzinfo=dt.UTC), "2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z"),
        (dt.timedelta(seconds=90), "90s", "90s"),
    ],
)
async def test_a_value_becomes_text_and_plain_json(value, text, data):
    tool = ExprTool(Program(lambda names: value))

    assert await tool.call(invocation()) == Output(text=text, data=data)


async def test_the_expression_sees_arguments_inputs_and_run():
    tool = ExprTool(Program(lambda names: [names["args"]["lhs"], names["inputs"]["n"], names["run"]["id"]]))

    assert (await tool.call(invocation(lhs=2))).data == [2, 1, "r"]


async def test_a_failing_expression_is_a_tool_error():
    def fail(names):
        raise ExpressionError("division by zero")

    assert await ExprTool(Program(fail)).call(invocation()) == Output(
        status="error", error=ToolError(category="expression", message="division by zero")
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "JSON has no number for `nan`"),
        ([float("inf")], "JSON has no number for `inf`"),
        (object(), "JSON can't carry a `object`"),
    ],
)
async def test_a_value_that_json_cannot_carry_is_a_tool_error(value, words):
    output = await ExprTool(Program(lambda names: value)).call(invocation())

    assert output.error == ToolError(category="result", message=f"the expression gave no usable result: {words}")


async def test_endless_nesting_is_a_tool_error():
    value = []
    for _ in range(1000):
        value = [value]

    output = await ExprTool(Program(lambda names: value)).call(invocation())

    assert output.error.message == "the expression gave no usable result: a value is nested more than 64 deep"


async def test_the_result_is_held_against_returns():
    tool = ExprTool(Program(lambda names: names["args"]["x"]), returns={"type": "number"})

    assert (await tool.call(invocation(x=2.0))).data == 2
    assert (await tool.call(invocation(x="two"))).error == ToolError(
        category="result",
        message='the expression\'s result is not what `returns` says: the value must be a number, not the string "two"',
    )


async def test_a_real_expression_is_evaluated():
    scope = make_scope(parameters={"lhs": "number", "op": {"enum": ["add", "sub"]}, "rhs": "number"}, returns="number")
    text = 'args.op == "add" ? args.lhs + args.rhs : args.lhs - args.rhs'
    tool = ExprTool(compile_expression(text, PLACES["tools.expr"], scope), returns={"type": "number"})

    assert await tool.call(invocation(lhs=2, rhs=3.5, op="add")) == Output(text="5.5", data=5.5)
    assert await tool.call(invocation(lhs=2.0, rhs=3, op="sub")) == Output(text="-1", data=-1)


async def test_a_real_expression_that_fails_is_a_tool_error():
    program = compile_expression(
        "args.a / args.b", PLACES["tools.expr"], make_scope(parameters={"a": "integer", "b": "integer"})
    )

    output = await ExprTool(program).call(invocation(a=1, b=0))

    assert output.error.category == "expression"
