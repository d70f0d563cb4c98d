"""What is compared is what a spec comes to: the words of its texts, the files of its skills, the agents that it calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.api.would_be import View, spec_change
from agentspec.compose.files import Files
from agentspec.compose.load import load

SKILL = "---\nname: review\ndescription: Reviews.\n---\nRead %s.\n"
FILES = {
    "agentspec.toml": "",
    "calm.md": "Be calm.\n",
    "quiet.md": "Be calm.\n",
    "loud.md": "Be loud.\n",
    "all/review/SKILL.md": SKILL % "all",
    "copy/review/SKILL.md": SKILL % "all",
    "some/review/SKILL.md": SKILL % "some",
    "helper.yaml": "name: helper\nexecution: {max_iterations: 3}\n",
    "twin.yaml": "execution: {max_iterations: 3}\nname: helper\n",
    "busy.yaml": "name: helper\nexecution: {max_iterations: 9}\n",
}
SYSTEM = "context: {system: {file: %s}}\n"
PROMPT = "context: {prompts: {nudge: {file: %s}}}\n"
SKILLS = "capability: {skills: {review: %s/review}}\n"
FOLDER = "capability: {skills: {review: {folder: %s/review, summary: Looks.}}}\n"
AGENT = "capability: {tools: {help: {description: Helps, agent: ./%s.yaml}}}\n"


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What differs between a spec with one word and with another."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def compare(text: str, before: str, after: str) -> dict:
        files = Files()
        views = []
        for name, word in (("a.yaml", before), ("b.yaml", after)):
            Path(name).write_text(f"name: a\n{text % word}")
            views.append(View(load(name, files=files), files))
        return spec_change("a", *views)

    return compare


def lines(found: dict) -> list[str]:
    return [f"{each['path']}: {each['a']!r} → {each['b']!r}" for each in found["changes"]]


CONTENTS = [
    (SYSTEM, "calm.md", "loud.md", "context.system: 'Be calm.\\n' → 'Be loud.\\n'"),
    (PROMPT, "calm.md", "loud.md", "context.prompts.nudge: 'Be calm.\\n' → 'Be loud.\\n'"),
    (SKILLS, "all", "some", f'capability.skills.review["SKILL.md"]: {SKILL % "all"!r} → {SKILL % "some"!r}'),
    (FOLDER, "all", "some", f'capability.skills.review.folder["SKILL.md"]: {SKILL % "all"!r} → {SKILL % "some"!r}'),
    (AGENT, "helper", "busy", "capability.tools.help.agent.execution.max_iterations: 3 → 9"),
]
PATHS = [
    (SYSTEM, "calm.md", "quiet.md", "context.system.file: 'calm.md' → 'quiet.md'"),
    (PROMPT, "calm.md", "quiet.md", "context.prompts.nudge.file: 'calm.md' → 'quiet.md'"),
    (SKILLS, "all", "copy", "capability.skills.review: 'all/review' → 'copy/review'"),
    (FOLDER, "all", "copy", "capability.skills.review.folder: 'all/review' → 'copy/review'"),
    (AGENT, "helper", "twin", "capability.tools.help.agent: './helper.yaml' → './twin.yaml'"),
    (SYSTEM, "calm.md", "gone.md", "context.system: 'Be calm.\\n' → None"),
]


@pytest.mark.parametrize(("text", "before", "after", "line"), [*CONTENTS, *PATHS])
def test_a_path_is_told_only_where_what_it_leads_to_is_the_same(changed, text, before, after, line) -> None:
    found = changed(text, before, after)

    assert lines(found)[0] == line
    assert len(found["changes"]) == (2 if after == "gone.md" else 1)


@pytest.mark.parametrize(("text", "before", "after", "line"), CONTENTS)
def test_the_same_words_are_no_change(changed, text, before, after, line) -> None:
    assert changed(text, before, before)["changes"] == []


def test_an_error_is_told_whatever_finds_it(changed) -> None:
    shape, rule = (
        changed("execution: %s\n", "{}", word)
        for word in ("{max_iterations: many}", "{require_successful_tools: [nope]}")
    )
    composition = changed("extends: %s\n", "audit", "audits")

    assert [each.partition(" ")[0] for found in (shape, rule, composition) for each in found["problems"]] == [
        "AS201",
        "AS601",
        "AS401",
    ]


def test_a_secret_in_a_changed_value_stays_unsaid(changed) -> None:
    found = changed("model: {provider: openai, headers: {X-Api-Key: %s}}\n", "geheim-1", "geheim-2")

    assert lines(found) == ["model.headers.X-Api-Key: '********' → '********'"]
