"""The help of each finding about libraries, followed as it is written, is a way out: no finding is left behind it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from agentspec.api.libraries.lock import lock_libraries
from agentspec.api.libraries.upgrade import upgrade_libraries
from agentspec.checker.check import check_paths
from agentspec.cli.main import main
from agentspec.compose.findings import SEVERITIES
from agentspec.text.diagnostic import Diagnostic

FIRST, LAST = "AS440", "AS463"
MANIFEST = "library: platform\nversion: 1.4.2\nexports: {presets: [safe]}\n"
SAFE = "preset: safe\nextends: base\nexecution: {max_nudges: 2}\n"
TRIAGE = 'name: triage\nuse: {p: {source: ./platform, version: "^1.4"}}\nextends: p.safe\n'
FILES = {
    "agentspec.toml": "",
    "platform/library.yaml": MANIFEST,
    "platform/presets/safe.yaml": SAFE,
    "platform/presets/base.yaml": "preset: base\nexecution: {max_iterations: 7}\n",
    "triage.yaml": TRIAGE,
}
OTHER = {
    "other/library.yaml": "library: other\nversion: 1.0.0\nexports: {presets: [x]}\n",
    "other/presets/x.yaml": "preset: x\n",
}
Edit = dict[str, str | None]


class Case(NamedTuple):
    """What is edited after a lock so that a finding is told, its help, and what somebody edits who follows that.

    The commands that a help names are called; where the edits come first, the helps of what is told then are followed,
    too.
    """

    code: str
    edits: Edit
    help: str
    follow: Edit = {}
    told_by: str = "check"


NEW = {"platform/library.yaml": MANIFEST.replace("1.4.2", "1.5.0")}
LOCKS = "`agentspec lib lock` locks it"
ANEW = "`agentspec lib lock` writes it anew"
TOOL = {"platform/presets/safe.yaml": SAFE + "capability: {tools: {ls: {description: Lists, run: [ls]}}}\n"}
NEEDS = MANIFEST + "requires: {libraries: {other: {source: ../other, version: '%s'}}}\n"
TWO = 'name: triage\nuse: {p: {source: ./platform, version: "^1.4"}, q: {source: %s, version: "%s"}}\nextends: [p.safe, q.%s]\n'
SECOND = {
    "second/library.yaml": NEW["platform/library.yaml"].replace("1.5.0", "2.0.0"),
    "second/presets/safe.yaml": SAFE,
}
CASES = {
    "no lock": Case("AS440", {"agentspec.lock": None}, LOCKS),
    "a need that is not locked": Case("AS440", {"platform/library.yaml": NEEDS % "^1", **OTHER}, LOCKS),
    "a frozen lock": Case("AS440", {"agentspec.lock": None}, ANEW, told_by="lib lock --frozen"),
    "the marks of a merge": Case("AS441", {"agentspec.lock": "<<<<<<< HEAD\n"}, ANEW),
    "a frozen merge": Case("AS441", {"agentspec.lock": "<<<<<<< HEAD\n"}, ANEW, told_by="lib lock --frozen"),
    "a folder that is gone": Case(
        "AS442",
        {"triage.yaml": TRIAGE.replace("./platform", "./plattform")},
        "put it there, or say in `source` where it is, from the folder of the file that names it",
        {"triage.yaml": TRIAGE},
    ),
    "a need without a place": Case(
        "AS442",
        {"platform/library.yaml": MANIFEST + "requires: {libraries: {other: ^1}}\n", **OTHER},
        "name it under `use` of a spec, or write `{source: …, version: …}` where it is needed",
        {"platform/library.yaml": NEEDS % "^1"},
        "lib lock",
    ),
    "other bytes": Case(
        "AS443",
        {"platform/presets/safe.yaml": SAFE + "# more\n"},
        "`agentspec lib lock` accepts it; or put back what was locked",
    ),
    "another meaning": Case(
        "AS444",
        {"platform/presets/safe.yaml": "preset: safe\n"},
        "give the library a new version, then `agentspec lib lock`; or put back what was locked",
        NEW,
    ),
    "another meaning, locked": Case(
        "AS444",
        {"platform/presets/safe.yaml": "preset: safe\n"},
        "give it a new version; `agentspec lib lock --accept-changed` takes it all the same",
        told_by="lib lock",
    ),
    "another meaning, upgraded": Case(
        "AS444",
        {"platform/presets/safe.yaml": "preset: safe\n"},
        "give it a new version; `agentspec lib lock --accept-changed` takes it all the same",
        told_by="lib upgrade",
    ),
    "a private preset": Case(
        "AS445", {"triage.yaml": TRIAGE.replace("safe", "base")}, "it exports `safe`", {"triage.yaml": TRIAGE}
    ),
    "two of a name": Case(
        "AS446",
        {"platform/tools/safe.yaml": "preset: safe\n"},
        "take one of them out, or give it another name",
        {"platform/tools/safe.yaml": None},
        "lib lock",
    ),
    "an export without a preset": Case(
        "AS447",
        {"platform/library.yaml": NEW["platform/library.yaml"].replace("[safe]", "[safe, loud]")},
        "write it as `preset: loud` into `presets/loud.yaml`",
        {"platform/presets/loud.yaml": "preset: loud\n"},
        "lib lock",
    ),
    "an export without a text": Case(
        "AS447",
        {"platform/library.yaml": NEW["platform/library.yaml"].replace("]", "], prompts: [tone]")},
        "put it there, or take it out of `exports`",
        {"platform/prompts/tone.md": "Calm.\n"},
        "lib lock",
    ),
    "a higher major": Case(
        "AS448",
        {"platform/library.yaml": MANIFEST.replace("1.4.2", "2.0.0")},
        "`agentspec lib upgrade --major p` takes it",
    ),
    "a higher major, locked": Case(
        "AS448",
        {"platform/library.yaml": MANIFEST.replace("1.4.2", "2.0.0")},
        "`agentspec lib upgrade --major p` takes it",
        told_by="lib lock",
    ),
    "a pre-release": Case(
        "AS448",
        {"platform/library.yaml": MANIFEST.replace("1.4.2", "1.5.0-beta")},
        "`agentspec lib upgrade --major p` takes it",
    ),
    "a lower version": Case(
        "AS448",
        {"triage.yaml": TRIAGE.replace("1.4", "1.5")},
        'ask for what there is: `version: "^1.4.2"`',
        {"triage.yaml": TRIAGE.replace("1.4", "1.4.2")},
    ),
    "a need that does not fit": Case(
        "AS448",
        {"platform/library.yaml": NEEDS % "^2", **OTHER},
        "let `platform` ask for a version that there is",
        {"platform/library.yaml": NEEDS % "^1"},
    ),
    "ranges that do not meet": Case(
        "AS448",
        {"b.yaml": TRIAGE.replace("triage", "b").replace("^1.4", "~1.3")},
        "ask for versions that overlap",
        {"b.yaml": None},
        "lib lock",
    ),
    "another agentspec": Case(
        "AS448",
        {"platform/library.yaml": MANIFEST + "requires: {agentspec: ^9}\n"},
        "take a version of it that is for agentspec 0.1.0",
        {"platform/library.yaml": NEW["platform/library.yaml"] + "requires: {agentspec: '>=0.1'}\n"},
    ),
    "two majors": Case(
        "AS449",
        {"triage.yaml": TWO % ("./second", "^2", "safe"), **SECOND},
        "use one of them alone",
        {"triage.yaml": TRIAGE},
        told_by="lib lock, check",
    ),
    "a circle": Case(
        "AS450",
        {
            "platform/library.yaml": NEEDS % "^1",
            **OTHER,
            "other/library.yaml": OTHER["other/library.yaml"] + "requires: {libraries: {platform: ^1}}\n",
        },
        "take one of these needs out",
        {"other/library.yaml": OTHER["other/library.yaml"]},
        "lib lock",
    ),
    "nothing of it": Case(
        "AS451",
        {"triage.yaml": TRIAGE.replace("extends: p.safe\n", "")},
        "extend `p.NAME`, or take it out",
        {"triage.yaml": TRIAGE},
    ),
    "deprecated": Case(
        "AS452",
        {"platform/library.yaml": MANIFEST + "deprecated: use 1.5\n"},
        "`agentspec lib upgrade` takes a newer version",
        NEW,
        told_by="lib lock, check",
    ),
    "yanked": Case(
        "AS453",
        {"platform/library.yaml": MANIFEST + "yanked: no ceiling\n"},
        "`agentspec lib upgrade` takes a newer version",
        NEW,
    ),
    "a path out of it": Case(
        "AS454",
        {"house.yaml": "preset: house\n", "platform/presets/safe.yaml": "preset: safe\nextends: ../../house.yaml\n"},
        "put what it needs into its folder",
        {
            "platform/house.yaml": "preset: house\n",
            "platform/presets/safe.yaml": "preset: safe\nextends: ../house.yaml\n",
            **NEW,
        },
        "lib lock --accept-changed",
    ),
    "powers": Case(
        "AS455",
        {**TOOL, **NEW},
        "look at what it does, then `trust: [platform]`",
        {"triage.yaml": TRIAGE + "trust: [platform]\n"},
        told_by="lib lock, check",
    ),
    "more powers": Case(
        "AS455",
        {**TOOL, **NEW, **OTHER, "triage.yaml": TWO % ("./other", "^1", "x") + "trust: [q]\n"},
        "look at what it does, then `trust: [q, platform]`",
        {"triage.yaml": TWO % ("./other", "^1", "x") + "trust: [q, platform]\n"},
        told_by="lib lock, check",
    ),
    "a need of the organisation": Case(
        "AS456",
        {
            "platform/library.yaml": NEEDS.replace("1.4.2", "1.5.0") % "^1",
            **OTHER,
            "agentspec.toml": '[libraries]\norganisation = ["other"]\n',
        },
        "`trust: [platform]` allows it; `[libraries] organisation` says what belongs to it",
        {"triage.yaml": TRIAGE + "trust: [p]\n"},
        told_by="lib lock, check",
    ),
    "an organisation that is misspelt": Case(
        "AS463",
        {"agentspec.toml": '[libraries]\norganisation = ["./platfrom"]\n'},
        "what is locked comes from `platform`",
        {"agentspec.toml": '[libraries]\norganisation = ["./platform"]\n'},
    ),
    "no version": Case(
        "AS457",
        {"triage.yaml": TRIAGE.replace(', version: "^1.4"', "")},
        'write `version: "^1.4"` beside it',
        {"triage.yaml": TRIAGE},
    ),
    "more than the ceiling": Case(
        "AS458",
        {
            "platform/library.yaml": NEW["platform/library.yaml"] + "requires: {authority: {effects: [write]}}\n",
            "triage.yaml": TRIAGE + "capability: {ceiling: {effects: [none, read]}}\n",
        },
        "widen the ceiling, or take a library that needs less",
        {"triage.yaml": TRIAGE + "capability: {ceiling: {effects: [none, read, write]}}\n"},
        told_by="lib lock, check",
    ),
    "two sources": Case(
        "AS459",
        {**{name.replace("platform", "copy"): text for name, text in FILES.items() if "platform/" in name}}
        | {"b.yaml": TRIAGE.replace("triage", "b").replace("./platform", "./copy")},
        "use one source for it",
        {"b.yaml": None},
        "lib lock",
    ),
    "a name that is taken": Case(
        "AS460",
        {"triage.yaml": TRIAGE.replace("{p:", "{audit:").replace("p.safe", "audit.safe")},
        "`audit.NAME` means this library; another name is clearer",
        {"triage.yaml": TRIAGE},
    ),
    "trust of nobody": Case(
        "AS461", {"triage.yaml": TRIAGE + "trust: [platfrom]\n"}, "take it out", {"triage.yaml": TRIAGE}
    ),
    "a path into it": Case(
        "AS462",
        {"triage.yaml": "name: triage\nextends: ./platform/presets/safe.yaml\n"},
        'write `use: {platform: {source: ./platform, version: "^1.4.2"}}`, and extend `platform.NAME`',
        {"triage.yaml": TRIAGE},
    ),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    edit(FILES)
    assert told("lib lock") == []
    return tmp_path


def edit(edits: Edit) -> None:
    for name, text in edits.items():
        place = Path(name)
        if text is None:
            place.unlink()
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def told(by: str) -> list[Diagnostic]:
    """The findings about libraries of a check, or of a command."""
    if by == "check":
        found = check_paths([Path()]).diagnostics
        return [one for one in found if FIRST <= one.code <= LAST]
    _, command, *options = by.split()
    if command == "upgrade":
        return upgrade_libraries(Path()).findings
    return lock_libraries(
        Path(), is_frozen="--frozen" in options, accept_changed="--accept-changed" in options
    ).findings


def follow_commands(found: list[Diagnostic]) -> None:
    for each in dict.fromkeys(
        command for one in found for command in re.findall(r"`(agentspec [^`]*)`", one.help or "")
    ):
        main(shlex.split(each)[1:])


def each_once() -> list[object]:
    """The cases; of every finding the first one is tried whenever tests are, the others with the slow ones."""
    first = {case.code: name for name, case in reversed(CASES.items())}
    return [
        pytest.param(case, id=name, marks=[] if first[case.code] == name else pytest.mark.slow)
        for name, case in CASES.items()
    ]


@pytest.mark.parametrize("case", each_once())
def test_whoever_follows_a_help_is_rid_of_the_finding(project, capsys, case) -> None:
    edit(case.edits)
    *before, by = case.told_by.split(", ")
    for command in before:
        told(command)
    found = [one for one in told(by) if one.code == case.code]

    assert [one.help for one in found][:1] == [case.help]
    edit(case.follow)
    follow_commands([*found, *told("check")])

    assert [f"{one.code} {one.message}" for one in told("check")] == []
    assert told("lib lock") == []


def test_every_finding_about_libraries_has_a_case() -> None:
    assert {case.code for case in CASES.values()} == {code for code in SEVERITIES if FIRST <= code <= LAST}
