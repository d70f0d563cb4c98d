"""What is told of the word at the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.lsp.desk import Desk
from agentspec.lsp.hover import hover
from tests.lsp.texts import Texts
from tests.lsp.workspaces import WORKSPACE

SPEC = """\
name: a
inputs: {who: string}
execution:
  max_nudges: 3
  require_successful_tools: [calc, read_file]
  loop_control:
    - when: size(turn.tool_names) > 1 && completion.vetoed
      extend: 2
  verify_completion:
    - when: answer.contains(text.upper("x"))
  limits: {tokens: 100}
capability:
  toolkits: [files.read]
  tools:
    calc: {description: Adds., parameters: {lhs: number, op: string?}, returns: number, expr: args.lhs}
context:
  system: Hello, ${inputs.who}.
"""


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("max_nud‸ges", "`execution.max_nudges`: a whole number from 0"),
        ("[ca‸lc", "`calc(lhs: number, op: string?)`\n\nAdds.\n\nfrom `capability.tools.calc`, effect `none`"),
        ("read_f‸ile", "`read_file(path, offset?, limit?)`\n\nRead a text file."),
        ("turn.tool_‸names", "`turn.tool_names: string[]`\n\ntools that the turn asked for, in order"),
        ("tu‸rn.tool_names", "`turn: turn`\n\nthe turn that just ended"),
        ("si‸ze(", "`size(value: any) -> integer`\n\n"),
        ("inputs.w‸ho", "`inputs.who: string`"),
        ("args.l‸hs", "`args.lhs: number`"),
        ("text.up‸per(", "`text.upper(text: string) -> string`"),
        ("answer.conta‸ins(", "`<string>.contains(part: string) -> boolean`"),
        ("to‸ken", "`execution.limits.tokens`: "),
        ("exec‸ution:", "`execution`: a mapping"),
    ],
)
def test_a_word_is_told_by_what_it_is_where_it_stands(tmp_path, word: str, told: str) -> None:
    texts = Texts(tmp_path, a_yaml=SPEC.replace(word.replace("‸", ""), word, 1))

    found = hover(*texts.at)

    assert found is not None
    assert found.text.startswith(told)


def test_a_key_tells_what_holds_and_who_said_so(tmp_path) -> None:
    texts = Texts(
        tmp_path,
        base_yaml="preset: base\nexecution: {max_nudges: !final 2}\n",
        a_yaml="name: a\nextends: ./base.yaml\nexecution:\n  max_nud‸ges: 3\n",
    )

    found = hover(*texts.at)

    assert found is not None
    assert found.text.split("\n\n")[3:] == [
        "Value: `2`",
        (
            f"- spec sets `3` ({tmp_path}/a.yaml:4)\n"
            f"- file sets `2` ({tmp_path}/base.yaml:2)\n"
            "- profile:tool_using sets `8` (stdlib/profiles/tool_using.yaml:6)"
        ),
        f"Final: `file:{tmp_path}/base.yaml` lets no layer above it change this.",
    ]


@pytest.mark.parametrize(
    "text",
    ["agent a { execution { max_nud‸ges: 3", "agent a {\n  execution {\n    max_nud‸ges: 3\n    when\n  }\n}\n"],
)
def test_a_broken_text_is_told_about_as_far_as_it_can_be_read(tmp_path, text: str) -> None:
    found = hover(*Texts(tmp_path, a_agent=text).at)

    assert found is not None
    assert found.span.text == "max_nudges"


def test_nothing_is_told_of_nothing(tmp_path) -> None:
    assert hover(*Texts(tmp_path, a_yaml="name: a\n\n‸\nexecution: {}\n").at) is None


def test_a_secret_of_another_file_is_not_shown(tmp_path) -> None:
    key = "sk-" + "a1B2c3D4" * 5
    texts = Texts(
        tmp_path,
        base_yaml=f"preset: base\nmodel: {{headers: {{X-Key: {key}}}}}\n",
        a_yaml="name: a\nextends: ./base.yaml\nmodel: {head‸ers: {X-B: b}}\n",
    )

    found = hover(*texts.at)

    assert found is not None
    assert key not in found.text


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("extends: ./ba‸se.yaml", "`base`: preset of {folder}/base.yaml\n\nSays little.\n\nInputs: `budget: integer`"),
        ("capability: {tools: {t: {agent: tw‸o, description: d}}}", "`two`: agent of {folder}/a.yaml"),
    ],
)
def test_a_document_that_is_named_is_told(tmp_path, line: str, told: str) -> None:
    texts = Texts(
        tmp_path,
        base_yaml="preset: base\ndescription: Says little.\ninputs: {budget: integer}\n",
        a_yaml=f"name: a\n{line}\n---\nname: two\nmodel: {{provider: script}}\n",
    )

    found = hover(*texts.at)

    assert found is not None
    assert found.text == told.format(folder=tmp_path)


@pytest.mark.parametrize(
    ("file", "before", "told"),
    [
        (
            "desk.scenario.yaml",
            "{name: ec",
            "`echo(word: string, times: any)`\n\nSays it.\n\nfrom `capability.tools.echo`",
        ),
        ("desk.scenario.yaml", "not_called: [calc, lo", "`read_file(path, offset?, limit?)`"),
        ("desk.scenario.yaml", "inputs: {wh", "`inputs.who`: "),
        ("desk.scenario.yaml", "arguments: {wo", "`capability.tools.echo.parameters.word`: "),
        ("desk.yaml", "trust: [pl", "`use.plat`: "),
        ("desk.yaml", "with: {fol", "`inputs.folder`: "),
        ("desk.yaml", "tickets__fi", "`capability.mcp.tickets`: "),
        ("desk.yaml", "fallback: [ch", "`model.routes[0].label`: "),
    ],
)
def test_a_word_is_told_as_what_it_names_is(desk: Desk, workspace: Path, file: str, before: str, told: str) -> None:
    part = desk.sheet(str(workspace / file)).part_at(offset := WORKSPACE[file].index(before) + len(before))
    assert part is not None

    found = hover(part, offset)

    assert found is not None
    assert found.text.startswith(told)
