"""`agentspec lib`: add, lock, verify, list and upgrade, as a person and as a program read it."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def project(tmp_path):
    for name, text in {
        "platform/library.yaml": "library: platform\nversion: 1.4.0\nexports: {presets: [safe]}\n",
        "platform/presets/safe.yaml": "preset: safe\nexecution: {max_nudges: 2}\n",
        "triage.yaml": "name: triage\nextends: platform.safe\nmodel: {provider: script}\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_library_is_added_locked_verified_and_listed(agentspec, project):
    added = agentspec("lib", "add", "triage.yaml", "platform")
    again = agentspec("lib", "lock")
    verified = agentspec("lib", "verify")
    listed = agentspec("lib", "list")

    assert (added.code, added.err) == (0, "")
    assert added.out == (
        'triage.yaml: use: {platform: {source: "./platform", version: "^1.4"}}\n'
        "platform 1.4.0  platform\nagentspec.lock: written\n"
    )
    assert again.out == "platform 1.4.0  platform\nagentspec.lock: nothing changes\n"
    assert (verified.code, verified.out) == (0, "every locked library is what was locked\n")
    assert listed.out == "platform 1.4.0  platform\n  presets: safe\n"
    assert agentspec("check", "triage.yaml").code == 0
    assert agentspec("run", "triage.yaml", "go", "--script", str(script(project))).out == "Done.\n"


def script(project):
    file = project / "turns.json"
    file.write_text(json.dumps([{"text": "Done."}]))
    return file


def test_a_program_reads_the_same_as_json(agentspec, project):
    added = json.loads(agentspec("lib", "add", "triage.yaml", "platform", "--json").out)
    listed = json.loads(agentspec("lib", "list", "--json").out)

    entry = {"name": "platform", "version": "1.4.0", "source": "platform", "commit": None}
    assert added == {
        "added": {"name": "platform", "source": "./platform", "version": "^1.4"},
        "lock": "agentspec.lock",
        "changed": True,
        "libraries": [entry],
        "changes": [{"name": "platform", "before": None, "after": "1.4.0", "weight": None, "due": None, "reasons": []}],
        "diagnostics": [],
    }
    assert listed == [
        {
            **entry,
            "is_there": True,
            "description": None,
            "deprecated": None,
            "yanked": None,
            "exports": {"presets": ["safe"]},
            "requires": {},
            "files": 2,
        }
    ]


def test_a_changed_library_is_told_by_verify_and_by_a_run(agentspec, project):
    agentspec("lib", "add", "triage.yaml", "platform")
    (project / "platform/presets/safe.yaml").write_text("preset: safe\nexecution: {max_nudges: 3}\n")

    verified = agentspec("lib", "verify")
    run = agentspec("run", "triage.yaml", "go")

    assert verified.code == 1
    assert verified.out.startswith("error[AS444]: `safe` of `platform` means something else than was locked as 1.4.0\n")
    assert run.code == 2
    assert "`safe` of `platform` means something else" in run.err


def test_an_upgrade_tells_what_changes_and_refuses_what_is_wider(agentspec, project):
    agentspec("lib", "add", "triage.yaml", "platform")
    (project / "platform/library.yaml").write_text("library: platform\nversion: 1.5.0\nexports: {presets: [safe]}\n")
    (project / "platform/presets/safe.yaml").write_text(
        "preset: safe\nexecution: {max_nudges: 1}\ncapability: {toolkits: [files.read]}\n"
    )

    refused = agentspec("lib", "upgrade")
    taken = agentspec("lib", "upgrade", "--accept-wider")
    nothing = agentspec("lib", "upgrade")

    lines = refused.out.splitlines()
    assert refused.code == 1
    assert lines[0] == "platform 1.4.0 → 1.5.0: lets specs do more"
    assert lines[-1] == "not taken: a spec may do more then; `--accept-wider` takes it"
    assert "  execution.max_nudges: 2 → 1" in lines
    assert "  + tools: read_file (read, allow)  # capability.toolkits[0] platform/presets/safe.yaml:3:25" in lines
    assert (taken.code, taken.out.splitlines()[-1]) == (0, "taken")
    assert (nothing.code, nothing.out) == (0, "every library is of its newest version\n")


def test_mistakes_are_sentences(agentspec, project):
    no_library = agentspec("lib", "add", "triage.yaml", "nowhere")
    no_name = agentspec("lib", "upgrade", "platfrom")
    no_folder = agentspec("lib", "lock", "nowhere")

    assert (no_library.code, no_library.err) == (
        2,
        "agentspec: there is no library in `nowhere`: it has no `library.yaml`\n",
    )
    assert no_name.code == 2
    assert no_folder.code == 2
    assert "Traceback" not in no_library.err + no_name.err + no_folder.err


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("platform/presets/safe.yaml", "preset: safe\nexecution: {max_nudges: 3}\n", "AS444"),
        ("platform/presets/safe.yaml", "preset: safe\nexecution: {max_nudges: 2} # more\n", "AS443"),
        ("platform/notes.md", "new\n", "AS443"),
        ("agentspec.lock", "", "AS441"),
    ],
)
def test_what_was_checked_before_is_checked_again_where_its_library_changed(agentspec, project, name, text, code):
    agentspec("lib", "add", "triage.yaml", "platform")
    (project / "second.yaml").write_text((project / "triage.yaml").read_text())
    first, kept = (agentspec("check", "triage.yaml", "second.yaml") for _ in range(2))
    (project / name).write_text(text)

    then = agentspec("check", "triage.yaml", "second.yaml", "--format", "json")

    assert (first.code, kept.code, then.code) == (0, 0, 1)
    told = [(each["file"], each["code"]) for each in json.loads(then.out)["diagnostics"]]
    assert told == [("second.yaml", code), ("triage.yaml", code)]


def test_exports_are_listed_shown_and_compared_as_presets_are(agentspec, project):
    agentspec("lib", "add", "triage.yaml", "platform")
    (project / "next.yaml").write_text("preset: next\nexecution: {max_nudges: 5}\n")

    listed = agentspec("preset", "list")
    shown = agentspec("preset", "show", "platform.safe")
    compared = agentspec("preset", "diff", "platform.safe", "./next.yaml")

    assert [line.rstrip() for line in listed.out.splitlines()[8:]] == [
        "platform.safe",
        "./next.yaml",
        "./platform/presets/safe.yaml",
    ]
    assert shown.out.splitlines()[-1].startswith("execution.max_nudges: 2")
    assert compared.out == (
        "platform.safe → ./next.yaml\n  execution.max_nudges: 2 → 5\ntriage.yaml:\n  execution.max_nudges: 2 → 5\n"
    )


@pytest.mark.parametrize("name", ["house.safe", "platform.safe"])
def test_an_export_goes_by_its_name_in_a_spec_and_by_its_librarys_own(agentspec, project, name):
    (project / "triage.yaml").write_text("name: triage\nextends: house.safe\nmodel: {provider: script}\n")
    agentspec("lib", "add", "triage.yaml", "platform", "--as", "house")

    explained = agentspec("explain", name)
    shown = agentspec("preset", "show", name)
    compared = agentspec("preset", "diff", name, name)

    alias = name.partition(".")[0]
    assert explained.out == (
        f"{name}: a preset of a library.\nwritten: `extends: {name}`, where `use` calls the library `{alias}`; "
        f"what it says holds where the spec says nothing else\nwhat it says: `agentspec preset show {name}`\n"
    )
    assert shown.out.startswith(f"{name}: a preset\nexecution.max_nudges: 2")
    assert compared.out == f"{name} and {name} say the same\ntriage.yaml: nothing changes\n"


def test_a_name_that_specs_use_for_two_libraries_is_refused(agentspec, project):
    agentspec("lib", "add", "triage.yaml", "platform", "--as", "p")
    (project / "other/presets").mkdir(parents=True)
    (project / "other/library.yaml").write_text("library: other\nversion: 1.0.0\nexports: {presets: [safe]}\n")
    (project / "other/presets/safe.yaml").write_text("preset: safe\n")
    (project / "b.yaml").write_text("name: b\n")
    agentspec("lib", "add", "b.yaml", "other", "--as", "p")

    shown = agentspec("preset", "show", "p.safe")

    assert (shown.code, shown.out) == (2, "")
    assert shown.err == (
        "agentspec: `p.safe` is the name of 2 presets: "
        "`other/presets/safe.yaml`, `platform/presets/safe.yaml`; which one is meant?\n"
    )
