"""Python of a spec runs only where its caller or its project has allowed it."""

import pytest

import agentspec
from agentspec import NotAllowed
from agentspec.spec.describe import all_keys
from agentspec.spec.functions import functions_of
from agentspec.spec.in_effect import is_in_effect

SPEC = """
name: ruled
model: {provider: script, options: {turns: [{text: done}]}}
execution:
  terminal:
    - python: rules_of_acme.ends:decide
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "ruled.yaml"
    path.write_text(SPEC)
    return path


def test_a_function_that_nobody_has_allowed_keeps_the_run_from_starting(spec):
    with pytest.raises(NotAllowed) as refused:
        agentspec.run_sync(spec, "go")

    assert str(refused.value) == (
        "`execution.terminal[0].python` is Python (`rules_of_acme.ends:decide`), which nobody has allowed: start the run "
        "with `--allow-python` (`allow_python=True`), or trust the package in `agentspec.toml`: `[python]`, "
        '`trust = ["rules_of_acme"]`; nothing was started'
    )


@pytest.mark.parametrize("trusted", ["rules_of_acme", "rules_of_acme.ends"])
def test_a_project_can_trust_a_package(spec, tmp_path, trusted):
    (tmp_path / "agentspec.toml").write_text(f'[python]\ntrust = ["{trusted}"]\n')

    assert agentspec.run_sync(spec, "go").status == "done"


def test_trust_in_another_package_is_none(spec, tmp_path):
    (tmp_path / "agentspec.toml").write_text('[python]\ntrust = ["rules_of", "rules_of_acme.ends.inner"]\n')

    with pytest.raises(NotAllowed):
        agentspec.run_sync(spec, "go")


def test_the_caller_can_allow_it(spec):
    assert agentspec.run_sync(spec, "go", allow_python=True).status == "done"


def holding(steps: list[str], function: str) -> object:
    """A document that holds a function at the place of a pattern."""
    if not steps:
        return function
    name, *rest = steps
    if name.endswith("[]"):
        return {name[:-2]: [holding(rest, function)]}
    return {"anything" if name == "*" else name: holding(rest, function)}


PLACES = [each.path for each in all_keys() if each.path.endswith(".python")]
IN_EFFECT = [path for path in PLACES if is_in_effect(tuple(path.replace("[]", ".*").split(".")))]


@pytest.mark.parametrize("path", IN_EFFECT)
def test_no_place_of_the_language_runs_python_that_nobody_has_allowed(path):
    values = holding(path.split("."), "acme.module:function")

    assert [function for _, function in functions_of(values)] == ["acme.module:function"]
