"""A tool definition of a spec becomes what the kernel knows of it."""

import pytest

from agentspec.checker.tool_names import KINDS
from agentspec.link import kind_of


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_tool_that_a_spec_may_define_is_told(kind: str) -> None:
    assert kind_of({"description": "a tool", kind: "…"}) == kind
