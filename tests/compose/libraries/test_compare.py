"""Changes of a library, over sixty, are told apart: nothing of note, another meaning, one that may break, new power."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.compose.files import Files
from agentspec.compose.libraries.compare import LibraryChange, Side, library_change
from agentspec.compose.libraries.opened import libraries_of
from agentspec.compose.libraries.verify import content_of

LIBRARY = {
    "library.yaml": """\
library: platform
version: 1.4.0
exports: {presets: [safe, loud], prompts: [calm], skills: [review]}
requires: {authority: {effects: [read]}}
ceiling:
  effects: [none, read, write, network]
  limits: {tokens: 200000}
""",
    "presets/safe.yaml": """\
preset: safe
extends: base
inputs:
  folder: {type: string, default: docs}
  depth: {type: integer, default: 2}
model: {provider: openai, model: gpt-5.4-mini, temperature: 0.5}
execution:
  max_iterations: 8
  max_nudges: 2
  limits: {tokens: 100000}
capability:
  toolkits:
    - files.read: {root: "${inputs.folder}"}
    - web.fetch: {hosts: [docs.example.org, api.example.org]}
  approval:
    rules:
      - {effect: write, decision: ask, reason: a person decides}
context:
  system: {file: prompts/calm.md}
""",
    "presets/base.yaml": "preset: base\nexecution: {tool_retries: 1}\n",
    "presets/loud.yaml": "preset: loud\nexecution: {max_nudges: 5}\n",
    "prompts/calm.md": "Stay calm.\n",
    "skills/review/SKILL.md": "---\nname: review\ndescription: Reviews.\n---\nRead everything.\n",
    "README.md": "About\n",
}
SAFE, BASE, MANIFEST = "presets/safe.yaml", "presets/base.yaml", "library.yaml"
TOOL = "  tools:\n    one: {description: One, expr: '1', returns: number}\n  toolkits:\n"
RUN = "  tools:\n    lint: {description: Lints, run: [ruff, check], effect: read}\n  toolkits:\n"

# Each: the file, what stands there, what stands there then; an empty text is the whole file, None takes it away.
CHANGES: dict[str, dict[str, tuple[str, str, str | None]]] = {
    "patch": {
        "a comment": (SAFE, "preset: safe\n", "# house\npreset: safe\n"),
        "a description": (SAFE, "preset: safe\n", "preset: safe\ndescription: The safe one\n"),
        "the order of sections": (
            BASE,
            "preset: base\nexecution: {tool_retries: 1}",
            "execution: {tool_retries: 1}\npreset: base",
        ),
        "another spelling of a number": (SAFE, "temperature: 0.5", "temperature: 5.0e-1"),
        "a whole number with a point": (SAFE, "max_nudges: 2", "max_nudges: 2.0"),
        "the order of keys": (SAFE, "max_iterations: 8\n  max_nudges: 2", "max_nudges: 2\n  max_iterations: 8"),
        "quotes": (SAFE, "provider: openai", 'provider: "openai"'),
        "a block for a flow": (BASE, "execution: {tool_retries: 1}", "execution:\n  tool_retries: 1"),
        "a list for one": (SAFE, "extends: base", "extends: [base]"),
        "a page about it": ("README.md", "", "More\n"),
        "a new page": ("CHANGES.md", "", "1.4.1\n"),
        "what the library is for": (MANIFEST, "version: 1.4.0\n", "version: 1.4.1\ndescription: For all\n"),
        "a preset of its own": ("presets/more.yaml", "", "preset: more\n"),
        "the end of lines": ("presets/loud.yaml", "", "preset: loud\r\nexecution: {max_nudges: 5}\r\n"),
        "the order of exports": (MANIFEST, "[safe, loud]", "[loud, safe]"),
    },
    "minor": {
        "a new export": (MANIFEST, "[safe, loud]", "[safe, loud, base]"),
        "another number of nudges": (SAFE, "max_nudges: 2", "max_nudges: 3"),
        "another temperature": (SAFE, "temperature: 0.5", "temperature: 0.2"),
        "another wording": ("prompts/calm.md", "", "Stay very calm.\n"),
        "another skill": ("skills/review/SKILL.md", "Read everything.", "Read it twice."),
        "a file of a skill": ("skills/review/forms.md", "", "Forms\n"),
        "a new optional input": (SAFE, "  depth:", "  width: integer?\n  depth:"),
        "another default": (SAFE, "default: 2", "default: 3"),
        "what it builds on": (BASE, "tool_retries: 1", "tool_retries: 2"),
        "fewer turns": (SAFE, "max_iterations: 8", "max_iterations: 6"),
        "fewer tokens": (SAFE, "{tokens: 100000}", "{tokens: 50000}"),
        "fewer hosts": (SAFE, "[docs.example.org, api.example.org]", "[docs.example.org]"),
        "another key": (SAFE, "  max_nudges: 2", "  max_nudges: 2\n  wrap_up: false"),
        "another preset": ("presets/loud.yaml", "max_nudges: 5", "max_nudges: 6"),
        "a language that is needed": (MANIFEST, "requires: {", 'requires: {agentspec: ">=0.1", '),
    },
    "major": {
        "an export is gone": (MANIFEST, "[safe, loud]", "[safe]"),
        "a text is gone": (MANIFEST, "prompts: [calm], ", ""),
        "a skill is gone": (MANIFEST, ", skills: [review]", ""),
        "an input is gone": (SAFE, "  depth: {type: integer, default: 2}\n", ""),
        "an input of another name": (SAFE, "  depth:", "  deep:"),
        "an input of another type": (SAFE, "{type: integer, default: 2}", "{type: string, default: two}"),
        "an input that is needed": (SAFE, "{type: integer, default: 2}", "integer"),
        "a new input that is needed": (SAFE, "  depth:", "  who: string\n  depth:"),
        "a choice of fewer": (SAFE, "{type: string, default: docs}", "{enum: [docs, src], default: docs}"),
        "a value that is final": (SAFE, "max_nudges: 2", "max_nudges: !final 2"),
        "a lower ceiling of tokens": (MANIFEST, "{tokens: 200000}", "{tokens: 100000}"),
        "a lower ceiling of effects": (MANIFEST, "[none, read, write, network]", "[none, read, network]"),
        "a new ceiling": (MANIFEST, "  limits:", "  hosts: ['*']\n  limits:"),
        "a stricter rule": (SAFE, "decision: ask", "decision: deny"),
        "a toolkit is gone": (SAFE, '    - files.read: {root: "${inputs.folder}"}\n', ""),
    },
    "power": {
        "a tool": (SAFE, "  toolkits:\n", TOOL),
        "a program": (SAFE, "  toolkits:\n", RUN),
        "a toolkit that writes": (SAFE, "    - web.fetch", "    - files.edit: {root: docs}\n    - web.fetch"),
        "another host": (SAFE, ", api.example.org]", ", api.example.org, example.com]"),
        "any host": (SAFE, "[docs.example.org, api.example.org]", '["*"]'),
        "another folder": (SAFE, 'files.read: {root: "${inputs.folder}"}', "files.read: {root: src}"),
        "more turns": (SAFE, "max_iterations: 8", "max_iterations: 12"),
        "more tokens": (SAFE, "{tokens: 100000}", "{tokens: 150000}"),
        "no bound of tokens": (SAFE, "  limits: {tokens: 100000}\n", "  wrap_up: false\n"),
        "another provider": (SAFE, "provider: openai", "provider: anthropic"),
        "another model": (SAFE, "model: gpt-5.4-mini", "model: gpt-5.4"),
        "a laxer rule": (SAFE, "decision: ask", "decision: allow"),
        "a secret": (SAFE, "{provider: openai,", "{provider: openai, api_key_env: HOUSE_KEY,"),
        "a wider ceiling": (MANIFEST, "[none, read, write, network]", "[none, read, write, network, process]"),
        "private networks": (SAFE, "{hosts: [docs", "{private: true, hosts: [docs"),
        "headers of its own": (SAFE, "{provider: openai,", "{provider: openai, headers: {X-Team: all},"),
        "options of the provider": (SAFE, "{provider: openai,", "{provider: openai, options: {store: true},"),
        "a place of records": (SAFE, "preset: safe\n", "preset: safe\nobservability: {transcript_dir: out}\n"),
        "other rights that it needs": (MANIFEST, "{effects: [read]}", "{effects: [read, network]}"),
    },
}
ORDERS = "capability: {resources: {orders: {url: 'sqlite:///a.db', table: t, verbs: [get]%s}}}"
ROWS = [(weight, *change) for weight, rows in CHANGES.items() for change in rows.values()]


def side(folder: Path, files: dict[str, str | None]) -> Side:
    for name, text in files.items():
        if text is not None:
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())
    read = Files()
    library = libraries_of(read).around(str(folder))
    assert library is not None
    return Side(library, read, content_of(library).files)


def changed(folder: Path, name: str, old: str, new: str | None) -> LibraryChange:
    before = LIBRARY.get(name, "")
    assert old in before
    after = new if not old or new is None else before.replace(old, new, 1)
    return library_change(side(folder / "a", dict(LIBRARY)), side(folder / "b", {**LIBRARY, name: after}))


@pytest.mark.parametrize(
    ("weight", "name", "old", "new"), ROWS, ids=[each for rows in CHANGES.values() for each in rows]
)
def test_a_change_is_told_for_what_it_is(tmp_path, weight, name, old, new) -> None:
    found = changed(tmp_path, name, old, new)

    assert found.weight == weight, found.reasons


def test_there_are_more_than_sixty_of_them() -> None:
    assert [len(rows) for rows in CHANGES.values()] == [15, 15, 15, 19]


def test_the_same_bytes_are_no_change(tmp_path) -> None:
    found = library_change(side(tmp_path / "a", dict(LIBRARY)), side(tmp_path / "b", dict(LIBRARY)))

    assert found == LibraryChange("none", ())


def test_what_is_known_of_models_is_a_meaning_of_its_own(tmp_path) -> None:
    models = "models: {openai: {our-own: {context_window: 32000}}}\nceiling:"

    found = changed(tmp_path, MANIFEST, "ceiling:", models)

    assert [(each.weight, each.export, each.words) for each in found.reasons] == [("minor", "models.known", "is new")]


CALLS = "  tools:\n    help: {description: Helps, agent: ../agents/helper.yaml}\n  toolkits:\n"
HELPER = "name: helper\ncapability: {toolkits: [files.read: {root: docs}]}\n"


@pytest.mark.parametrize(
    ("weight", "old", "new", "words"),
    [
        ("patch", "name: helper\n", "# helps\nname: helper\n", None),
        ("minor", "name: helper\n", "name: helper\ntask: Help.\n", "says something else"),
        ("major", "capability: {toolkits: [files.read: {root: docs}]}\n", "", "less tools: help"),
        ("power", "}]", "}, files.edit: {root: docs}]", "more tools: help/write_file"),
    ],
)
def test_a_change_of_an_agent_that_is_called_is_told_for_what_it_is(tmp_path, weight, old, new, words) -> None:
    safe = LIBRARY[SAFE].replace("  toolkits:\n", CALLS)
    files = {**LIBRARY, SAFE: safe, "agents/helper.yaml": HELPER}
    after = {**files, "agents/helper.yaml": HELPER.replace(old, new)}

    found = library_change(side(tmp_path / "a", files), side(tmp_path / "b", after))

    assert found.weight == weight, found.reasons
    assert words is None or ("presets.safe", words) in [(each.export, each.words) for each in found.reasons]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            "execution: {max_nudges: !final 2}",
            "execution: {max_nudges: 2}",
            "`execution.max_nudges` is not final any more",
        ),
        ("execution: {max_nudges: !final 2}", "task: Go.", "`execution.max_nudges` is not final any more"),
        (ORDERS % ", where: row.a == 1", ORDERS % "", "more reach: resources.orders.where row.a == 1 → none"),
        (ORDERS % "", ORDERS % ", columns: {write: [a]}", 'more reach: resources.orders.columns.write none → ["a"]'),
    ],
)
def test_what_holds_no_longer_is_new_power(tmp_path, before: str, after: str, words: str) -> None:
    versions = [{**LIBRARY, "presets/loud.yaml": f"preset: loud\n{text}\n"} for text in (before, after)]

    found = library_change(*(side(tmp_path / name, files) for name, files in zip("ab", versions, strict=True)))

    assert (found.weight, [reason.words for reason in found.reasons]) == ("power", [words])
