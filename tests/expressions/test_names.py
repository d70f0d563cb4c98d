"""Names in expressions: the misspelt one is found at its own characters."""

from agentspec.expressions.compile import check_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.problem import Problem


def test_a_misspelt_name_is_found_with_the_right_one() -> None:
    text = "iteration > 3 && budgt.remaining == 0"

    problems = check_expression(text, PLACES["loop_control.when"])

    assert problems == [
        Problem(
            17,
            22,
            "AS302",
            "error",
            "unknown name `budgt`",
            "did you mean `budget`?",
            ((17, 22, "budget"),),
            "rename to `budget`",
        )
    ]
