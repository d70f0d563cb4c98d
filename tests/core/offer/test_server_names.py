"""A tool of a server has a name that every provider takes, and that no other tool has."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from agentspec.core.offer.server_names import is_chosen, offered_name

SERVERS = st.text("abc_-", min_size=1, max_size=40)
TOOLS = st.text(min_size=1, max_size=80)


def test_a_plain_name_is_the_server_and_the_tool():
    assert offered_name("tickets", "create_issue") == "tickets__create_issue"


def test_a_long_name_is_cut_and_carries_a_hash_of_the_whole():
    first, second = offered_name("s", "x" * 70 + "_create"), offered_name("s", "x" * 70 + "_delete")

    assert len(first) == len(second) == 64
    assert first[:55] == second[:55]
    assert first != second


@given(st.lists(st.tuples(SERVERS, TOOLS), unique=True, max_size=20))
@example([("a", "b__c"), ("a__b", "c")])
@example([("a", "b c"), ("a", "b.c"), ("a", "b_c")])
def test_no_two_tools_get_one_name_and_each_name_fits(pairs):
    taken: set[str] = set()

    for server, tool in pairs:
        name = offered_name(server, tool, taken)
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name)
        assert name not in taken
        taken.add(name)


def test_deny_wins_over_allow_and_patterns_are_those_of_the_server():
    chosen = [tool for tool in ("get_a", "get_b", "Get_c", "put_a") if is_chosen(tool, ("get_*",), ("*_b",))]

    assert chosen == ["get_a"]
