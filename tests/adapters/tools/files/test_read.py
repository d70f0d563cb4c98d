"""The tools that look at files show what is there, in bounded parts, and say how to go on."""

import asyncio
import json
import os
import secrets
import time
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.adapters.tools.files.read import TOOLS, require, toolkit
from agentspec.adapters.tools.kit import Setting
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.ports import Invocation


@pytest.fixture
def project(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").write_text(
        "import os\n\n\ndef run(x):\n    return x  # TODO_MARK\n\n\nclass Box:\n    pass\n"
    )
    (tmp_path / "README.md").write_text("# Title\n\ntext\n\n## Part two\n")
    (tmp_path / "numbers.txt").write_text("".join(f"line {i}\n" for i in range(1, 5001)))
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / ".env").write_text("SECRET=TODO_MARK\n")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait, please\n")
    (tmp_path / "utf16.txt").write_bytes("schön\nzwei\n".encode("utf-16"))
    (tmp_path / "crlf.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "x.py").write_text("TODO_MARK\n")
    (tmp_path / "link.md").symlink_to("README.md")
    (tmp_path / "out").symlink_to("/etc")
    return tmp_path


async def call(project, name, options=None, more=None, **arguments):
    tools = toolkit(options or {}, Setting(project, **(more or {})))
    return await tools[name][1].call(Invocation(name=name, call_id="c", arguments=arguments, key="k"))


async def text(project, name, options=None, more=None, **arguments):
    output = await call(project, name, options, more, **arguments)
    assert output.error is None, output.error
    return output.text


async def error(project, name, options=None, **arguments):
    output = await call(project, name, options, **arguments)
    assert output.status == "error"
    return output.error.message


# --- the toolkit


def test_names_and_parameters_are_those_of_the_language(project):
    tools = toolkit({}, Setting(project))

    assert {name: list(schema.parameters["properties"]) for name, (schema, _) in tools.items()} == {
        "read_file": ["path", "offset", "limit"],
        "read_file_tail": ["path", "lines"],
        "list_directory": ["path"],
        "search_files": ["pattern", "path", "glob", "ignore_case", "max_matches"],
        "find_files": ["glob", "path"],
        "file_outline": ["path"],
    }
    assert {name: schema.parameters.get("required", []) for name, (schema, _) in tools.items()} == {
        "read_file": ["path"],
        "read_file_tail": ["path"],
        "list_directory": [],
        "search_files": ["pattern"],
        "find_files": ["glob"],
        "file_outline": ["path"],
    }
    assert all(schema.parameters["additionalProperties"] is False for schema, _ in tools.values())


def test_tools_are_chosen_and_renamed(project):
    assert list(toolkit({"enabled": ["find_files", "read_file"]}, Setting(project))) == ["read_file", "find_files"]
    assert list(toolkit({"disabled": list(TOOLS)[1:]}, Setting(project))) == ["read_file"]
    renamed = toolkit({"names": {"read_file": "cat"}, "descriptions": {"read_file": "Show."}}, Setting(project))
    assert renamed["cat"][0].name == "cat"
    assert renamed["cat"][0].description == "Show."


def test_a_tool_that_does_not_exist_is_named(project):
    with pytest.raises(SpecInvalid, match=r"has no tool `read_fil`; did you mean `read_file`?"):
        toolkit({"enabled": ["read_fil"]}, Setting(project))


def test_a_folder_that_does_not_exist_is_named(project):
    with pytest.raises(Unavailable, match=r"the folder `.*/nowhere` of the toolkit `files.read` does not exist"):
        require({"root": "nowhere"}, Setting(project))


async def test_the_root_bounds_everything(project):
    assert await text(project, "read_file", {"root": "src"}, path="main.py")
    assert await error(project, "read_file", {"root": "src"}, path="../README.md") == (
        "`../README.md` leads out of the folder of this tool"
    )
    assert await error(project, "list_directory", path="out")
    assert await error(project, "search_files", pattern="root", path="out")


# --- read_file


async def test_a_file_is_shown_as_it_is(project):
    output = await call(project, "read_file", path="README.md")

    assert output.text == "# Title\n\ntext\n\n## Part two\n"
    assert output.data == {"path": "README.md", "first_line": 1, "last_line": 5, "complete": True, "size": 27}


async def test_a_stretch_says_how_to_go_on(project):
    assert await text(project, "read_file", path="numbers.txt", offset=10, limit=2) == (
        "line 10\nline 11\n[lines 10 to 11 of `numbers.txt` (48893 bytes); go on with offset=12]"
    )
    assert await text(project, "read_file", path="numbers.txt", offset=5000, limit=2) == "line 5000\n"
    assert (await text(project, "read_file", path="numbers.txt")).endswith(
        "line 2000\n[lines 1 to 2000 of `numbers.txt` (48893 bytes); go on with offset=2001]"
    )


async def test_an_answer_stays_below_the_cap_of_results(project):
    shown = await text(project, "read_file", more={"result_max": 4096}, path="numbers.txt", limit=5000)

    assert len(shown.encode()) <= 4096
    assert "go on with offset=" in shown


async def test_a_line_that_is_not_there_is_said(project):
    assert (
        await error(project, "read_file", path="README.md", offset=9) == "`README.md` has 5 lines; there is no line 9"
    )


async def test_an_empty_file_is_said(project):
    assert await text(project, "read_file", path="empty.txt") == "(the file is empty)"
    assert await text(project, "read_file_tail", path="empty.txt") == "(the file is empty)"


async def test_a_binary_file_is_described(project):
    expected = "(binary file, not shown: 108 bytes, PNG image, begins 89 50 4e 47 0d 0a 1a 0a)"

    assert await text(project, "read_file", path="image.png") == expected
    assert await text(project, "read_file_tail", path="image.png") == expected


async def test_other_encodings_are_read_or_said(project):
    assert await text(project, "read_file", path="latin.txt") == (
        "caf\ufffd au lait, please\n[1 bytes that are not UTF-8 were replaced by \ufffd]"
    )
    assert await text(project, "read_file", path="utf16.txt") == "schön\nzwei\n"
    assert await text(project, "read_file", path="crlf.txt") == "one\r\ntwo\r\n"


async def test_a_wrong_path_gets_a_suggestion(project):
    assert (
        await error(project, "read_file", path="src/mian.py")
        == "there is no `src/mian.py`; did you mean `src/main.py`?"
    )
    assert await error(project, "read_file", path="nowhere/x") == "there is no `nowhere/x`"


async def test_a_long_line_is_cut(project):
    (project / "long.txt").write_text("é" * 10_000 + "\nshort\n")

    assert await text(project, "read_file", {"max_line_bytes": "1KiB"}, path="long.txt") == (
        "é" * 512 + "… [line of 20001 bytes]\nshort\n[1 lines were longer than 1024 bytes and are cut]"
    )


async def test_a_huge_file_is_read_by_range(project):
    line = "x" * 99 + "\n"
    (project / "huge.txt").write_text("first\n" + line * 640_000 + "last\n")
    tracemalloc.start()

    assert await text(project, "read_file", path="huge.txt", limit=1) == (
        "first\n[lines 1 to 1 of `huge.txt` (64000011 bytes); go on with offset=2]"
    )
    assert await text(project, "read_file", path="huge.txt", offset=640_001) == line + "last\n"
    assert await text(project, "read_file_tail", path="huge.txt", lines=2) == line + "last\n"
    assert await text(project, "search_files", path="huge.txt", pattern="^last") == "huge.txt:640002: last"

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12_000_000


async def test_links_inside_are_followed_and_secrets_are_not(project):
    (project / "harmless.txt").symlink_to(".env")

    assert (await text(project, "read_file", path="link.md")).startswith("# Title")
    for path in (".env", "harmless.txt"):
        assert "may hold secrets (`.env`)" in await error(project, "read_file", path=path)
        assert "may hold secrets (`.env`)" in await error(project, "read_file_tail", path=path)


# --- read_file_tail


async def test_the_tail_is_the_last_lines(project):
    assert await text(project, "read_file_tail", path="numbers.txt", lines=2) == "line 4999\nline 5000\n"
    assert (await text(project, "read_file_tail", path="numbers.txt")).count("\n") == 50
    assert await text(project, "read_file_tail", path="README.md", lines=99) == "# Title\n\ntext\n\n## Part two\n"


async def test_a_tail_that_does_not_fit_says_so(project):
    shown = await text(project, "read_file_tail", more={"result_max": 2048}, path="numbers.txt", lines=5000)

    assert len(shown.encode()) <= 2048
    assert shown.endswith(" lines of `numbers.txt` (48893 bytes); no more fit]")


# --- list_directory


async def test_a_folder_is_listed(project):
    os.mkfifo(project / "src" / "pipe")
    (project / "src" / "id_rsa").write_text("x")
    (project / "src" / "sub").mkdir()
    (project / "src" / "way").symlink_to("main.py")

    assert await text(project, "list_directory", path="src") == (
        "id_rsa  (secret, not readable)\nmain.py  72 bytes\npipe  (a pipe)\nsub/\nway -> main.py"
    )
    assert "README.md  27 bytes\n" in await text(project, "list_directory")
    assert await text(project, "list_directory", path="src/sub") == "(the folder is empty)"


async def test_a_file_is_no_folder(project):
    assert (
        await error(project, "list_directory", path="README.md") == "`README.md` is no folder; `read_file` shows a file"
    )


async def test_a_long_list_is_bounded(project):
    for number in range(1100):
        (project / "src" / f"f{number:04}").touch()

    shown = await text(project, "list_directory", path="src")

    assert shown.endswith("f0999  0 bytes\n[only the first 1000 of 1101 entries are shown]")


async def test_excluded_paths_are_not_listed(project):
    shown = await text(project, "list_directory", {"exclude": ["*.md", "src"]})

    assert "README.md" not in shown
    assert "src" not in shown


# --- search_files


async def test_lines_are_found(project):
    output = await call(project, "search_files", pattern=r"TODO_\w+")

    assert output.text == "src/main.py:5:     return x  # TODO_MARK"
    assert output.data == {"matches": 1, "complete": True}


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"pattern": "^line 49\\d$", "path": "numbers.txt"}, [f"numbers.txt:{i}: line {i}" for i in range(490, 500)]),
        ({"pattern": "title", "ignore_case": True, "glob": "*.md"}, ["README.md:1: # Title", "link.md:1: # Title"]),
        ({"pattern": "x", "path": "src"}, ["src/main.py:4: def run(x):", "src/main.py:5:     return x  # TODO_MARK", "src/main.py:8: class Box:"]),
        ({"pattern": "two$", "path": "crlf.txt"}, []),
        ({"pattern": "two", "path": "crlf.txt"}, ["crlf.txt:2: two"]),
        ({"pattern": "a[^z]*T", "path": "README.md"}, []),
        ({"pattern": "^$", "path": "README.md"}, ["README.md:2: ", "README.md:4: "]),
        ({"pattern": "caf", "glob": "lat*"}, ["latin.txt:1: caf\ufffd au lait, please"]),
        ({"pattern": "PNG"}, []),
        ({"pattern": "TODO_MARK", "path": "node_modules"}, ["node_modules/x.py:1: TODO_MARK"]),
    ],
)  # fmt: skip
async def test_a_search_finds_lines(project, arguments, found):
    output = await call(project, "search_files", **arguments)

    assert output.text.splitlines() == (found or [output.text])
    assert output.data["matches"] == len(found)


async def test_a_search_that_finds_nothing_says_so(project):
    assert (
        await text(project, "search_files", pattern="nothing-like-it", path="src")
        == "no line of 1 files fits `nothing-like-it`"
    )


async def test_matches_are_bounded(project):
    assert await text(project, "search_files", pattern="line", path="numbers.txt", max_matches=2) == (
        "numbers.txt:1: line 1\nnumbers.txt:2: line 2\n"
        "[only the first 2 matches are shown; narrow the pattern, the path or the glob]"
    )
    assert (await call(project, "search_files", {"max_matches": 3}, pattern="line", max_matches=99)).data[
        "matches"
    ] == 3


async def test_a_match_in_a_long_line_is_shown_with_its_surroundings(project):
    (project / "min.js").write_text("x" * 50_000 + "NEEDLE" + "y" * 50_000 + "\n")

    shown = await text(project, "search_files", {"max_line_bytes": 300}, pattern="NEEDLE")

    assert "NEEDLE" in shown
    assert len(shown) < 400
    assert shown.endswith("… [line of 100006 bytes]")


async def test_matches_beyond_a_block_have_their_line_numbers(project):
    (project / "big.txt").write_text("".join(f"{i:07} {'x' * 90}\n" for i in range(40_000)) + "NEEDLE\n")

    assert await text(project, "search_files", pattern="NEEDLE", path="big.txt") == "big.txt:40001: NEEDLE"
    assert (
        await text(project, "search_files", pattern="^0023456 ", path="big.txt", max_matches=1)
        == f"big.txt:23457: 0023456 {'x' * 90}"
    )


@pytest.mark.parametrize("pattern", ["(", "(?=x)", r"(a)\1", "a{2000}{2000}"])
async def test_a_pattern_that_re2_cannot_read_is_said(project, pattern):
    message = await error(project, "search_files", pattern=pattern)

    assert message.startswith(f"the pattern `{pattern}` can't be read: ")
    assert message.endswith("(RE2: no look-around, no back-references)")


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(.*)*x", "(a*)*b", "([a-zA-Z]+)*1", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"]
)
async def test_no_pattern_is_slow(project, pattern):
    (project / "a.txt").write_text("a" * 100_000 + "!\n")
    started = time.process_time()

    await call(project, "search_files", pattern=pattern, path="a.txt")

    assert time.process_time() - started < 3


# --- find_files


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"glob": "*.py"}, "src/main.py"),
        ({"glob": "**/*.md"}, "README.md\nlink.md"),
        ({"glob": "main.*", "path": "src"}, "src/main.py"),
        ({"glob": ".env*"}, ".env  (secret, not readable)"),
        ({"glob": "*.rs"}, "no file fits `*.rs`"),
        ({"glob": "x.py", "path": "node_modules"}, "node_modules/x.py"),
    ],
)
async def test_files_are_found_by_name(project, arguments, found):
    assert await text(project, "find_files", **arguments) == found


async def test_links_that_lead_out_are_not_walked(project):
    shown = await text(project, "find_files", glob="passwd")

    assert shown == "no file fits `passwd`"


async def test_deep_folders_are_bounded(project):
    deep = project
    for _ in range(60):
        deep = deep / "d"
        deep.mkdir()
    (deep / "bottom.txt").touch()

    assert await text(project, "find_files", glob="bottom.txt") == (
        "no file fits `bottom.txt`\n[not everything was looked at: stopped at folders more than 40 deep]"
    )


# --- file_outline


async def test_an_outline_names_the_parts(project):
    assert await text(project, "file_outline", path="src/main.py") == "4: def run(x):\n8: class Box:"
    assert await text(project, "file_outline", path="README.md") == "1: # Title\n5: ## Part two"
    assert await error(project, "file_outline", path="empty.txt") == (
        "there is no outline for files like `empty.txt`; read it with `read_file`"
    )


@pytest.mark.parametrize(
    ("name", "source", "parts"),
    [
        ("a.ts", "export class A {\n  x = 1\n}\nexport const f = (a) => a\nfunction g() {}\n", [1, 4, 5]),
        ("a.go", "package a\n\nfunc Main() {\n}\ntype T struct {\n", [3, 5]),
        ("a.rs", "use x;\npub fn f() {}\nstruct S;\n", [2, 3]),
        ("A.java", "public class A {\n  private int x;\n  public void run(int a) {\n  }\n}\n", [1, 3]),
        ("a.c", "#include <x>\nint main(void) {\n  return 0;\n}\n", [2]),
        ("a.sh", "set -e\nbuild() {\n}\nfunction go {\n", [2, 4]),
        ("a.yaml", "name: x\nmodel:\n  provider: y\n", [1, 2]),
        ("a.agent", "agent a {\n  model { provider: openai }\n  capability {\n    tool t(x: string)\n      = args.x\n  }\n}\n", [1, 3, 4]),
    ],
)  # fmt: skip
async def test_outlines_of_many_languages(project, name, source, parts):
    (project / name).write_text(source)

    shown = await text(project, "file_outline", path=name)

    assert [int(line.split(":")[0]) for line in shown.splitlines()] == parts


# --- together


async def test_a_cancelled_search_ends_at_once(project):
    (project / "big.txt").write_bytes(b"x" * 50_000_000)
    searching = asyncio.ensure_future(call(project, "search_files", pattern="y", path="big.txt"))
    await asyncio.sleep(0)

    searching.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(searching, 5)


# --- names


def name_of_line(line):
    """The path that a line of an answer shows, or None where it is told to be not readable."""
    if "not readable" in line:
        return None
    return json.loads(line) if line.startswith('"') else line


def write(folder, name):
    """Make a file of any bytes as its name."""
    (folder / os.fsdecode(name)).write_text("MARK\n")


ODD_BYTES = st.lists(st.sampled_from([b"\xff", b"\n", b"\x1b", b"a", b" ", "ü".encode(), b"\xe2\x80", b'"', b"\\"]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.sets(ODD_BYTES.map(b"".join).filter(bool), min_size=1, max_size=4))
async def test_whatever_files_are_called_each_is_one_line_that_can_be_read_back_or_says_that_it_cannot(tmp_path, names):
    folder = tmp_path / secrets.token_hex(4)
    (folder / "in").mkdir(parents=True)
    for name in names:
        write(folder / "in", name)

    found = (await text(folder, "find_files", glob="*")).split("\n")
    listed = (await text(folder, "list_directory", path="in")).split("\n")
    lines = (await text(folder, "search_files", pattern="MARK")).split("\n")

    assert [len(found), len(listed), len(lines)] == [len(names)] * 3
    readable = [path for line in found if (path := name_of_line(line)) is not None]
    assert sorted(readable) == sorted(f"in/{name.decode()}" for name in names if is_utf8(name))
    for path in readable:
        assert await text(folder, "read_file", path=path) == "MARK\n"
    "\n".join(found + listed + lines).encode()


def is_utf8(name):
    try:
        return bool(name.decode())
    except UnicodeDecodeError:
        return False


async def test_exclusions_and_secret_globs_reach_names_that_are_not_utf8(project):
    write(project, b"src/\xff.py")
    write(project, b"\xff.vault")

    found = await text(project, "find_files", {"exclude": ["src/**"]}, {"secrets": ["*.vault"]}, glob="**/*\ud800*")
    lines = await text(project, "search_files", {"exclude": ["src/**"]}, {"secrets": ["*.vault"]}, pattern="MARK$")

    assert found == "\ufffd.vault  (its name is not UTF-8, not readable)  (secret, not readable)"
    assert lines == "no line of 11 files fits `MARK$`"
