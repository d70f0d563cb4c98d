"""The facts of a run are what expressions see: the same groups, the same names."""

import pytest

from agentspec.core.facts import Facts
from agentspec.core.record import Record
from agentspec.expressions.groups import GROUPS

GROUPS_OF_FACTS = [
    name for name, value in ((n, getattr(Facts(), n)) for n in Facts.__struct_fields__) if isinstance(value, Record)
]


@pytest.mark.parametrize("group", GROUPS_OF_FACTS)
def test_a_group_of_facts_has_the_names_that_expressions_know(group: str) -> None:
    fields = getattr(Facts(), group).__struct_fields__

    assert set(fields) == set(GROUPS[group])
