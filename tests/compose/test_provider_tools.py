"""Tools that a provider runs itself: whose they are, under which name, and which hosts they reach."""

import pytest

from agentspec.compose.provider_tools import ProviderTool, obstacle, provider_tools, withheld


@pytest.mark.parametrize(
    ("item", "name", "effect", "hosts"),
    [
        ("web_search", "web_search", "network", ["*"]),
        ("web_search_20260318", "web_search", "network", ["*"]),
        ("web_search_2025_08_26", "web_search", "network", ["*"]),
        ("code_execution_20250825", "code_execution", "process", []),
        ("file_search", "file_search", "read", []),
        ("new_thing", "new_thing", "network", ["*"]),
        ({"type": "web_fetch", "options": {"allowed_domains": ["a.example/docs"]}}, "web_fetch", "network",
         ["a.example", "*.a.example"]),
        ({"type": "web_search", "options": {"filters": {"allowed_domains": ["a.example"]}}}, "web_search", "network",
         ["a.example", "*.a.example"]),
        ({"type": "web_search", "options": {"allowed_domains": []}}, "web_search", "network", ["*"]),
        ({"type": "mcp", "options": {"server_url": "https://m.example/x"}}, "mcp", "network", ["m.example:443"]),
        ({"type": "mcp", "options": {"connector_id": "connector_gmail"}}, "mcp", "network", ["*"]),
    ],
)  # fmt: skip
def test_a_tool_has_a_name_without_a_date_an_effect_and_the_hosts_that_it_is_held_to(item, name, effect, hosts):
    (tool,) = provider_tools([item])

    assert (tool.name, tool.effect, tool.hosts) == (name, effect, hosts)


def test_with_several_routes_one_that_runs_the_tool_is_enough_and_only_it_is_offered_it():
    web, google = ProviderTool("web_search", {}), ProviderTool("google_search", {})
    assert [obstacle(tool, ["google", "anthropic"]) for tool in (web, google)] == [None, None]
    assert [(tool.is_run_by("google"), tool.is_run_by("anthropic")) for tool in (web, google)] == [
        (False, True),
        (True, False),
    ]
    assert obstacle(google, ["anthropic"]) is not None


@pytest.mark.parametrize("item", [None, 7, {}, {"type": 7}, ["web_search"]])
def test_what_is_no_tool_is_left_out(item):
    assert list(provider_tools([item])) == []


@pytest.mark.parametrize(
    "capability",
    [
        {"ceiling": {"tools": 7, "effects": 0.5, "hosts": True}},
        {"middleware": {"dry_run": {}}},
        {"read_only_stance": {"hide": 7}},
        {"ceiling": [7], "read_only_stance": 7, "approval": 7},
    ],
)
def test_what_is_no_list_withholds_nothing(capability):
    assert withheld(ProviderTool("web_search", {}), capability) is None
