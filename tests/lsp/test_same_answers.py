"""An answer depends on the texts alone: not on what was typed on the way to them, nor on what was asked before."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from agentspec.lsp.answers import Answers
from agentspec.lsp.desk import Desk
from agentspec.lsp.positions import Positions
from agentspec.lsp.wire import Wire
from agentspec.text.source import Source

SPEC = """\
name: triage
extends: ./base.yaml
inputs: {service: string}
task: Triage ${inputs.service}.
model: {provider: script, options: {turns: [{text: a}]}}
execution: {require_successful_tools: [service_status]}
capability:
  tools:
    service_status: {description: Tells., parameters: {word: string}, run: [echo, "${args.word}"]}
    second: {description: Asks., agent: helper.agent}
"""
SCENARIO = """\
scenario: it triages
for: triage.yaml
inputs: {service: web}
model:
  - tool_calls: [{name: service_status, arguments: {word: a}}, {name: echo, arguments: {word: b}}]
  - text: Done.
tool_results: [{name: service_status, text: "7"}, {name: second, text: b}]
expect: {tools:  {calls: [service_status]}}
"""
TEXTS = {
    "triage.yaml": SPEC,
    "triage.scenario.yaml": SCENARIO,
    "base.yaml": "preset: base\ncapability: {tools: {echo: {description: E., parameters: {word: string}, run: [echo]}}}\n",
    "helper.agent": 'agent helper {\n  extends: "./base.yaml"\n  inputs { topic: string = "sums" }\n  execution { max_nudgs: 3 }\n  task: "Go on ${inputs.topic}."\n}\n',
}
PLACES = {
    "triage.yaml": ["triage\n", "base.yaml", "service: string", "service_status]", "service_status: {", "helper.agent"],
    "triage.scenario.yaml": ["service: web", "service_status, arg", "echo, arg", "triage.yaml"],
    "base.yaml": ["base\n", "echo: {"],
    "helper.agent": ["helper {", "topic: string", "topic}"],
}
TYPED = {
    "triage.yaml": [("[service_status]", "["), ("service_status: {", "svc: {"), ("./base.yaml", "./bse.yaml"), ("task", "tsk")],
    "triage.scenario.yaml": [("calls: [service_status]", "calls: ["), ("for: triage.yaml", "for: tri"), ("model:\n", "")],
    "base.yaml": [("echo: {", "echo2: {"), ("preset: base", "preset:"), ("preset: base", "preset: other")],
    "helper.agent": [("helper {", "helper"), ("topic: string", "about: string"), ("agent helper", "preset helper")],
}  # fmt: skip
"""What a text looks like while somebody types, by what it replaces."""


class Editor:
    """The answers to whoever has all the texts open."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.desk = folder, Desk()
        self.desk.folders = frozenset([str(folder)])
        self.answers = Answers(self.desk, Wire(Positions(), {}.get))
        for name, text in TEXTS.items():
            self.put(name, text)

    def put(self, name: str, text: str) -> None:
        self.desk.put(str(self.folder / name), text)

    def ask(self, question: str, name: str, place: str) -> Any:
        """The answer, or the reason why there is none."""
        path = str(self.folder / name)
        source = Source(path, self.desk.texts[path])
        at = Positions().position(source, max(0, source.text.find(place)) + 1)
        try:
            return QUESTIONS[question](self.answers, path, at)
        except JsonRpcException as refusal:
            return str(refusal)


def actions(answers: Answers, path: str, _: types.Position) -> list[types.CodeAction]:
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    document = types.TextDocumentIdentifier(path)
    return answers.code_actions(path, types.CodeActionParams(document, whole, types.CodeActionContext([])))


QUESTIONS: dict[str, Callable[[Answers, str, types.Position], Any]] = {
    "findings": lambda answers, path, _: answers.findings(path),
    "completion": Answers.completion,
    "hover": Answers.hover,
    "definition": Answers.definition,
    "references": lambda answers, path, at: answers.references(path, at, with_declaration=True),
    "prepare rename": Answers.prepare_rename,
    "rename": lambda answers, path, at: answers.rename(path, at, "zebra"),
    "rename to what is taken": lambda answers, path, at: answers.rename(path, at, "echo"),
    "formatting": lambda answers, path, _: answers.formatting(path),
    "actions": actions,
    "symbols": lambda answers, path, _: answers.symbols(path),
}
OF_A_FILE = ("findings", "formatting", "actions", "symbols")
ALL = [
    (question, name, place)
    for question in QUESTIONS
    for name, places in PLACES.items()
    for place in (places[:1] if question in OF_A_FILE else places)
]
Asking = tuple[str, str, str]
"""A question, a file, and the place in it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("order")
    for name, text in TEXTS.items():
        (place / name).write_text(text)
    with contextlib.chdir(place):  # as an editor starts the server
        yield place


@pytest.fixture(scope="module")
def fresh(folder: Path) -> Callable[[Asking], Any]:
    """What a question is answered by who has been asked nothing before."""
    return cache(lambda asking: Editor(folder).ask(*asking))


def test_the_questions_have_answers(fresh: Callable[[Asking], Any]) -> None:
    changes = fresh(("rename", "triage.yaml", "service_status: {")).changes
    silent = [question for question in QUESTIONS if not any(fresh((question, name, PLACES[name][0])) for name in TEXTS)]

    assert {Path(uri).name: len(edits) for uri, edits in changes.items()} == {
        "triage.yaml": 2,
        "triage.scenario.yaml": 3,
    }
    assert silent == []


@pytest.mark.parametrize("between", QUESTIONS)
def test_a_question_between_two_others_changes_no_answer(
    folder: Path, fresh: Callable[[Asking], Any], between: str
) -> None:
    tool, given = ("triage.yaml", "service_status: {"), ("triage.yaml", "service: string")
    editor = Editor(folder)

    editor.ask("prepare rename", *tool)
    editor.ask(between, "triage.yaml", "triage\n")

    for asking in (("rename", *tool), ("references", *given)):
        assert editor.ask(*asking) == fresh(asking)


@pytest.mark.parametrize("before", [question for question in QUESTIONS if question != "findings"])
@pytest.mark.parametrize(("name", "other"), [("triage.yaml", "base.yaml"), ("triage.scenario.yaml", "triage.yaml")])
def test_findings_follow_a_change_beside_them_that_a_question_has_seen_before(
    folder: Path, fresh: Callable[[Asking], Any], name: str, other: str, before: str
) -> None:
    editor, findings = Editor(folder), ("findings", name, PLACES[name][0])
    editor.put(other, "")

    for place in PLACES[name]:
        editor.ask(before, name, place)
    broken = editor.ask(*findings)
    editor.put(other, TEXTS[other])

    assert broken != fresh(findings) == editor.ask(*findings)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_every_answer_is_that_of_a_fresh_server(folder: Path, fresh: Callable[[Asking], Any], seed: int) -> None:
    chance, editor = random.Random(seed), Editor(folder)

    for name in chance.choices([*TEXTS], k=4):
        old, new = chance.choice(TYPED[name])
        for text in (TEXTS[name].replace(old, new, 1), TEXTS[name])[: chance.choice([1, 2, 2])]:
            editor.put(name, text)
            for asking in chance.sample(ALL, 3):
                editor.ask(*asking)
    for name, text in TEXTS.items():
        editor.put(name, text)

    for asking in chance.sample(ALL, 12):
        assert editor.ask(*asking) == fresh(asking)
