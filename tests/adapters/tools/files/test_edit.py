"""The tools that change files change what was meant, as a whole, and nothing that lies elsewhere or is kept from them."""

import asyncio
import contextlib
import hashlib
import os
import shutil
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.adapters.tools.files.beneath import Refused
from agentspec.adapters.tools.files.beneath_change import existing, put
from agentspec.adapters.tools.files.edit import EditTool, toolkit
from agentspec.adapters.tools.kit import Setting
from agentspec.ports import Invocation, Output

TEXT = "import os\n\n\ndef run(x):\n    return x\n\n\ndef walk(x):\n    return x\n"


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "main.py").write_text(TEXT)
    (root / "crlf.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    (root / "utf16.txt").write_bytes("schön\r\nzwei\r\n".encode("utf-16"))
    (root / "latin.txt").write_bytes(b"caf\xe9 au lait\nplease\n")
    (root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (root / ".env").write_text("SECRET=1\n")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]\n")
    (tmp_path / "outside.txt").write_text("OUTSIDE\n")
    (root / "out").symlink_to(tmp_path)
    (root / "out_file").symlink_to(tmp_path / "outside.txt")
    (root / "inner").symlink_to("src/main.py")
    (root / "inner_folder").symlink_to("src")
    (root / "broken").symlink_to("nowhere")
    (root / "hidden").symlink_to(".env")
    (root / "gitlink").symlink_to(".git")
    return root


async def call(project, name, options=None, more=None, **arguments):
    tools = toolkit(options or {}, Setting(project, **(more or {})))
    return await tools[name][1].call(Invocation(name=name, call_id="c", arguments=arguments, key="k"))


async def done(project, name, **arguments):
    output = await call(project, name, **arguments)
    assert output.error is None, output.error
    return output


async def error(project, name, **arguments):
    output = await call(project, name, **arguments)
    assert output.status == "error"
    return output.error.message


def listed(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*"))


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


# --- the toolkit


def test_names_parameters_and_effects_are_those_of_the_language(project):
    tools = toolkit({}, Setting(project))

    assert {name: list(plan.parameters["properties"]) for name, (plan, _) in tools.items()} == {
        "write_file": ["path", "content"],
        "edit_file": ["path", "old_string", "new_string", "replace_all"],
        "patch_file": ["path", "hunks", "expected_sha256"],
        "create_directory": ["path"],
        "delete_path": ["path", "recursive"],
    }
    assert {plan.effect for plan, _ in tools.values()} == {"write"}
    assert {name: plan.repeat for name, (plan, _) in tools.items()} == {
        "write_file": "idempotent",
        "edit_file": "once",
        "patch_file": "once",
        "create_directory": "idempotent",
        "delete_path": "once",
    }


# --- write_file


async def test_a_new_file_is_written_with_the_folders_on_its_way(project):
    output = await done(project, "write_file", path="a/b/new.txt", content="grüß dich\n")

    written = project / "a" / "b" / "new.txt"
    assert written.read_bytes() == "grüß dich\n".encode()
    assert output.text == f"wrote `a/b/new.txt`; 12 bytes, SHA-256 {digest(written)}"
    assert output.data == {"path": "a/b/new.txt", "bytes": 12, "sha256": digest(written), "created": True}
    assert listed(project / "a") == ["b", "b/new.txt"]


async def test_a_replaced_file_keeps_its_mode(project):
    (project / "tool.sh").write_text("old")
    (project / "tool.sh").chmod(0o750)

    output = await done(project, "write_file", path="tool.sh", content="new\n")

    assert (project / "tool.sh").read_text() == "new\n"
    assert stat.S_IMODE((project / "tool.sh").stat().st_mode) == 0o750
    assert output.data["created"] is False


async def test_a_replaced_file_keeps_its_mark_and_line_ends(project):
    output = await done(project, "write_file", path="crlf.txt", content="1\n2\n")

    assert (project / "crlf.txt").read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n"
    assert output.text.startswith("replaced `crlf.txt`, with the encoding and the line ends that it had; 9 bytes")


async def test_a_replaced_file_keeps_its_utf_16(project):
    await done(project, "write_file", path="utf16.txt", content="größer\n")

    assert (project / "utf16.txt").read_bytes() == "\ufeffgrößer\r\n".encode("utf-16-le")


async def test_a_file_that_is_no_text_is_replaced_as_it_is_written(project):
    await done(project, "write_file", path="image.png", content="no image\n")

    assert (project / "image.png").read_bytes() == b"no image\n"


async def test_half_a_character_is_refused_and_nothing_is_made(project):
    assert await error(project, "write_file", path="x/y.txt", content="a\ud800b") == (
        "`x/y.txt` can't be edited: the text holds half a character (`\\ud800`) that can't be written"
    )
    assert not (project / "x").exists()


async def test_a_link_inside_is_written_through(project):
    output = await done(project, "write_file", path="inner", content="new\n")

    assert (project / "src" / "main.py").read_text() == "new\n"
    assert (project / "inner").is_symlink()
    assert output.data["path"] == "src/main.py"


async def test_a_new_file_in_a_linked_folder_has_its_real_path(project):
    output = await done(project, "write_file", path="inner_folder/new.py", content="")

    assert output.data["path"] == "src/new.py"


async def test_a_read_only_file_stays(project):
    (project / "src" / "main.py").chmod(0o444)
    writable = os.access(project / "src" / "main.py", os.W_OK)  # as root it is

    output = await call(project, "write_file", path="src/main.py", content="x")

    assert (output.error is None) is writable
    assert (project / "src" / "main.py").read_text() == ("x" if writable else TEXT)


async def test_a_folder_is_no_file(project):
    assert "is a folder" in await error(project, "write_file", path="src", content="")
    assert (
        await error(project, "write_file", path=".", content="")
        == "`.` is a folder; `list_directory` shows what is in it"
    )


# --- what is kept from tools


OUTSIDE = [
    "../outside.txt",
    "../new.txt",
    "src/../../outside.txt",
    "/etc/agentspec-new",
    "{root}/../outside.txt",
    "{root}-beside/x",
    "out/outside.txt",
    "out/new.txt",
    "out_file",
    "out",
    "..",
    "a\0b",
    "src/main.py/below.txt",
]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("name", ["write_file", "edit_file", "patch_file", "create_directory", "delete_path"])
async def test_nothing_outside_is_ever_changed(project, name, path):
    arguments = {
        "write_file": {"content": "CHANGED"},
        "edit_file": {"old_string": "OUTSIDE", "new_string": "CHANGED"},
        "patch_file": {"hunks": [{"old_string": "OUTSIDE", "new_string": "CHANGED"}]},
        "create_directory": {},
        "delete_path": {"recursive": True},
    }[name]
    beside = listed(project.parent)

    output = await call(project, name, path=path.format(root=project), **arguments)

    assert (project.parent / "outside.txt").read_text() == "OUTSIDE\n"
    assert (project / "src" / "main.py").read_text() == TEXT
    gone = {"project/out", "project/out_file"} if name == "delete_path" else set()  # the links themselves may go
    assert set(beside) - set(listed(project.parent)) <= gone
    assert set(listed(project.parent)) <= set(beside)
    assert output.status == "error" or (path in ("out", "out_file") and name in ("delete_path", "create_directory"))


KEPT = {
    ".env": "`.env` may hold secrets (`.env`)",
    "src/.env": "`src/.env` may hold secrets (`.env`)",
    "sub/.SSH/config": "`sub/.SSH/config` may hold secrets (`.ssh/**`)",
    "key.pem": "`key.pem` may hold secrets (`*.pem`)",
    "hidden": "`hidden` may hold secrets (`.env`)",
    ".git/config": "`.git/config` decides what later runs may do (`.git/**`)",
    ".git/hooks/pre-commit": "`.git/hooks/pre-commit` decides what later runs may do (`.git/**`)",
    "gitlink/config": "`gitlink/config` decides what later runs may do (`.git/**`)",
    "gitlink/new": "`gitlink/new` decides what later runs may do (`.git/**`)",
    "sub/.GIT": "`sub/.GIT` decides what later runs may do (`.git/**`)",
    "agentspec.toml": "`agentspec.toml` decides what later runs may do (`agentspec.toml`)",
    ".agentspec/runs.db": "`.agentspec/runs.db` decides what later runs may do (`.agentspec/**`)",
}


@pytest.mark.parametrize(("path", "words"), KEPT.items())
async def test_files_with_secrets_and_authority_are_not_written(project, path, words):
    before = listed(project)

    assert (await error(project, "write_file", path=path, content="x")).startswith(words)

    assert listed(project) == before
    assert (project / ".env").read_text() == "SECRET=1\n"
    assert (project / ".git" / "config").read_text() == "[core]\n"


async def test_secret_files_of_the_spec_are_not_written(project):
    output = await call(project, "write_file", more={"secrets": ["*.vault"]}, path="x.vault", content="")

    assert output.error.message == "`x.vault` may hold secrets (`*.vault`); no tool changes such files"
    assert not (project / "x.vault").exists()


async def test_a_pipe_is_no_file_and_is_not_waited_for(project):
    os.mkfifo(project / "pipe")

    assert await error(project, "write_file", path="pipe", content="x") == (
        "`pipe` is a pipe, no file that can be read"
    )


@pytest.mark.parametrize("count", [100, pytest.param(20_000, marks=pytest.mark.slow)])
async def test_nothing_leads_out_while_somebody_swaps_links(project, count):
    (project / "folder").mkdir()
    stop = threading.Event()

    def attack():
        folder, aside = project / "folder", project / "aside"
        while not stop.is_set():
            with contextlib.suppress(OSError):  # the tool makes the folder anew where it is just missing
                folder.rename(aside)
                folder.symlink_to(project.parent)
                folder.unlink()
            shutil.rmtree(aside, ignore_errors=True)

    attacker = threading.Thread(target=attack)
    attacker.start()
    try:
        for _ in range(count):
            await call(project, "write_file", path="folder/outside.txt", content="CHANGED")
    finally:
        stop.set()
        attacker.join()

    assert (project.parent / "outside.txt").read_text() == "OUTSIDE\n"
    assert sorted(path.name for path in project.parent.iterdir()) == ["outside.txt", "project"]


async def test_no_draft_is_left_beside_a_file(project):
    await done(project, "write_file", path="src/main.py", content="x")
    await error(project, "write_file", path="broken", content="x")

    assert not [name for name in listed(project) if ".agentspec-" in name]


# --- edit_file


async def test_an_edit_replaces_the_one_place(project):
    output = await done(project, "edit_file", path="src/main.py", old_string="def run(x):", new_string="def go(x):")

    changed = project / "src" / "main.py"
    assert changed.read_text() == TEXT.replace("run", "go")
    assert output.text == f"changed `src/main.py` in 1 place (line 4); 64 bytes, SHA-256 {digest(changed)}"
    assert output.data == {
        "path": "src/main.py",
        "bytes": 64,
        "sha256": digest(changed),
        "replaced": 1,
        "lines": [4],
    }


async def test_a_text_that_stands_twice_is_not_guessed_about(project):
    assert await error(project, "edit_file", path="src/main.py", old_string="return x", new_string="pass") == (
        "`src/main.py` was not changed: `old_string` stands 2 times (lines 5, 9); give more of what is around it"
    )
    assert (project / "src" / "main.py").read_text() == TEXT


async def test_places_that_overlap_are_two(project):
    (project / "a.txt").write_text("aaa")

    assert "stands 2 times" in await error(project, "edit_file", path="a.txt", old_string="aa", new_string="b")


async def test_replace_all_replaces_each(project):
    output = await done(
        project, "edit_file", path="src/main.py", old_string="return x", new_string="pass", replace_all=True
    )

    assert (project / "src" / "main.py").read_text() == TEXT.replace("return x", "pass")
    assert output.data["lines"] == [5, 9]


NEAR = {
    "def RUN(x):": "`old_string` isn't in the file; it would fit in line 4 but for capital letters",
    "def run(x):\n  return x": (
        "`old_string` isn't in the file; lines 4 to 5 differ from it only in white space:\ndef run(x):\n    return x"
    ),
    "def run( x ):": "`old_string` isn't in the file; line 4 differs from it only in white space:\ndef run(x):",
    "4\tdef run(x):\n5\t    return x": ("`old_string` isn't in the file as it stands: leave out the numbers of lines"),
    "def runs(x, y):": "`old_string` isn't in the file; the nearest to its first line is line 4: `def run(x):`",
    "caf\ufffd": ("`old_string` isn't in the file: `\ufffd` stands for bytes that are not UTF-8; leave them out of it"),
    "nothing of the kind": "`old_string` isn't in the file",
}


@pytest.mark.parametrize(("old", "words"), NEAR.items())
@pytest.mark.parametrize("everywhere", [False, True])
async def test_what_is_not_there_is_told_with_what_is_near(project, old, words, everywhere):
    message = await error(
        project, "edit_file", path="src/main.py", old_string=old, new_string="x", replace_all=everywhere
    )

    assert message == f"`src/main.py` was not changed: {words}"


async def test_an_edit_that_changes_nothing_or_nowhere_is_refused(project):
    assert "are the same" in await error(project, "edit_file", path="src/main.py", old_string="x\r\n", new_string="x\n")
    assert "is empty" in await error(project, "edit_file", path="src/main.py", old_string="", new_string="x")
    assert await error(project, "edit_file", path="nope.py", old_string="a", new_string="b") == "there is no `nope.py`"
    assert await error(project, "edit_file", path="image.png", old_string="a", new_string="b") == (
        "`image.png` can't be edited: it is no text"
    )


@pytest.mark.parametrize("old", ["one\ntwo", "one\r\ntwo"])
async def test_line_feeds_match_a_file_with_carriage_returns_which_stay(project, old):
    await done(project, "edit_file", path="crlf.txt", old_string=old, new_string="1\n1a\n2")

    assert (project / "crlf.txt").read_bytes() == b"\xef\xbb\xbf1\r\n1a\r\n2\r\nthree\r\n"


async def test_a_file_in_utf_16_stays_one(project):
    await done(project, "edit_file", path="utf16.txt", old_string="schön\nzwei", new_string="größer\ndrei")

    assert (project / "utf16.txt").read_bytes() == "größer\r\ndrei\r\n".encode("utf-16")


async def test_bytes_that_are_not_utf_8_stay_as_they_are(project):
    await done(project, "edit_file", path="latin.txt", old_string="please", new_string="thanks")

    assert (project / "latin.txt").read_bytes() == b"caf\xe9 au lait\nthanks\n"
    assert await error(project, "edit_file", path="latin.txt", old_string="thanks", new_string="à toi") == (
        "`latin.txt` can't be edited: it is not UTF-8, and letters beyond ASCII can't be put into it"
    )


async def test_a_failed_edit_tells_programs_its_path(project):
    output = await call(project, "edit_file", path="./src/../src/main.py", old_string="nope", new_string="x")

    assert output.data == {"path": "src/main.py"}


# --- patch_file


async def test_hunks_are_found_in_the_file_as_it_was_and_made_together(project):
    output = await done(
        project,
        "patch_file",
        path="src/main.py",
        hunks=[
            {"old_string": "def walk(x):", "new_string": "def run(x, y):"},
            {"old_string": "    return x", "new_string": "    return 2 * x", "line": 5},
            {"old_string": "", "new_string": "import re\n", "line": 2},
            {"old_string": "", "new_string": "# end\n", "line": 10},
        ],
        expected_sha256=digest(project / "src" / "main.py").upper(),
    )

    assert (project / "src" / "main.py").read_text() == (
        "import os\nimport re\n\n\ndef run(x):\n    return 2 * x\n\n\ndef run(x, y):\n    return x\n# end\n"
    )
    assert output.data["lines"] == [2, 5, 8, 10]


async def test_insertions_at_one_line_keep_their_order(project):
    hunks = [{"old_string": "", "new_string": text, "line": 1} for text in ("z\n", "a\n", "m\n")]

    await done(project, "patch_file", path="latin.txt", hunks=hunks)

    assert (project / "latin.txt").read_bytes().startswith(b"z\na\nm\ncaf\xe9")


async def test_a_line_after_a_last_one_without_an_end_is_one(project):
    (project / "open.txt").write_text("last")

    await done(project, "patch_file", path="open.txt", hunks=[{"old_string": "", "new_string": "more\n", "line": 2}])

    assert (project / "open.txt").read_text() == "last\nmore\n"


HUNKS = {
    "hunk 2: `old_string` isn't in the file; no hunk was applied": [("run", "go"), ("nothing of it", "x")],
    "the hunks 1 and 2 overlap; make one hunk of them": [("def run(x)", "a"), ("run", "b")],
    "hunk 1: `old_string` and `new_string` are the same; no hunk was applied": [("run", "run")],
    "hunk 1: an empty `old_string` inserts before `line`, which is missing; no hunk was applied": [("", "x")],
    "hunk 1: there is no line 99; the file has 9; no hunk was applied": [("", "x", 99)],
    "hunk 1: `old_string` stands 2 times (lines 5, 9); give more of what is around it; no hunk was applied": [
        ("return x", "x", 7)
    ],
}


@pytest.mark.parametrize(("words", "rows"), HUNKS.items())
async def test_one_bad_hunk_leaves_the_file_alone(project, words, rows):
    hunks = [dict(zip(("old_string", "new_string", "line"), row, strict=False)) for row in rows]

    assert await error(project, "patch_file", path="src/main.py", hunks=hunks) == (
        f"`src/main.py` was not changed: {words}"
    )
    assert (project / "src" / "main.py").read_text() == TEXT


async def test_a_file_that_is_not_what_it_was_is_not_patched(project):
    hunks = [{"old_string": "run", "new_string": "go"}]
    now = digest(project / "src" / "main.py")

    assert await error(project, "patch_file", path="src/main.py", hunks=hunks, expected_sha256="0" * 64) == (
        f"`src/main.py` is not what it was: its SHA-256 is `{now}`; read it again"
    )


# --- create_directory, delete_path


async def test_folders_are_made_and_those_that_are_there_are_no_error(project):
    first = await done(project, "create_directory", path="x/y/z")
    again = await done(project, "create_directory", path="x/y/z/")

    assert (first.text, first.data) == ("made the folder `x/y/z`", {"path": "x/y/z", "created": True})
    assert (again.text, again.data) == ("the folder `x/y/z/` was already there", {"path": "x/y/z", "created": False})


async def test_a_folder_cannot_stand_where_a_file_or_a_broken_link_is(project):
    assert (
        await error(project, "create_directory", path="crlf.txt") == "`crlf.txt` is no folder; `read_file` shows a file"
    )
    assert "link or a file bears a name on its way" in await error(project, "create_directory", path="broken/x")


async def test_a_file_a_link_and_a_folder_are_deleted_and_what_links_lead_to_stays(project):
    await done(project, "delete_path", path="crlf.txt")
    await done(project, "delete_path", path="broken")
    await done(project, "delete_path", path="out")
    (project / "src" / "link").symlink_to(project.parent)
    output = await done(project, "delete_path", path="src", recursive=True)

    assert (output.text, output.data) == ("deleted `src` (3 entries)", {"path": "src", "deleted": 3})
    assert not {"crlf.txt", "broken", "out", "src"} & set(listed(project))
    assert (project.parent / "outside.txt").exists()


async def test_what_is_not_there_needs_no_deleting(project):
    output = await done(project, "delete_path", path="nope")

    assert (output.text, output.data) == ("there is no `nope`: nothing to delete", {"path": "nope", "deleted": 0})


async def test_a_full_folder_needs_recursive(project):
    assert (
        await error(project, "delete_path", path="src") == "`src` holds 1 entries; `recursive: true` removes them too"
    )
    assert (project / "src" / "main.py").exists()


async def test_a_folder_that_holds_what_is_kept_is_not_deleted(project):
    (project / "sub" / "deep").mkdir(parents=True)
    (project / "sub" / "a.txt").write_text("")
    (project / "sub" / "deep" / ".env").write_text("")

    assert (await error(project, "delete_path", path="sub", recursive=True)).startswith(
        "`sub` may hold secrets (`.env`)"
    )
    assert (await error(project, "delete_path", path=".git", recursive=True)).startswith("`.git` decides what")
    assert await error(project, "delete_path", path=".", recursive=True) == "`.` is the folder of this tool itself"
    assert listed(project / "sub") == ["a.txt", "deep", "deep/.env"]


# --- moments


async def test_a_file_that_somebody_changes_meanwhile_is_not_overwritten(project):
    path = project / "src" / "main.py"

    def change(changing, arguments):
        with existing(changing.beneath, "src/main.py", 10_000) as file:
            path.write_text("somebody else's")
            put(file.place, b"mine", file.stat, changing.stop)
        return Output()

    tool = EditTool(change, toolkit({}, Setting(project))["edit_file"][1]._beneath)
    output = await tool.call(Invocation(name="x", call_id="c", arguments={"path": "src/main.py"}, key="k"))

    assert output.error.message == "`src/main.py` was changed by somebody else meanwhile; read it again"
    assert path.read_text() == "somebody else's"


async def test_a_cancelled_call_has_ended_and_changed_nothing(project):
    begun, ended = threading.Event(), []

    def change(changing, arguments):
        begun.set()
        changing.stop.wait(10)
        ended.append(True)
        raise Refused("cancelled", "nobody waits")

    tool = EditTool(change, toolkit({}, Setting(project))["edit_file"][1]._beneath)
    task = asyncio.create_task(tool.call(Invocation(name="x", call_id="c", arguments={"path": "a"}, key="k")))
    await asyncio.to_thread(begun.wait)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]


# --- properties


LINES = st.lists(st.text("abå\t ", max_size=4), min_size=1, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES, new=LINES, at=st.integers(0, 5), newline=st.sampled_from(["\n", "\r\n"]), bom=st.booleans())
def test_an_edit_by_line_changes_that_line_alone(project, lines, new, at, newline, bom):
    lines = [f"{number}:{line}" for number, line in enumerate(lines)]
    at %= len(lines)
    start = b"\xef\xbb\xbf" if bom else b""
    (project / "p.txt").write_bytes(start + newline.join((*lines, "")).encode())

    asyncio.run(done(project, "edit_file", path="p.txt", old_string=lines[at], new_string="\n".join(["new", *new])))

    expected = newline.join((*lines[:at], "new", *new, *lines[at + 1 :], ""))
    assert (project / "p.txt").read_bytes() == start + expected.encode()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.one_of(
        st.text(max_size=30), st.lists(st.sampled_from(["..", ".", "out", "src", "", "é", "\ud800"])).map("/".join)
    )
)
@pytest.mark.parametrize("name", ["write_file", "delete_path", "create_directory"])
def test_no_path_whatever_raises_or_leads_out(project, name, path):
    arguments = {"content": "CHANGED"} if name == "write_file" else {}

    asyncio.run(call(project, name, path=path, **arguments))

    assert (project.parent / "outside.txt").read_text() == "OUTSIDE\n"
    assert sorted(path.name for path in project.parent.iterdir()) == ["outside.txt", "project"]
