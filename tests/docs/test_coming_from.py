"""What the page for people from other systems says of the keys here is true, and `check` says the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from agentspec.cli.commands import COMMANDS
from agentspec.spec.schema import form, root, value_of
from agentspec.spec.structure.foreign_keys import foreign_keys

PAGE = Path(__file__).parents[2] / "docs/guide/coming-from.md"
KEY = re.compile(
    r"`((?:model|execution|capability|lifecycle|context|observability)\.[\w.*\[\]]+|inputs|extends|description)`"
)
# In these systems the word means something else than `check` takes it for, or agents, which are called as tools here.
OTHERWISE = {
    *("approve", "guardrail", "retries", "tools"),
    *("agents", "allow_delegation", "handoffs", "managed_agents"),
}
COMMAND = re.compile(r"`agentspec (\w+)`")
NAME = re.compile(r"`(\w+)`")


def rows() -> Iterator[tuple[str, str, str]]:
    """The system, what it says, and what is said here."""
    system = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            system = line[3:]
        elif line.startswith("| ") and "---" not in line and line != "| there | here |":
            _, there, here, _ = (cell.strip() for cell in line.split("|"))
            yield system, there, here


def is_known(key: str) -> bool:
    node = root("agent")
    for step in key.replace("[]", ".[]").split("."):
        found = form(node)
        inner = found.sequence if step == "[]" else found.mapping
        below = inner.get("items") if inner is not None and step == "[]" else None
        if step != "[]" and inner is not None:
            below = value_of(inner, "any" if step == "*" else step)
        if below is None:
            return False
        node = below
    return True


def test_every_key_of_the_page_is_one_of_the_language():
    for system, there, here in rows():
        keys, commands = KEY.findall(here), COMMAND.findall(here)

        assert keys or commands or "always so" in here, (system, there)
        assert [key for key in keys if not is_known(key)] == []
        assert set(commands) <= set(COMMANDS)


def test_the_systems_of_the_page_are_those_that_it_should_have():
    assert {system for system, _, _ in rows()} == {
        *("Harn", "Harper", "modelpact-agent", "LangGraph and LangChain", "CrewAI", "AutoGen"),
        *("OpenAI Agents SDK", "pydantic-ai", "Claude Agent SDK", "smolagents"),
    }


def is_near(key: str, place: str) -> bool:
    """Whether one is the other, or stands within it."""
    return key == place or key.startswith((f"{place}.", f"{place}[")) or place.startswith((f"{key}.", f"{key}["))


def test_a_key_that_check_knows_is_called_the_same_on_the_page():
    meant = foreign_keys()
    found = [(name, KEY.findall(here)) for _, there, here in rows() for name in NAME.findall(there) if name in meant]

    other = {name for name, keys in found if not any(is_near(key, at) for key in keys for at in meant[name])}

    assert len(found) > 60
    assert other == OTHERWISE
