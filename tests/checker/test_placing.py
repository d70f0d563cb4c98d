"""A finding about what is inherited from a built-in preset stands where its author can mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.api.check import check
from agentspec.api.libraries.lock import lock_libraries
from agentspec.resources import resource

PRESETS = sorted(path.stem for path in resource("stdlib", "presets").iterdir())
TIGHT = """\
name: tight
extends: [{}]
execution:
  limits: {{wall_clock: 1s, provider_calls: 1, tool_calls: 1}}
  iteration_budget: {{mode: adaptive, max: 1}}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "tight.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("preset", PRESETS)
def test_no_finding_stands_in_a_built_in_file(tmp_path, preset):
    path = write(tmp_path, TIGHT.format(preset))

    found = check(path).diagnostics

    assert {one.code for one in found} & {"AS501", "AS502", "AS509"}
    assert {Path(one.span.source.name).name for one in found} == {"tight.yaml"}


def test_the_author_sees_the_own_value_and_the_inherited_one(tmp_path):
    path = write(tmp_path, TIGHT.format("audit"))

    (found,) = check(path, select=["AS509"]).diagnostics

    assert (found.span.text, found.path) == ("1s", "model.timeout")
    assert found.help == (
        "shorten it, or raise `execution.limits.wall_clock`; `model.timeout` here overrides the inherited value"
    )
    assert [(one.span.source.name, one.span.text, one.message) for one in found.related] == [
        ("stdlib/presets/audit.agent", "120s", "this is inherited")
    ]


def test_where_nothing_else_belongs_to_it_the_item_of_extends_is_named(tmp_path):
    path = write(tmp_path, TIGHT.format("repair, audit"))

    (found,) = check(path, select=["AS518"]).diagnostics

    assert (found.span.text, found.span.first) == ("audit", (2, 19))
    assert [one.span.source.name for one in found.related] == ["stdlib/presets/audit.agent"]


def test_a_comment_at_the_own_value_silences_it(tmp_path):
    text = TIGHT.format("audit").replace("calls: 1}\n", "calls: 1}  # agentspec: ignore[AS509]\n")

    assert check(write(tmp_path, text), select=["AS509"]).diagnostics == []


def test_a_built_in_file_that_is_itself_checked_keeps_its_findings(tmp_path, monkeypatch):
    (tmp_path / "stdlib" / "presets").mkdir(parents=True)
    (tmp_path / "stdlib" / "presets" / "own.agent").write_text("preset own { context { scratchpad: 3 } }\n")
    monkeypatch.chdir(tmp_path)

    (found,) = check("stdlib/presets/own.agent", select=["AS2"]).diagnostics

    assert found.span.source.name == "stdlib/presets/own.agent"


def test_a_finding_in_a_library_stands_where_the_spec_extends_it(tmp_path):
    (tmp_path / "house" / "presets").mkdir(parents=True)
    (tmp_path / "house" / "library.yaml").write_text("library: house\nversion: 1.0.0\nexports: {presets: [brief]}\n")
    (tmp_path / "house" / "presets" / "brief.yaml").write_text("preset: brief\nextends: base\n")
    (tmp_path / "house" / "presets" / "base.yaml").write_text("preset: base\nmodel: {timeout: 50s}\n")
    path = write(
        tmp_path,
        'name: tight\nuse: {house: {source: ./house, version: "^1"}}\nextends: house.brief\n'
        "execution:\n  limits: {wall_clock: 1s}\n",
    )
    lock_libraries(tmp_path)

    (found,) = check(path, select=["AS509"]).diagnostics

    assert found.span.text == "1s"
    assert [(Path(one.span.source.name).name, one.span.text, one.message) for one in found.related] == [
        ("base.yaml", "50s", "this is inherited")
    ]
