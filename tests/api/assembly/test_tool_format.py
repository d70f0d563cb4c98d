"""The format of tools where the author leaves it open: what the catalogue knows of the model decides, at the start."""

import json

import pytest

from agentspec.api.assembly.called import blueprint_of
from agentspec.api.assembly.tool_format import settle_format
from agentspec.api.options import RunOptions
from agentspec.api.spec import load

TOOLS = {"tools": {"ping": {"description": "Answers", "expr": "'pong'"}}}
WITHOUT = {"provider": "openai", "model": "gpt-5.5-cyber"}  # a model that takes no calls of tools


@pytest.mark.parametrize(
    ("model", "capability", "environment", "expected"),
    [
        (WITHOUT, TOOLS, {}, "json"),
        ({**WITHOUT, "tool_format": "auto"}, TOOLS, {}, "json"),
        ({**WITHOUT, "tool_format": "text"}, TOOLS, {}, "text"),
        ({**WITHOUT, "tool_format": "native"}, TOOLS, {}, "native"),
        (WITHOUT, {}, {}, None),
        (WITHOUT, TOOLS, {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, None),
        ({**WITHOUT, "base_url": "http://127.0.0.1:9/v1"}, TOOLS, {}, None),
        ({"provider": "openai", "model": "gpt-5.4-mini"}, TOOLS, {}, None),
        ({"provider": "openai", "model": "our-own"}, TOOLS, {}, None),
    ],
)
def test_a_model_without_tools_is_asked_for_steps_from_the_start(tmp_path, model, capability, environment, expected):
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"name": "s", "model": model, "capability": capability}))
    blueprint = blueprint_of(load(path), RunOptions())

    settle_format(blueprint, environment)

    chosen = blueprint.values["model"].get("tool_format")
    assert (None if chosen == "auto" else chosen) == expected
