"""The facts of a run are what expressions see: the same groups, the same names."""

import pytest

from agentspec.core.facts import Facts
from agentspec.expressions.groups import GROUPS, facts_groups

GROUPS_OF_FACTS = sorted(facts_groups())


@pytest.mark.parametrize("group", GROUPS_OF_FACTS)
def test_a_group_of_facts_has_the_names_that_expressions_know(group: str) -> None:
    fields = getattr(Facts(), group).__struct_fields__

    assert set(fields) == set(GROUPS[group])
