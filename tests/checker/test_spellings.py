"""Both spellings are checked alike: the same findings at the same words, with the same help, and fixes that mean the same."""

import inspect
import re
from pathlib import Path

import pytest

from agentspec.checker.check import Options, check_paths
from agentspec.checker.discover import all_rules
from agentspec.checker.fixes import ALLOWED
from agentspec.checker.mend import mend_paths
from agentspec.errors import SpecInvalid
from agentspec.syntax import yaml
from agentspec.syntax.format import convert
from agentspec.syntax.read import read_file
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source
from tests.syntax.format.laws import meanings

EXAMPLE = re.compile(r"^(Bad|Good):\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ALL = Options(shows_consequences=True)
YAML_ONLY = ("AS017", "AS024", "AS713")  # a leading zero, a key that YAML tools take for a number, a folded text
EXAMPLES = [
    pytest.param(code, text, id=f"{code}-{kind}")
    for code, rule in all_rules().items()
    for kind, text in EXAMPLE.findall(inspect.getdoc(rule) or "")
    if code not in YAML_ONLY
]


def in_dsl(text: str) -> str | None:
    """The example in the DSL; None for one that cannot be read whole, or has no name."""
    try:
        return convert(yaml.parse(Source("a.yaml", text)), "dsl")
    except SpecInvalid:
        return None


def seen(found: Diagnostic) -> tuple[object, ...]:
    """What is told of a finding, without the signs that spell it."""
    fix = found.fix and (re.sub(r"\W", "", found.fix.title), found.fix.fix_class)
    place = re.sub(r"[^\w.$]", "", found.span.text)
    return found.code, found.path, found.message, found.help, place if place != "null" else "", fix


@pytest.mark.slow
@pytest.mark.parametrize(("code", "text"), EXAMPLES)
def test_an_example_is_told_and_mended_alike(tmp_path, code, text):
    twin = in_dsl(text)
    if twin is None:
        return
    files: dict[str, Path] = {}
    for name, content in (("a.yaml", text), ("a.agent", twin)):
        files[name] = tmp_path / name
        files[name].write_text(content)
    found = {name: sorted(map(str, map(seen, check_paths([path], ALL).diagnostics))) for name, path in files.items()}
    mended = {name: mend_paths([path], ALLOWED["local"]).applied for name, path in files.items()}

    assert found["a.agent"] == found["a.yaml"]
    assert mended["a.agent"] == mended["a.yaml"]
    assert meanings(read_file(files["a.agent"])) == meanings(read_file(files["a.yaml"]))
