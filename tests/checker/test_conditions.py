"""What can be told about conditions from their text."""

import pytest

from agentspec.checker.questions.conditions import conjuncts, implies, is_constant


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", {"a"}),
        (" a  &&  b ", {"a", "b"}),
        ("a && (b && c)", {"a", "(b&&c)"}),
        ("a || b && c", {"a||b&&c"}),
        ("a ? b : c && d", {"a?b:c&&d"}),
        ("x == '&&' && y in [1, 2]", {"x=='&&'", "y in[1,2]"}),
        ('s == "a  b"', {'s=="a  b"'}),
    ],
)
def test_a_condition_is_cut_at_its_top_level_ands(text, parts):
    assert conjuncts(text) == parts


@pytest.mark.parametrize(
    ("strong", "weak"),
    [("a", "a"), ("a && b", "b"), ("x > 5", "x > 3"), ("x >= 4", "x > 3"), ("x == 4", "x >= 4"), ("x < 2", "x <= 2")],
)
def test_a_stronger_condition_implies_a_weaker_one(strong, weak):
    assert implies(strong, weak)


@pytest.mark.parametrize(
    ("strong", "weak"),
    [("a", "b"), ("a", "a && b"), ("x > 3", "x > 5"), ("x >= 3", "x > 3"), ("x > 5", "y > 3"), ("a || b", "a")],
)
def test_nothing_is_claimed_that_does_not_follow(strong, weak):
    assert not implies(strong, weak)


def test_only_literals_are_constants():
    assert [is_constant(text) for text in ("true", " false ", "done", "1 == 1")] == [True, False, None, None]
