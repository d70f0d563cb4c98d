"""From every word to where it comes from, in a folder with a library, scenarios and both spellings."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.lsp.desk import Desk
from agentspec.lsp.references import definitions
from tests.lsp.workspaces import WORKSPACE


@pytest.mark.parametrize(
    ("file", "before", "place"),
    [
        ("desk.yaml", "use: {pl", "house/library.yaml:1:10 house"),
        ("desk.yaml", "source: ./ho", "house/library.yaml:1:10 house"),
        ("desk.yaml", "trust: [pl", "house/library.yaml:1:10 house"),
        ("desk.yaml", "use: pl", "house/library.yaml:1:10 house"),
        ("desk.yaml", "use: plat.sa", "house/presets/safe.yaml:1:9 safe"),
        ("desk.yaml", "- plat.su", "house/tools/sums.yaml:1:9 sums"),
        ("desk.yaml", "with: {fol", "house/presets/safe.yaml:3:3 folder"),
        ("desk.yaml", 'depth: "${inputs.mo', "desk.yaml:11:3 most"),
        ("desk.yaml", "review: plat.rev", "house/skills/review/SKILL.md:1:1 "),
        ("desk.yaml", "file: plat.to", "house/prompts/tone.md:1:1 "),
        ("desk.yaml", "file: pro", "prompt.md:1:1 "),
        ("desk.yaml", "name: cal", "house/tools/sums.yaml:4:5 calc"),
        ("desk.yaml", "arguments: {lh", "house/tools/sums.yaml:4:45 lhs"),
        ("desk.yaml", "'ech", "desk.yaml:30:5 echo"),
        ("desk.yaml", "r.name == 'cal", "house/tools/sums.yaml:4:5 calc"),
        ("desk.yaml", "    cal", "house/tools/sums.yaml:4:5 calc"),
        ("desk.yaml", 'when: "args.wo', "desk.yaml:32:20 word"),
        ("desk.yaml", "message.tool == 'ec", "desk.yaml:30:5 echo"),
        ("desk.yaml", "agent: other.agent#se", "other.agent:10:7 second"),
        ("desk.yaml", "mcp: tickets/fi", "desk.yaml:39:5 tickets"),
        ("desk.yaml", ", tickets__fi", "desk.yaml:39:5 tickets"),
        ("desk.yaml", "get_ord", "desk.yaml:41:5 orders"),
        ("desk.scenario.yaml", "for: de", "desk.yaml:1:7 desk"),
        ("desk.scenario.yaml", "inputs: {wh", "desk.yaml:10:3 who"),
        ("desk.scenario.yaml", "capability.tools.ec", "desk.yaml:30:5 echo"),
        ("desk.scenario.yaml", "{tool: ec", "desk.yaml:30:5 echo"),
        ("desk.scenario.yaml", "{name: ec", "desk.yaml:30:5 echo"),
        ("desk.scenario.yaml", "arguments: {wo", "desk.yaml:32:20 word"),
        ("desk.scenario.yaml", "not_called: [ca", "house/tools/sums.yaml:4:5 calc"),
        ("desk.scenario.yaml", "not_called: [calc, lo", "house/presets/safe.yaml:8:65 look"),
        ("desk.scenario.yaml", "tool_result, name: ec", "desk.yaml:30:5 echo"),
        ("desk.scenario.yaml", "\"'ec", "desk.yaml:30:5 echo"),
        ("house/library.yaml", "presets: [sa", "house/presets/safe.yaml:1:9 safe"),
        ("house/library.yaml", "tools: [su", "house/tools/sums.yaml:1:9 sums"),
        ("house/library.yaml", "skills: [re", "house/skills/review/SKILL.md:1:1 "),
        ("house/library.yaml", "prompts: [to", "house/prompts/tone.md:1:1 "),
        ("house/presets/safe.yaml", '{root: "${inputs.fo', "house/presets/safe.yaml:3:3 folder"),
        ("other.agent", "= args.l", "other.agent:4:15 lhs"),
        ("other.agent", "About ${inputs.to", "other.agent:2:12 topic"),
        ("other.agent", 'it shouts" for sec', "other.agent:10:7 second"),
        ("other.agent", "inputs: { to", "other.agent:2:12 topic"),
        ("other.agent", "t == 'sh", "other.agent:17:10 shout"),
        ("other.agent", "results: [{ name: bo", "other.agent:5:10 boss"),
    ],
)  # fmt: skip
def test_a_word_leads_to_where_it_comes_from(desk: Desk, workspace: Path, file: str, before: str, place: str) -> None:
    part = desk.sheet(str(workspace / file)).part_at(offset := WORKSPACE[file].index(before) + len(before))
    assert part is not None

    found = definitions(part, offset)

    places = [
        f"{Path(one.source.name).resolve().relative_to(workspace.resolve())}:{one.first.line}:{one.first.column} {one.text}"
        for one in found
    ]
    assert places == [place]
