"""Agents that tools call: what a run would refuse to call is found before it."""

import pytest

from agentspec import check

LEAD = "name: lead\ntask: t\ncapability: {tools: {ask: {description: d, agent: %s%s}}}\n"
CALLS = "name: b\ntask: t\ncapability: {tools: {ask: {description: d, agent: %s}}}\n"


@pytest.mark.parametrize(
    ("agent", "parameters", "other", "told"),
    [
        ("./b.yaml", "", "name: b\n", []),
        ("./b.yaml", "task: string", "name: b\n", []),
        ("./b.yaml", "size: integer", "name: b\ntask: t\ninputs: {size: integer}\ncontext: {system: '${inputs.size}'}\n", []),
        ("./b.yaml", "sise: integer", "name: b\ntask: t\n", ["`./b.yaml` has no input `sise`"]),
        ("./b.yaml", "context: string", "name: b\n", ["`./b.yaml` has no `task` of its own, and the tool gives it none"]),
        ("./b.yaml", "", "name: b\ninputs: {n: string}\ncontext: {system: '${inputs.n}'}\n", ["the input `n` of `./b.yaml` has no value"]),
        ("./b.yaml", "", "preset: b\n", ["`./b.yaml` is a preset, and only agents can be called"]),
        ("./b.yaml", "", "name: b\nexecution: {max_turns: 1}\n", ["the agent in `./b.yaml` does not check: unknown key `max_turns` in `execution`"]),
        ("./b.yaml", "", "name: b\ncontext: {system: '${inputs.x}'}\n", ["the agent in `./b.yaml` does not check: unknown field `x` in `inputs`"]),
        ("./b.yaml", "", "name: b\ncontext: [\n", ["the agent in `./b.yaml` does not check: this `[` is never closed"]),
        ("./b.yaml", "", CALLS % "./c.yaml", ["`ask` calls `./b.yaml`, which calls agents itself: they are called one level deep"]),
        ("./b.yaml", "", CALLS % "./a.yaml", ["`ask` calls `./b.yaml`, which calls agents itself: they are called one level deep"]),
        ("./a.yaml", "", "", ["`ask` calls `./a.yaml`, which calls agents itself: they are called one level deep"]),
    ],
)  # fmt: skip
def test_an_agent_in_a_file_has_to_be_one_that_can_be_called(tmp_path, agent, parameters, other, told):
    given = f", parameters: {{{parameters}}}" if parameters else ""
    (tmp_path / "a.yaml").write_text(LEAD % (agent, given))
    (tmp_path / "b.yaml").write_text(other)
    (tmp_path / "c.yaml").write_text("name: c\n")

    assert [found.message for found in check(tmp_path / "a.yaml").diagnostics] == told
