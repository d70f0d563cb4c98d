"""What could be written at the cursor, in both spellings, however little is typed."""

from __future__ import annotations

import pytest

from agentspec.lsp.desk import Desk
from tests.lsp.texts import CURSOR, Texts

SPEC = """\
name: a
inputs: {who: string}
capability:
  toolkits: [files.read]
  tools:
    calc: {description: d, parameters: {lhs: number}, returns: number, expr: args.lhs}
"""


@pytest.mark.parametrize(
    ("before", "label", "after"),
    [
        ("name: a\nexecution:\n  max_i‸\n", "max_iterations", "name: a\nexecution:\n  max_iterations: ‸\n"),
        ("name: a\nexecution:\n  ‸\n", "max_nudges", "name: a\nexecution:\n  max_nudges: ‸\n"),
        ("name: a\nexec‸\n", "execution", "name: a\nexecution:\n  ‸\n"),
        ("name: a\nexecution:\n  max‸: 3\n", "max_iterations", "name: a\nexecution:\n  max_iterations‸: 3\n"),
        ("name: a\nexecution: {‸}\n", "max_nudges", "name: a\nexecution: {max_nudges: ‸}\n"),
        (
            "name: a\nexecution:\n  loop_control:\n    - w‸\n",
            "when",
            "name: a\nexecution:\n  loop_control:\n    - when: ‸\n",
        ),
        ("name: a\ncapability:\n  toolkits:\n    ‸\n", "git", "name: a\ncapability:\n  toolkits:\n    - git‸\n"),
        (
            "name: a\ncapability:\n  toolkits:\n    - files.r‸\n",
            "files.read",
            "name: a\ncapability:\n  toolkits:\n    - files.read‸\n",
        ),
        (
            "name: a\ncapability:\n  toolkits: [files.‸read]\n",
            "files.edit",
            "name: a\ncapability:\n  toolkits: [files.edit‸]\n",
        ),
        ('name: a\nmodel: {tool_format: "‸"}\n', "native", 'name: a\nmodel: {tool_format: "native‸"}\n'),
    ],
)
def test_an_offer_of_yaml_is_written_whole(tmp_path, before: str, label: str, after: str) -> None:
    assert Texts(tmp_path, a_yaml=before).taken(label) == after


@pytest.mark.parametrize(
    ("before", "label", "after"),
    [
        ("agent a {\n  exec‸\n}\n", "execution", "agent a {\n  execution {\n    ‸\n  }\n}\n"),
        ("agent a { execution { max_i‸ } }", "max_iterations", "agent a { execution { max_iterations: ‸ } }"),
        ("agent a { execution { require‸ } }", "require_successful_tools", "agent a { execution { require_successful_tools: [‸] } }"),
        ("agent a {\n  execution {\n    loop‸\n  }\n}\n", "loop_control", "agent a {\n  execution {\n    loop_control {\n      when ‸\n    }\n  }\n}\n"),
        ("agent a { capability {\n  toolkit git\n  too‸\n} }", "toolkit", "agent a { capability {\n  toolkit git\n  toolkit ‸\n} }"),
        ("agent a { capability { toolkit fi‸ } }", "files.read", "agent a { capability { toolkit files.read‸ } }"),
        ("agent a { execution { loop_control { when x => ex‸ } } }", "extend", "agent a { execution { loop_control { when x => extend ‸ } } }"),
        ("agent a { execution { loop_control { ‸ } } }", "when", "agent a { execution { loop_control { when ‸ } } }"),
        ("agent a { execution { unset max_n‸ } }", "max_nudges", "agent a { execution { unset max_nudges‸ } }"),
        ("‸", "agent", "agent ‸ {\n}\n"),
        ("agent a {}\n\npre‸", "preset", "agent a {}\n\npreset ‸ {\n}\n"),
        ("agent a extends au‸ {\n}\n", "audit", "agent a extends audit‸ {\n}\n"),
        ("agent a extends au‸", "audit", "agent a extends audit‸"),
        ("agent a { model { provider: ‸", "ollama", "agent a { model { provider: ollama‸"),
        ("agent a { capability { tool t(x: nu‸) = args.x } }", "number", "agent a { capability { tool t(x: number‸) = args.x } }"),
    ],
)  # fmt: skip
def test_an_offer_of_the_dsl_is_written_whole(tmp_path, before: str, label: str, after: str) -> None:
    assert Texts(tmp_path, a_agent=before).taken(label) == after


@pytest.mark.parametrize(
    ("name", "before", "label", "after"),
    [
        ("a_json", '{"model": {"provider": ‸}}', "ollama", '{"model": {"provider": "ollama"‸}}'),
        ("a_json", '{"execution": {"loop_until_done": ‸}}', "true", '{"execution": {"loop_until_done": true‸}}'),
        ("a_agent", "agent a extends ‸ {}", "./house.yaml", 'agent a extends "./house.yaml"‸ {}'),
        ("a_agent", 'agent a { extends: ["‸"] }', "./house.yaml", 'agent a { extends: ["./house.yaml‸"] }'),
        ("a_yaml", "name: a\nextends: ‸\n", "./house.yaml", "name: a\nextends: ./house.yaml‸\n"),
    ],
)
def test_a_value_is_quoted_where_it_has_to_be(tmp_path, name: str, before: str, label: str, after: str) -> None:
    (tmp_path / "house.yaml").write_text("preset: house\n")

    assert Texts(tmp_path, **{name: before}).taken(label) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"name": "a", "execution": {"max_n‸"}}', '{"name": "a", "execution": {"max_nudges‸"}}'),
        ('{"name": "a", "execution": {‸}}', '{"name": "a", "execution": {"max_nudges": ‸}}'),
    ],
)
def test_a_key_of_json_is_quoted(tmp_path, before: str, after: str) -> None:
    assert Texts(tmp_path, a_json=before).taken("max_nudges") == after


@pytest.mark.parametrize(
    ("more", "beginning", "labels"),
    [
        ("execution:\n  require_successful_tools: [ca‸]\n", "ca", ["calc"]),
        ("execution:\n  require_successful_tools: [read‸\n", "read_", ["read_file", "read_file_tail", "read_output"]),
        ("model: {provider: o‸}\n", "o", ["openai", "openai_responses", "ollama"]),
        ("model: {ladder: ‸}\n", "", ["small", "mid", "frontier"]),
        ("model: {provider: ollama, fallback: [‸], routes: [{label: cheap, model: m}]}\n", "", ["cheap"]),
        ("execution: {loop_until_done: ‸}\n", "", ["true", "false"]),
        ("execution: {tool_timeout: ‸}\n", "", ["120s"]),
        ("execution:\n  loop_control:\n    - when: comp‸\n", "comp", ["completion"]),
        ("execution:\n  loop_control:\n    - when: turn.tool_n‸ > 1\n", "tool_n", ["tool_names"]),
        ("execution:\n  loop_control:\n    - when: '!completion.v‸'\n", "ve", ["vetoed", "verdict"]),
        ("execution:\n  loop_control:\n    - when: 'budget.mode == \"‸\"'\n", "", ["fixed", "adaptive"]),
        ("execution:\n  loop_control:\n    - when: progress.repeated_tool == 'ca‸'\n", "ca", ["calc"]),
        ("execution:\n  loop_control:\n    - when: text.up‸\n", "up", ["upper"]),
        ("execution:\n  post_turn:\n    - when: tool_results[0].st‸\n", "st", ["status"]),
        ("execution:\n  post_turn:\n    - when: tool_results.exists(r, r.na‸)\n", "na", ["name"]),
        ("context: {system: 'Hi ${inp‸'}\n", "inp", ["inputs"]),
        ("context: {system: 'Hi ${inputs.‸}'}\n", "", ["who"]),
        ("context: {system: 'Hi ${inputs.who} inp‸'}\n", "", []),
        ("context:\n  system: |\n    Hello, ${inputs.‸}!\n", "", ["who"]),
    ],
)  # fmt: skip
def test_what_a_spec_knows_is_offered_where_it_may_stand(
    tmp_path, more: str, beginning: str, labels: list[str]
) -> None:
    assert Texts(tmp_path, a_yaml=SPEC + more).labels(beginning) == labels


@pytest.mark.parametrize("condition", ["‸", "turn.‸", "turn.te‸ => stop", "completion.vetoed && ‸"])
def test_conditions_of_the_dsl_are_completed_before_anything_follows_them(tmp_path, condition: str) -> None:
    texts = Texts(
        tmp_path, a_agent=f"agent a {{\n  execution {{\n    loop_control {{\n      when {condition}\n    }}\n  }}\n}}\n"
    )

    assert {"turn", "text_chars"} & set(texts.labels())


def test_arguments_are_those_of_the_very_tool(tmp_path) -> None:
    text = "agent a { capability {\n  tool one(x: number) = args.‸\n  tool two(y: string) = args.y\n} }\n"

    assert Texts(tmp_path, a_agent=text).labels() == ["x"]


def test_presets_are_those_of_the_file_of_agentspec_and_of_the_folder(tmp_path) -> None:
    (tmp_path / "house.yaml").write_text("preset: house\n")
    texts = Texts(tmp_path, a_yaml="name: a\nextends: ‸\n---\npreset: near\n")

    labels = texts.labels()

    assert (labels[0], labels[-1], "audit" in labels) == ("near", "./house.yaml", True)


@pytest.mark.parametrize(
    ("text", "some"),
    [
        ("context: {prompts: {‸}}\n", ["nudge"]),
        ("capability: {mcp: {tickets: {url: 'http://x'}}, tools: {t: {mcp: ‸}}}\n", ["tickets/"]),
        (
            "capability: {mcp: {tickets: {url: 'http://x'}}, approval: {rules: [{mcp: ‸, decision: ask}]}}\n",
            ["tickets"],
        ),
        ("capability: {tools: {t: {agent: ‸}}}\n---\nname: other\nmodel: {}\n", ["other"]),
        ("capability: {tools: {t: {parameters: {x: st‸}}}}\n", ["string", "boolean"]),
        ("model: {provider: anthropic, model: ‸}\n", ["claude-sonnet-4"]),
    ],
)
def test_names_of_every_kind_are_offered(tmp_path, text: str, some: list[str]) -> None:
    labels = Texts(tmp_path, a_yaml=f"name: a\n{text}").labels()

    assert [one for one in some if not any(label.startswith(one) for label in labels)] == []


def test_given_inputs_are_those_of_the_preset(tmp_path) -> None:
    texts = Texts(
        tmp_path,
        base_yaml="preset: base\ninputs: {budget: integer, who: string}\n",
        a_yaml="name: a\nextends: [{use: ./base.yaml, with: {who: x, ‸}}]\n",
    )

    assert texts.labels() == ["budget"]


def test_given_inputs_of_a_scenario_are_those_of_its_agent(tmp_path) -> None:
    texts = Texts(tmp_path, a_agent='agent a { inputs { who: string } }\nscenario "s" for a { inputs { w‸ } }\n')

    assert texts.labels() == ["who"]


@pytest.mark.parametrize("text", ["agent a { ‸", "agent ‸", 'agent a { description: "x ‸', "name: a\n‸"])
def test_a_document_is_begun_only_where_one_can_begin(tmp_path, text: str) -> None:
    name = "a_agent" if text.startswith("agent") else "a_yaml"

    assert {"agent", "scenario"} & set(Texts(tmp_path, **{name: text}).labels()) == set()


def test_what_is_written_is_not_offered_again_and_what_is_needed_comes_first(tmp_path) -> None:
    texts = Texts(tmp_path, a_yaml="name: a\ncapability:\n  tools:\n    t:\n      expr: '1'\n      ‸\n")

    offers = texts.offers()

    assert "expr" not in [one.label for one in offers]
    assert min(offers, key=lambda one: one.rank).label == "description"


@pytest.mark.parametrize("path", ["a.yaml", "a.agent", "a.json"])
def test_completion_takes_any_text_at_any_place(tmp_path, path: str) -> None:
    text = {
        "a.yaml": "name: a\nmodel: {stop: [x]}\nexecution:\n  loop_control:\n    - when: 'x'\n",
        "a.agent": 'agent a { execution { loop_control { when x => stop "y" } } }',
        "a.json": '{"name": "a", "model": {"stop": ["x"]}}',
    }[path]
    desk = Desk()

    for offset in range(len(text) + 1):
        desk.put(str(tmp_path / path), text[:offset])
        desk.cursor(str(tmp_path / path), offset)

    assert CURSOR not in text
