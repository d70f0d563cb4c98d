"""A check loads the rules that may find something, and what is left out finds nothing."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from agentspec.checker.check import agents_in, surveyed
from agentspec.checker.discover import ASKED, all_rules, rules_for
from agentspec.checker.keep import Blank, asked_by, text
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.load import load_all

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^(?:Bad|Good):\n\n```(yaml|agent)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    (code, language, written)
    for code, rule in all_rules().items()
    for language, written in EXAMPLE.findall(inspect.getdoc(rule) or "")
]
SPECS = sorted(path for path in (ROOT / "examples").glob("*/*") if path.suffix in (".yaml", ".agent"))


def subjects_of(path: Path) -> list[Subject]:
    parsed, composed = load_all(path)
    return [surveyed(each, agents_in(parsed))[0] for each in composed]


def left_out(subject: Subject) -> list[Rule]:
    loaded = {rule.code for rule in rules_for(subject)}
    return [rule() for code, rule in all_rules().items() if code not in loaded]


def codes_left_out(path: Path) -> list[str]:
    """What the rules find that a check of a file leaves out."""
    return [found.code for subject in subjects_of(path) for rule in left_out(subject) for found in rule.look(subject)]


def test_what_rules_ask_is_written_down_as_it_is():
    assert ASKED.read_text(encoding="utf-8") == text(), "run `python -m agentspec.checker.keep`"


def test_what_is_left_out_finds_nothing_in_the_examples():
    found = {str(path): codes for path in SPECS if (codes := codes_left_out(path))}

    assert found == {}


@pytest.mark.slow
@pytest.mark.parametrize("family", sorted({code[:3] for code, _, _ in PAGES}))
def test_what_is_left_out_finds_nothing_in_the_examples_of_pages(tmp_path, family):
    found = []
    for number, (code, language, written) in enumerate(PAGES):
        path = tmp_path / f"{number}.{language}"
        if code.startswith(family):
            path.write_text(written, encoding="utf-8")
            found += [(code, left) for left in codes_left_out(path)]

    assert found == []


def test_an_agent_that_says_little_is_asked_by_few_rules(tmp_path):
    path = tmp_path / "spec.yaml"
    path.write_text("name: spec\nmodel: {provider: openai, model: gpt-5.4-mini}\ncontext: {system: You add.}\n")
    [subject] = subjects_of(path)

    assert len(list(rules_for(subject))) < 60
    assert len(left_out(subject)) > 90


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("name: spec\nexecution: {max_iterations: many}\n", "an error may change what follows from it"),
        ("name: spec\ncontext: {system: *nowhere}\n", "what is not there may be what could not be read"),
        ("preset: spec\n", "a preset is no agent"),
    ],
)
def test_a_document_that_is_no_sound_agent_is_asked_by_every_rule_that_looks(tmp_path, written, why):
    path = tmp_path / "spec.yaml"
    path.write_text(written)
    looking = {code for code, rule in all_rules().items() if rule.look is not Rule.look}

    for subject in subjects_of(path):
        assert {rule.code for rule in rules_for(subject)} == looking, why


class OfTheWhole(Rule):
    """A rule that looks past what it can ask for."""

    code, title, severity = "AS999", "whole", "note"

    def look(self, subject: Subject):
        assert subject.at("capability", "tools", "add") is None
        yield from (self.finding(node.span, "here") for path, node in subject.nodes if path == ("nowhere",))


class OfAnEmptyAgent(Rule):
    """A rule that finds something in an agent that says nothing."""

    code, title, severity = "AS999", "empty", "note"

    def look(self, subject: Subject):
        if subject.at("model", "provider") is None:
            yield self.finding(Blank().root.span, "there is no provider")


class OfSomePlaces(Rule):
    """A rule that asks for a tool's key, a reference, and a key below another one that it asks for."""

    code, title, severity = "AS999", "some", "note"

    def look(self, subject: Subject):
        yield from ()
        for path in (("model", "cache", "ttl"), ("model", "cache")):
            subject.text(*path)
        list(subject.references("route"))
        subject.tools_with("run")


def test_what_a_rule_asks_for_is_what_it_reads_of_an_empty_agent():
    assert [asked_by(rule()) for rule in (OfTheWhole, OfAnEmptyAgent, OfSomePlaces)] == [
        None,
        None,
        [("model", "cache"), ("reference to", "route"), ("tool with", "run")],
    ]
