"""The table of functions: each example gives what the table says."""

import pytest

from agentspec.expressions.compile import compile_expression
from agentspec.expressions.functions import Function, functions
from agentspec.expressions.places import PLACES


@pytest.mark.parametrize("function", functions(), ids=lambda function: function.signature)
def test_the_example_of_a_function_gives_what_the_table_says(function: Function) -> None:
    given = compile_expression(function.example, PLACES["tools.expr"]).evaluate({})
    expected = compile_expression(function.gives, PLACES["tools.expr"]).evaluate({})

    assert (type(given), given) == (type(expected), expected)
