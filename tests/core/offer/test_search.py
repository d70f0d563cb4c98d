"""Which hidden tools are found, and which of them a budget lets be shown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.offer.search import Finder, Search, fitting, loaded, search_of, tokens_of
from agentspec.core.tools import ToolPlan
from agentspec.spec.effective import effective
from agentspec.spec.settings import Settings


def a_tool(name: str, description: str = "", **fields: Any) -> ToolPlan:
    return ToolPlan(
        name=name, description=description, parameters={"type": "object"}, effect="read", kind="expr", **fields
    )


MAIL = a_tool("send_mail", "Sends a message to an address", namespace="office")
READ = a_tool("read_ledger", "Reads entries of the books", namespace="books")
BOOK = a_tool("book_entry", "Writes an entry into the ledger", namespace="books")
HIDDEN = (MAIL, READ, BOOK)


def names(found: list[ToolPlan]) -> list[str]:
    return [tool.name for tool in found]


def find(query: str, namespace: str | None = None, **fields: Any) -> list[str]:
    search = Search(**{"strategy": "bm25", "name": "search_tools", "hidden": HIDDEN, **fields})
    return names(Finder(search).find(query, namespace))


@pytest.mark.parametrize(
    ("strategy", "query", "found"),
    [
        ("bm25", "write into the ledger", ["book_entry", "read_ledger"]),
        ("bm25", "send_mail", ["send_mail"]),
        ("bm25", "dance", []),
        ("regex", "^(read|send)_", ["read_ledger", "send_mail"]),
        ("regex", "ENTR(y|ies)", ["book_entry", "read_ledger"]),
        ("regex", "a(b", []),
        ("hybrid", "ledger", ["read_ledger", "book_entry"]),
    ],
)
def test_a_query_finds_the_tools_that_fit_the_best_first(strategy: str, query: str, found: list[str]) -> None:
    assert find(query, strategy=strategy) == found


def test_a_group_bounds_what_is_found() -> None:
    assert find("entry message", "books") == ["book_entry", "read_ledger"]
    assert find("entry message", "office") == ["send_mail"]


def test_a_pattern_that_backtracking_would_never_finish_is_read_at_once() -> None:
    assert find("(a+)+$", strategy="regex", hidden=(a_tool("x", "a" * 5_000 + "!"),)) == []


def test_an_expression_ranks_and_what_it_can_not_rank_is_not_found() -> None:
    assert find("entry", rank="tool.name == 'send_mail' ? 2.0 : tool.score") == [
        "send_mail",
        "book_entry",
        "read_ledger",
    ]
    assert find("entry", rank="[1.0][size(query)]") == []


def test_a_tool_that_the_budget_could_never_show_is_not_found() -> None:
    assert find("ledger", budget=tokens_of(READ)) == ["read_ledger"]


@given(st.permutations(HIDDEN), st.integers(0, 100), st.integers(1, 3))
def test_what_one_search_brings_fits_the_budget(found: list[ToolPlan], budget: int, most: int) -> None:
    kept = fitting(found, budget, most)

    assert sum(map(tokens_of, kept)) <= budget
    assert len(kept) <= most


SIZES = {name: size for size, name in enumerate("abcdefgh", 3)}


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=3)), st.integers(0, 30))
def test_what_is_shown_never_passes_the_budget_and_is_added_behind(searches: list[list[str]], budget: int) -> None:
    shown: tuple[str, ...] = ()

    for found in searches:
        before, shown = shown, loaded(shown, found, SIZES, budget)

        assert sum(SIZES[name] for name in shown) <= budget
        stayed = tuple(name for name in before if name in shown)
        assert shown[: len(stayed)] == stayed
        if sum(SIZES[name] for name in set(found)) <= budget:
            assert set(found) <= set(shown)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=3)))
def test_without_a_budget_nothing_ever_leaves(searches: list[list[str]]) -> None:
    shown: tuple[str, ...] = ()

    for found in searches:
        before, shown = shown, loaded(shown, found, SIZES, None)

        assert shown[: len(before)] == before


def asked(**values: Any) -> list[str] | None:
    tools = {"look": a_tool("look"), **{tool.name: a_tool(tool.name, is_deferred=True) for tool in HIDDEN}}
    search = search_of(Settings(effective({"name": "s", **values})), tools)
    return None if search is None else [tool.name for tool in search.hidden]


def test_only_deferred_tools_are_hidden_and_none_that_the_run_waits_for() -> None:
    on = {"capability": {"tool_search": "bm25"}}
    kept = {"capability": {"tool_search": {"strategy": "bm25", "always_loaded": ["send_mail"]}}}

    assert asked(**on) == ["send_mail", "read_ledger", "book_entry"]
    assert asked(**kept) == ["read_ledger", "book_entry"]
    assert asked(**on, execution={"require_successful_tools": [["read_ledger", "look"]]}) == ["send_mail", "book_entry"]
    assert asked(**on, model={"tool_choice": {"tool": "send_mail"}}) == ["read_ledger", "book_entry"]
    assert asked(**on, execution={"post_turn": [{"when": "true", "claim_tool": "book_entry"}]}) == [
        "send_mail",
        "read_ledger",
    ]


def test_where_nothing_searches_nothing_is_hidden() -> None:
    assert asked() is None
    assert asked(capability={"tool_search": "off"}) is None
