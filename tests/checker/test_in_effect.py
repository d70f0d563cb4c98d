"""The one list of keys that something acts on: true to the language and to the policies."""

import re

import pytest

from agentspec.api.check import check
from agentspec.policies import discover
from agentspec.spec.describe import describe
from agentspec.spec.in_effect import IN_EFFECT, is_in_effect

LISTS = ("toolkits", "middleware", "routes", "projection", "filter")
HEADS = ("preset", "library", "scenario")


def test_every_key_of_the_list_is_one_of_the_language():
    unknown = [prefix for prefix in IN_EFFECT if prefix not in HEADS and describe(_path(prefix)) is None]

    assert unknown == []


def _path(prefix: str) -> tuple[str | int, ...]:
    return tuple(0 if step == "*" and before in LISTS else step for before, step in _pairs(prefix))


def _pairs(prefix: str) -> list[tuple[str, str]]:
    steps = re.sub(r"\b(files|git|web)\.(read|edit|compact|fetch)", r"\1,\2", prefix).split(
        "."
    )  # `files.read` is one key
    steps = [step.replace(",", ".") for step in steps]
    return list(zip(["", *steps], steps, strict=False))


def test_what_a_policy_claims_is_in_effect():
    claims = [claim for policy in discover() for claim in policy.claims]

    assert [claim for claim in claims if not is_in_effect(tuple(claim.split(".")))] == []


def test_a_part_of_a_key_can_be_in_effect_alone():
    assert is_in_effect(("execution", "limits"))
    assert is_in_effect(("execution", "limits", "tokens"))
    assert not is_in_effect(("observability", "otel"))
    assert is_in_effect(("capability", "toolkits", 0, "files.read", "root"))
    assert not is_in_effect(("capability", "toolkits", 0, "no.such"))


@pytest.mark.parametrize(
    "text",
    [
        "toolkits: {files.read: {root: .}}",
        "tools: [{name: a, description: d, expr: '1'}]",
        "mcp: [{name: gh, command: [npx]}]",
        "subagents: [b.yaml]",
    ],
)
def test_what_stands_in_a_value_of_a_wrong_type_is_not_said_to_be_accepted(tmp_path, text):
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\ncapability: {{{text}}}\n")

    assert [one.code for one in check(path).diagnostics] == ["AS201"]


def test_a_misspelt_toolkit_is_one_finding(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("name: a\ncapability: {toolkits: [files.raed]}\n")

    assert [(one.code, one.help) for one in check(path).diagnostics] == [("AS204", "did you mean `files.read`?")]
