"""Newer versions are taken after it is told what they change, and never what lets a spec do more unasked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentspec.api.libraries.add import add_library
from agentspec.api.libraries.lock import list_libraries, lock_libraries, verify_libraries
from agentspec.api.libraries.upgrade import UpgradeReport, upgrade_libraries
from agentspec.compose.load import load
from agentspec.errors import NotFound
from agentspec.syntax.tree import plain

TRIAGE = 'name: triage\nuse:\n  platform: {source: "%s"%s} # house\nextends: platform.safe\n'


def manifest(version: str) -> str:
    return f"library: platform\nversion: {version}\nexports: {{presets: [safe]}}\n"


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A locked library of a folder beside the spec that uses it; gives its preset."""
    monkeypatch.chdir(tmp_path)
    Path("agentspec.toml").touch()
    Path("platform/presets").mkdir(parents=True)
    Path("platform/library.yaml").write_text(manifest("1.4.0"))
    preset = Path("platform/presets/safe.yaml")
    preset.write_text("preset: safe\nexecution: {max_nudges: 2, max_iterations: 8}\n")
    Path("triage.yaml").write_text(TRIAGE % ("./platform", ', version: "^1.4"'))
    assert lock_libraries(Path()).findings == []
    return preset


def changes(report: UpgradeReport) -> list[str]:
    return [
        f"{spec['spec']} {each['path']} {each['a']} → {each['b']}" for spec in report.specs for each in spec["changes"]
    ]


def test_what_changes_in_a_spec_is_told_and_taken(beside) -> None:
    Path("platform/library.yaml").write_text(manifest("1.5.0"))
    beside.write_text("preset: safe\nexecution: {max_nudges: 3, max_iterations: 6}\n")

    report = upgrade_libraries(Path())

    assert (report.is_done, report.is_wider, report.is_broken) == (True, False, False)
    assert changes(report) == [
        "triage.yaml execution.max_iterations 8 → 6",
        "triage.yaml execution.max_nudges 2 → 3",
    ]
    [upgraded] = report.libraries
    assert (upgraded.before, upgraded.after) == ("1.4.0", "1.5.0")
    assert upgraded.change is not None
    assert upgraded.change.weight == "minor"
    assert verify_libraries(Path()) == []
    assert Path("triage.yaml").read_text() == TRIAGE % ("./platform", ', version: "^1.4"')


def test_what_lets_a_spec_do_more_has_to_be_accepted(beside) -> None:
    Path("platform/library.yaml").write_text(manifest("1.5.0"))
    beside.write_text("preset: safe\nexecution: {max_nudges: 2, max_iterations: 12}\n")
    before = Path("agentspec.lock").read_bytes()

    refused = upgrade_libraries(Path())
    assert (refused.is_done, refused.is_wider) == (False, True)
    assert [each["name"] for each in refused.specs[0]["authority"]["more"]] == ["iterations"]
    assert Path("agentspec.lock").read_bytes() == before

    taken = upgrade_libraries(Path(), accept_wider=True)
    assert (taken.is_done, taken.is_wider) == (True, True)
    assert verify_libraries(Path()) == []


def test_what_would_break_a_spec_is_not_taken(beside) -> None:
    Path("platform/library.yaml").write_text(manifest("1.5.0"))
    beside.write_text("preset: safe\ninputs: {folder: string}\n")

    report = upgrade_libraries(Path(), accept_wider=True)

    assert (report.is_done, report.is_broken) == (False, True)
    assert report.specs[0]["problems"] == ["AS417 `platform.safe` needs its input `folder`"]


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(
    ("preset", "code"),
    [
        ("preset: safe\nexecution: {max_iterations: many}\n", "AS201"),
        ("preset: safe\ncapability: {tools: {rm: {description: d, run: [rm, x]}}}\n", "AS455"),
    ],
)
def test_what_no_longer_checks_is_not_taken_whatever_is_known_of_it(beside, preset, code, is_known) -> None:
    Path("platform/library.yaml").write_text(manifest("1.5.0"))
    beside.write_text(preset)
    if not is_known:
        shutil.rmtree(".agentspec/libraries")
    before = Path("agentspec.lock").read_bytes()

    report = upgrade_libraries(Path(), accept_wider=True)

    assert (report.is_done, report.is_broken) == (False, True)
    assert [each.partition(" ")[0] for each in report.specs[0]["problems"]] == [code]
    assert Path("agentspec.lock").read_bytes() == before


def test_a_spec_that_cannot_be_read_empties_no_lock(beside) -> None:
    before = Path("agentspec.lock").read_bytes()
    Path("triage.yaml").write_text(TRIAGE % ("./platform", "") + "task: [\n")

    report = lock_libraries(Path())

    assert report.has_errors
    assert {Path(one.span.source.name).name for one in report.findings} == {"triage.yaml"}
    assert Path("agentspec.lock").read_bytes() == before


def test_another_meaning_under_the_same_version_is_not_taken(beside) -> None:
    beside.write_text("preset: safe\nexecution: {max_nudges: 1}\n")

    report = upgrade_libraries(Path())

    assert [one.code for one in report.findings] == ["AS444"]
    assert not report.is_done


def test_nobody_can_tell_what_changes_where_nothing_was_kept(beside) -> None:
    shutil.rmtree(".agentspec")
    Path("platform/library.yaml").write_text(manifest("1.5.0"))

    report = upgrade_libraries(Path())

    assert (report.is_done, report.is_wider, report.libraries[0].change) == (False, True, None)


def test_nothing_newer_is_nothing_to_do(beside) -> None:
    before = Path("agentspec.lock").read_bytes()

    report = upgrade_libraries(Path())

    assert (report.libraries, report.is_done) == ([], False)
    assert Path("agentspec.lock").read_bytes() == before


def test_a_dry_run_writes_nothing(beside) -> None:
    Path("platform/library.yaml").write_text(manifest("1.5.0"))
    beside.write_text("preset: safe\nexecution: {max_nudges: 3}\n")
    before = Path("agentspec.lock").read_bytes()

    report = upgrade_libraries(Path(), is_dry=True)

    assert report.specs != []
    assert Path("agentspec.lock").read_bytes() == before


def test_a_name_that_no_spec_uses_is_told(beside) -> None:
    with pytest.raises(NotFound, match="no spec here uses a library `platfrom`; did you mean `platform`"):
        upgrade_libraries(Path(), ("platfrom",))


FROM_GIT = {
    "a range": ('%s", version: "^1.4"', "", '%s", version: "^1.6"', 3, False),
    "a tag": ("%s@v1.4.0", "", "%s@v1.6.0", 3, False),
    "a range without quotes": ('%s", version: ^1.4', "", '%s", version: ^1.6', 3, False),
    "another major": ('%s", version: "^1.4"', "", '%s", version: "^2.0"', 4, True),
    "a commit": ("%s@COMMIT", "", "%s@COMMIT", 1, False),
}


@pytest.mark.parametrize(("source", "closing", "then", "nudges", "across"), FROM_GIT.values(), ids=FROM_GIT)
def test_the_newest_version_of_a_repository_is_written_into_the_spec(
    published, source, closing, then, nudges, across
) -> None:
    commit = published.git("rev-parse", "v1.4.0^{commit}")
    quote = "" if "version" in source else '"'
    text = 'name: triage\nuse: {platform: {source: "' + source + quote + "}} # house\nextends: platform.safe\n"
    Path("triage.yaml").write_text(text.replace("%s", published.address).replace("COMMIT", commit))
    assert lock_libraries(Path()).findings == []

    report = upgrade_libraries(Path(), accept_wider=True, across_majors=across)

    expected = 'name: triage\nuse: {platform: {source: "' + then + quote + "}} # house\nextends: platform.safe\n"
    assert report.findings == []
    assert Path("triage.yaml").read_text() == expected.replace("%s", published.address).replace("COMMIT", commit)
    assert plain(load("triage.yaml").tree)["execution"]["max_nudges"] == nudges
    assert [str(found) for found in load("triage.yaml").diagnostics] == []


def test_only_the_named_library_is_upgraded(published) -> None:
    Path("triage.yaml").write_text(TRIAGE % (published.address, ', version: "^1.4"'))
    Path("other/presets").mkdir(parents=True)
    Path("other/library.yaml").write_text("library: other\nversion: 1.0.0\nexports: {presets: [x]}\n")
    Path("other/presets/x.yaml").write_text("preset: x\n")
    Path("b.yaml").write_text('name: b\nuse: {other: {source: ./other, version: "^1"}}\nextends: audit\n')
    lock_libraries(Path())

    report = upgrade_libraries(Path(), ("other",))

    assert report.libraries == []
    assert [each["version"] for each in list_libraries(Path())] == ["1.0.0", "1.4.0"]


STOCK = {
    "library.yaml": ("library: platform\nversion: %s\nexports: {presets: [safe], prompts: [tone], skills: [review]}\n"),
    "presets/safe.yaml": (
        "preset: safe\ncontext: {system: {file: prompts/tone.md}}\n"
        "capability:\n  skills: {review: skills/review}\n  toolkits: [files.read]\n"
        "  tools: {help: {description: Helps, agent: ../agents/helper.yaml}}\n"
    ),
    "prompts/tone.md": "Be calm.\n",
    "skills/review/SKILL.md": "---\nname: review\ndescription: Reviews.\n---\nRead all.\n",
    "agents/helper.yaml": "name: helper\nexecution: {max_iterations: 3}\n",
}
NEXT = {
    "presets/safe.yaml": ("[files.read]", "[files.read, files.edit]"),
    "prompts/tone.md": ("calm", "loud"),
    "skills/review/SKILL.md": ("all", "some"),
    "agents/helper.yaml": ("3", "9"),
}


def stock(folder: Path, version: str, changes: dict[str, tuple[str, str]]) -> None:
    for name, text in STOCK.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.replace("%s", version).replace(*changes.get(name, ("", ""))))


@pytest.mark.parametrize(
    ("source", "spec"),
    [
        ("./platform", "teams/a/triage.yaml"),
        ("git", "triage.yaml"),
        pytest.param("./platform", "triage.yaml", marks=pytest.mark.slow),
        pytest.param("git", "teams/a/triage.yaml", marks=pytest.mark.slow),
    ],
)
def test_no_path_of_a_copy_is_told_and_what_it_holds_is(published, source, spec) -> None:
    Path("agentspec.toml").touch()
    folder = published.copy if source == "git" else Path("platform")
    stock(folder, "3.0.0", {})
    if source == "git":
        published.git("add", ".")
        published.release("3.0.0", None)
    written = published.address if source == "git" else ("../" * spec.count("/") or "./") + "platform"
    Path(spec).parent.mkdir(parents=True, exist_ok=True)
    Path(spec).write_text(TRIAGE % (written, ', version: "^3.0"') + "trust: [platform]\n")
    assert lock_libraries(Path()).findings == []
    stock(folder, "3.1.0", NEXT)
    if source == "git":
        published.release("3.1.0", None)

    report = upgrade_libraries(Path(), is_dry=True)

    told = [f"{each['path']}: {each['a']} → {each['b']}" for each in report.specs[0]["changes"]]
    assert told == [
        "context.system: Be calm.\n → Be loud.\n",
        (
            'capability.skills.review["SKILL.md"]: ---\nname: review\ndescription: Reviews.\n---\nRead all.\n'
            " → ---\nname: review\ndescription: Reviews.\n---\nRead some.\n"
        ),
        "capability.toolkits: ['files.read'] → ['files.read', 'files.edit']",
        "capability.tools.help.agent.execution.max_iterations: 3 → 9",
    ]
    authority = report.specs[0]["authority"]
    assert [each["kind"] for each in authority["more"] if each["kind"] == "children"] == []
    whole = str((report.specs, report.libraries, [str(one) for one in report.findings]))
    assert ".agentspec" not in whole
    assert "agentspec-lib-" not in whole
    places = {each[side]["file"] for each in authority["more"] for side in "ab" if each[side]}
    assert places == {"library:platform/presets/safe.yaml" if source == "git" else "platform/presets/safe.yaml"}


def test_a_published_version_that_its_publisher_changed_is_called_that(published) -> None:
    """The commit of the version is another one, and so is what it says: locked by a tag, then written as a commit."""
    Path("triage.yaml").write_text(TRIAGE % (f"{published.address}@v1.4.0", ""))
    assert lock_libraries(Path()).findings == []
    commit = published.release("1.4.0", 9)
    Path("triage.yaml").write_text(TRIAGE % (f"{published.address}@{commit}", ""))

    [found] = upgrade_libraries(Path()).findings

    assert (found.code, found.help) == (
        "AS444",
        (
            "its publisher changed a published version: ask for a new one; "
            "`agentspec lib lock --accept-changed` takes it all the same"
        ),
    )
    assert lock_libraries(Path(), accept_changed=True).findings == []


@pytest.mark.parametrize("source", ['%s", version: "^1.4"', '%s@v1.4.0"'], ids=["a range", "a tag"])
def test_a_version_that_was_taken_back_is_passed_over(published, source) -> None:
    Path("triage.yaml").write_text('name: triage\nuse: {platform: {source: "' + source % published.address + "}}\n")
    assert lock_libraries(Path()).findings == []
    manifest = published.copy / "library.yaml"
    for version in ("1.7.0", "1.8.0"):
        manifest.write_text(f"library: platform\nversion: {version}\nexports: {{presets: [safe]}}\nyanked: no good\n")
        published.release(version, None)

    report = upgrade_libraries(Path())

    assert [str(one) for one in report.findings] == []
    assert [(each.before, each.after) for each in report.libraries] == [("1.4.0", "1.6.0")]


def test_the_newest_version_that_was_not_taken_back_is_added(published) -> None:
    Path("triage.yaml").write_text("name: triage\n")
    (published.copy / "library.yaml").write_text("library: platform\nversion: 3.0.0\nyanked: no good\n")
    published.release("3.0.0", None)

    added = add_library("triage.yaml", published.address)

    assert (added.version, [one.version for one in added.lock.libraries]) == ("^2.0", ["2.0.0"])


@pytest.mark.parametrize("source", ['%s", version: "^1.6"', '%s@v1.6.0"'], ids=["a range", "a tag"])
def test_a_tag_that_was_moved_is_told_and_can_be_taken(published, source) -> None:
    text = 'name: triage\nuse: {platform: {source: "' + source % published.address + "}}\nextends: platform.safe\n"
    Path("triage.yaml").write_text(text)
    assert lock_libraries(Path()).findings == []
    before = published.git("rev-parse", "v1.6.0^{commit}")
    now = published.release("1.6.0", 9)

    [found] = upgrade_libraries(Path()).findings

    assert (found.code, found.message) == (
        "AS443",
        f"`v1.6.0` of `platform` is at another commit than was locked (was {before[:12]}, is {now[:12]})",
    )
    assert lock_libraries(Path()).findings == [], "what is locked stays"
    assert plain(load("triage.yaml").tree)["execution"]["max_nudges"] == 3
    assert lock_libraries(Path(), accept_changed=True).findings == []
    assert plain(load("triage.yaml").tree)["execution"]["max_nudges"] == 9
    assert upgrade_libraries(Path()).findings == []


@pytest.mark.parametrize(
    ("version", "after", "text", "due"),
    [
        ("1.4.0", "1.5.0", "execution: {max_nudges: !final 2}", "2.0.0"),
        ("1.4.0", "1.4.1", "execution: {max_nudges: !final 2}", "2.0.0"),
        ("1.4.0", "2.0.0", "execution: {max_nudges: !final 2}", None),
        ("1.4.0", "2.0.0-beta", "execution: {max_nudges: !final 2}", None),
        ("0.4.0", "0.4.1", "execution: {max_nudges: !final 2}", "0.5.0"),
        ("0.4.0", "0.5.0", "execution: {max_nudges: !final 2}", None),
        ("1.4.0", "1.4.1", "execution: {max_nudges: 2, max_iterations: 6}", None),
    ],
)
def test_a_number_that_promises_more_than_the_change_keeps_is_told(beside, version, after, text, due) -> None:
    Path("triage.yaml").write_text(TRIAGE % ("./platform", ""))
    Path("platform/library.yaml").write_text(manifest(version))
    lock_libraries(Path())
    Path("platform/library.yaml").write_text(manifest(after))
    beside.write_text(f"preset: safe\n{text}\n")

    [upgraded] = upgrade_libraries(Path(), is_dry=True, across_majors=True).libraries
    [locked] = lock_libraries(Path()).changes

    assert (upgraded.due, locked.due) == (due, due)


def test_of_two_majors_each_is_compared_with_its_own(beside) -> None:
    shutil.copytree("platform", "two")
    Path("two/library.yaml").write_text(manifest("2.0.0"))
    Path("other.yaml").write_text(TRIAGE.replace("triage", "other") % ("./two", ""))
    lock_libraries(Path())
    for folder, version in (("platform", "1.5.0"), ("two", "2.1.0")):
        Path(folder, "library.yaml").write_text(manifest(version))

    report = upgrade_libraries(Path(), is_dry=True)

    assert sorted((each.before, each.after) for each in report.libraries) == [("1.4.0", "1.5.0"), ("2.0.0", "2.1.0")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("execution: {limits: {tokens: 5}}", "execution: {max_nudges: 2}"),
        ("capability: {toolkits: [web.fetch: {hosts: [a.org]}]}", "task: x"),
        (
            "capability: {approval: {rules: [{tool: x, decision: deny}]}, toolkits: [web.fetch]}",
            "capability: {toolkits: [web.fetch]}",
        ),
        ("capability: {toolkits: [files.read: {exclude: [a]}]}", "capability: {toolkits: [files.read]}"),
    ],
)
def test_what_is_gone_is_told_where_it_stood_in_the_library(beside, before, after) -> None:
    for version, text in (("1.4.1", before), ("1.4.2", after)):
        Path("platform/library.yaml").write_text(manifest(version))
        beside.write_text(f"preset: safe\n{text}\n")
        report = upgrade_libraries(Path(), accept_wider=True, is_dry=version == "1.4.2")

    rights = report.specs[0]["authority"]
    places = {each["a"]["file"] for each in (*rights["more"], *rights["less"]) if each["b"] is None}
    assert places == {"library:platform/presets/safe.yaml"}
