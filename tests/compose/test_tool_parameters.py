"""What a check knows of the arguments of toolkits is what their tools take."""

from pathlib import Path

import pytest

from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.kits import KITS, make_kit
from agentspec.compose.tool_parameters import parameters_of


@pytest.mark.parametrize("family", KITS)
def test_the_arguments_of_a_toolkit_are_those_of_its_tools(tmp_path: Path, family: str) -> None:
    options = {"mutations": True} if family == "git" else {}

    made = make_kit(family, options, Setting(tmp_path))

    told = {name: tuple(plan.parameters.get("properties") or {}) for name, (plan, _) in made.items()}
    assert {name: parameters_of(name) for name in told} == told
