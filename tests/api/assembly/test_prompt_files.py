"""The file of a system prompt: `check` says what a run would refuse, and nothing that it could be holds a run up."""

import pytest

from agentspec import NotFound, SpecInvalid, check, load, run_sync
from tests.odd_files import make_file

SPEC = "name: a\ntask: go\nmodel: {provider: script, options: {turns: [hello]}}\ncontext: {system: {file: NAME}}\n"

KINDS = {
    "utf-16": "`PATH` cannot be used: the file is UTF-16, not UTF-8",
    "bytes": "`PATH` cannot be used: the file is not UTF-8: byte 0xFF at offset 4 belongs to no character",
    "binary": "`PATH` cannot be used: the file is binary, not text: byte 0xFF at offset 0 belongs to no character",
    "huge": "`PATH` cannot be used: the file is larger than 4 MiB",
    "pipe": "`PATH` is not a plain file",
    "device": "`prompt.md` lies outside the project folder",  # a link to it
    "folder": "`PATH` is a folder; name a file in it",
    "circle": "`PATH` cannot be read: too many levels of symbolic links",
    "gone": "no such file: `PATH`",
    "missing": "no such file: `PATH`",
    "secret": "`PATH` may hold secrets (`.env`); such files are never read",
}


@pytest.mark.parametrize("kind", KINDS)
def test_check_says_what_a_run_would_refuse(tmp_path, kind):
    prompt = tmp_path / "prompt.md"
    make_file(prompt, kind)
    spec = tmp_path / "a.yaml"
    spec.write_text(SPEC.replace("NAME", "prompt.md"))
    expected = KINDS[kind].replace("PATH", str(prompt))

    report = check(spec)

    assert [(one.code, one.path, one.message) for one in report.diagnostics] == [
        ("AS711", "context.system.file", expected)
    ]
    with pytest.raises(SpecInvalid) as refused:
        run_sync(spec)
    assert refused.value.diagnostics[0].message == expected
    assert not (tmp_path / ".agentspec").exists()


@pytest.mark.parametrize("name", ["n" * 300 + ".md", "a/" * 3000 + "b.md", '"a\\0b.md"'])
def test_a_name_that_no_file_can_have_is_a_finding(tmp_path, name):
    spec = tmp_path / "a.yaml"
    spec.write_text(SPEC.replace("NAME", name))

    assert [one.code for one in check(spec).diagnostics] == ["AS711"]


def test_a_prompt_that_vanishes_after_the_check_starts_nothing(tmp_path):
    prompt = tmp_path / "prompt.md"
    prompt.write_text("\ufeffAnswer briefly.")
    spec = tmp_path / "a.yaml"
    spec.write_text(SPEC.replace("NAME", "prompt.md"))
    loaded = load(spec)
    assert loaded.diagnostics == []
    prompt.unlink()

    with pytest.raises(NotFound) as refused:
        run_sync(loaded)

    assert str(refused.value) == f"`context.system.file`: no such file: `{prompt}`"
