"""Commands run that are allowed, what they print can be read, and nothing of them lives on."""

import asyncio
import contextlib
import os
import sys
from pathlib import Path

import pytest

from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.programs.command import toolkit
from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.sandbox.wall import Wall
from agentspec.core.calls.touched import Touched
from agentspec.core.messages import ToolError
from agentspec.ports import Invocation

PYTHON = sys.executable
ANY = {"allow": [[PYTHON], ["sh"], ["cat"], ["sleep"], ["printf"], ["ls"], ["true"]]}


class Kit:
    """The tools of one run."""

    def __init__(self, project, options=None, **setting):
        setting.setdefault("environment", child_environment(os.environ))
        self.tools = toolkit(ANY if options is None else options, Setting(project, **setting))
        self.count = 0

    async def __call__(self, name, **arguments):
        self.count += name == "run_command"
        return await self.tools[name][1].call(
            Invocation(name=name, call_id="c", arguments=arguments, key=str(self.count), run={"id": "run-1"})
        )

    async def run(self, *argv, **more):
        return await self("run_command", argv=list(argv), **more)

    async def python(self, program, **more):
        return await self.run(PYTHON, "-c", program, **more)


@pytest.fixture
async def kit(tmp_path):
    kits = []

    def make(options=None, **setting):
        kits.append(Kit(tmp_path, options, **setting))
        return kits[-1]

    yield make
    for each in kits:
        for _, tool in each.tools.values():
            await tool.close()
    assert running(tmp_path) == []


def running(folder):
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(folder):
                found.append(int(entry.name))
    return found


async def until(condition):
    while not condition():  # noqa: ASYNC110 - another process rings no bell
        await asyncio.sleep(0.01)


# --- the toolkit


def test_names_parameters_and_effects_are_those_of_the_language(tmp_path):
    tools = toolkit({}, Setting(tmp_path))

    assert {
        name: (list(plan.parameters["properties"]), plan.effect, plan.repeat) for name, (plan, _) in tools.items()
    } == {
        "run_command": (["argv", "cwd", "stdin", "timeout", "background"], "process", "once"),
        "read_command_output": (["id", "stream", "offset", "length"], "read", "read"),
        "read_command_output_tail": (["id", "stream", "bytes"], "read", "read"),
        "cancel_command": (["id"], "process", "idempotent"),
    }
    assert tools["run_command"][0].parameters["required"] == ["argv"]


def test_a_line_is_offered_only_with_a_shell(tmp_path):
    plan, _ = toolkit({"shell": True}, Setting(tmp_path))["run_command"]

    assert list(plan.parameters["properties"])[:2] == ["argv", "line"]
    assert "required" not in plan.parameters


# --- in the foreground


async def test_the_output_is_the_text(kit):
    output = await kit().python("print('hello')")

    assert (output.text, output.status, output.error) == ("hello\n", "ok", None)
    assert output.data == {"id": "c1", "running": False, "stdout_bytes": 6, "stderr_bytes": 0, "exit_code": 0}


async def test_arguments_stay_whole_whatever_is_in_them(kit, tmp_path):
    odd = ["a b", "$(touch x)", "`touch x`", "; touch x", "*", "", "é\n", "-n"]

    output = await kit().run(PYTHON, "-c", "import sys; print(sys.argv[1:])", *odd)

    assert output.text == f"{odd}\n"
    assert list(tmp_path.iterdir()) == []


async def test_another_exit_is_no_error_and_begins_with_its_number(kit):
    output = await kit().python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")

    assert (output.text, output.status, output.error) == ("exit 3\nstderr:\nerr\nstdout:\nout", "ok", None)
    assert output.data["exit_code"] == 3


async def test_an_exit_without_words_is_its_number(kit):
    assert (await kit().python("raise SystemExit(1)")).text == "exit 1"


async def test_what_is_said_on_stderr_alone_is_shown(kit):
    output = await kit().python("import sys; print('warning', file=sys.stderr)")

    assert output.text == "(nothing on stdout) stderr:\nwarning\n"


async def test_stderr_beside_stdout_is_named_and_can_be_read(kit):
    tools = kit()

    output = await tools.python("import sys; print('out'); print('warning', file=sys.stderr)")
    read = await tools("read_command_output", id="c1", stream="stderr")

    assert output.text == "out\n[8 bytes on stderr: `read_command_output` with `id: c1`, `stream: stderr`]"
    assert read.text == "warning\n[`c1`: exit 0; bytes 0 to 8 of 8 on stderr]"


async def test_a_signal_is_an_error(kit):
    output = await kit().python("import os, signal; print('so far', flush=True); os.kill(os.getpid(), signal.SIGKILL)")

    assert output.error == ToolError(category="signal", message="exit signal SIGKILL")
    assert output.text == "stdout:\nso far"


async def test_a_command_has_its_time_and_what_it_printed_is_kept(kit):
    output = await kit(grace=0.2).python("import time; print('so far', flush=True); time.sleep(60)", timeout=0.5)

    assert output.status == "timeout"
    assert output.error.message == "no result after 0.5 s; it was stopped and may have acted"
    assert output.text == "stdout:\nso far"


async def test_the_time_of_the_spec_is_the_most(kit):
    output = await kit(timeout=0.3, grace=0.2).run("sleep", "60", timeout=100)

    assert output.error.message == "no result after 0.3 s; it was stopped and may have acted"


async def test_input_is_read_and_without_it_there_is_none(kit):
    tools = kit()

    assert (await tools.run("cat", stdin="größer\n" * 20_000, timeout=20)).data["stdout_bytes"] == 9 * 20_000
    assert (await tools.run("cat")).text == ""
    assert (await tools.run("true", stdin="nobody reads this")).data["exit_code"] == 0


async def test_a_command_runs_in_a_folder_below_the_root(kit, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "out").symlink_to("/")
    tools = kit()

    assert (await tools.python("import os; print(os.getcwd())", cwd="sub")).text == f"{tmp_path / 'sub'}\n"
    for path, words in {
        "..": "`..` leads out of the folder of this tool",
        "/": "`/` lies outside of the folder of this tool; give a relative path",
        "out": "`out` leads out of the folder of this tool",
        "nope": "there is no `nope`",
        "a\0": "a path can't hold a NUL character",
    }.items():
        assert (await tools.run("ls", cwd=path)).error.message == words


async def test_children_see_no_keys_but_what_is_named(kit, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("MY_TOKEN", "t")
    monkeypatch.setenv("MY_FLAG", "f")
    tools = kit({**ANY, "env": ["MY_FLAG", "OPENAI_API_KEY"]})

    seen = (await tools.python("import os; print(sorted(os.environ))")).text

    assert "MY_FLAG" in seen
    assert "API_KEY" not in seen
    assert "MY_TOKEN" not in seen
    assert "GIT_TERMINAL_PROMPT" in seen


HOSTILE = [
    (["\0"], "not_started"),
    ([PYTHON, "a\0b"], "not_started"),
    ([PYTHON, "\ud800"], "not_started"),
    (["x" * 5000], "denied"),
    (["no-such-program-anywhere"], "denied"),
    ([""], "arguments"),
]


@pytest.mark.parametrize(("argv", "category"), HOSTILE)
async def test_hostile_arguments_are_answers(kit, argv, category):
    output = await kit().run(*argv)

    assert output.status == "error"
    assert output.error.category in (category, "denied")


# --- what is allowed


@pytest.fixture
def programs(tmp_path):
    """A folder of programs outside of the project, beside a project with a program of its own."""
    for folder in ("bin", "project"):
        (tmp_path / folder).mkdir()
        for name in ("tool", "other"):
            path = tmp_path / folder / name
            path.write_text(f'#!/bin/sh\necho {folder} {name} "$@"\n')
            path.chmod(0o755)
    return tmp_path


async def asked(programs, allow, *argv, path=None, cwd=None, **options):
    folders = path or [programs / "bin", "/usr/bin", "/bin"]
    kit = Kit(
        programs / "project", {"allow": allow, **options}, environment={"PATH": os.pathsep.join(map(str, folders))}
    )
    return await kit.run(*argv, **({"cwd": cwd} if cwd else {}))


async def test_what_begins_as_allowed_runs(programs):
    assert (await asked(programs, ["tool"], "tool", "a")).text == "bin tool a\n"
    assert (await asked(programs, [["tool", "a"]], "tool", "a", "b")).text == "bin tool a b\n"
    assert (await asked(programs, ["tool"], str(programs / "bin" / "tool"))).text == "bin tool\n"


async def test_what_does_not_is_refused_with_what_is_allowed(programs):
    output = await asked(programs, ["ls", ["tool", "a"]], "tool", "b")

    assert output.error == ToolError(
        category="denied",
        message="not started: `tool`: nothing that is allowed begins so; allowed are commands that begin with "
        "`ls`, `tool a`",
    )


async def test_an_escape_is_refused_with_the_argument(programs):
    output = await asked(programs, ["git"], "git", "-c", "alias.x=!touch escaped", "x")

    assert output.error.message.startswith("not started: `git`: `-c` lets `git` write or run something else; allowed")
    assert not (programs / "project" / "escaped").exists()


async def test_a_name_means_no_program_that_the_agent_may_write(programs):
    output = await asked(programs, ["tool"], "tool", path=[programs / "project", programs / "bin"])

    assert output.error.message.startswith(
        f"not started: `{programs / 'project' / 'tool'}` lies in the folder that commands may change"
    )


async def test_a_link_in_the_project_is_no_way_to_a_program(programs):
    (programs / "project" / "ls").symlink_to(programs / "bin" / "tool")

    output = await asked(programs, ["ls"], "./ls")

    assert "lies in the folder that commands may change" in output.error.message


async def test_another_program_of_the_same_name_is_another(programs):
    (programs / "else").mkdir()
    (programs / "else" / "tool").write_text("#!/bin/sh\necho else\n")
    (programs / "else" / "tool").chmod(0o755)

    output = await asked(programs, ["tool"], str(programs / "else" / "tool"))

    assert "is not the program that is allowed by that name" in output.error.message


async def test_a_program_named_by_its_path_is_that_one(programs):
    (programs / "project" / "sub").mkdir()
    (programs / "project" / "sub" / "tool").write_text("#!/bin/sh\necho wrong\n")
    (programs / "project" / "sub" / "tool").chmod(0o755)

    assert (await asked(programs, ["./tool"], "./tool", "x")).text == "project tool x\n"
    assert (await asked(programs, ["./tool"], "./tool", cwd="sub")).error.category == "denied"
    assert (await asked(programs, ["./tool"], "tool")).error.category == "denied"


async def test_a_folder_of_the_path_that_is_relative_is_not_looked_at(programs):
    output = await asked(programs, ["tool"], "tool", path=[".", programs / "bin"])

    assert output.text == "bin tool\n"


def touched(options, **arguments):
    plan, _ = toolkit(options, Setting(Path("/work/shop")))["run_command"]
    return plan.touches(arguments)


def test_without_a_list_every_command_is_a_question():
    found = touched({}, argv=["ls", "-l"])

    assert found == Touched(paths=(".",), cwd=".", command=("ls", "-l"), ask="no list `allow` says what may run")


def test_what_is_allowed_is_no_question():
    assert touched({"allow": ["ls"], "root": "sub"}, argv=["ls", "a"], cwd="x") == (
        Touched(paths=("sub/x",), cwd="sub/x", command=("ls", "a"))
    )


def test_a_miss_is_refused_or_a_question():
    words = "`rm`: nothing that is allowed begins so; allowed are commands that begin with `ls`"

    assert touched({"allow": ["ls"]}, argv=["rm"]) == Touched(paths=(".",), cwd=".", command=("rm",), deny=words)
    assert touched({"allow": ["ls"], "allow_else": "ask"}, argv=["rm"]).ask == words
    assert touched({"allow": ["ls"], "shell": True}, line="ls && rm").deny == words
    assert touched({"shell": True}, line="ls > x").command == ("sh", "-c", "ls > x")


async def test_what_somebody_has_allowed_runs(programs):
    assert (await Kit(programs / "project", {}).run("printf", "x")).text == "x"
    options = {"allow": ["ls"], "allow_else": "ask", "shell": True}
    assert (await Kit(programs / "project", options).run("printf", "x")).text == "x"
    assert (await Kit(programs / "project", options)("run_command", line="echo $((1 + 2))")).text == "3\n"


async def test_a_program_that_only_seems_to_be_the_allowed_one_was_no_question_and_is_refused(programs):
    output = await asked(programs, ["tool"], "tool", path=[programs / "project"], allow_else="ask")

    assert "lies in the folder that commands may change" in output.error.message


async def test_each_command_of_a_line_is_allowed_or_none_runs(kit, tmp_path):
    tools = kit({"allow": ["printf", "cat"], "shell": True})

    assert (await tools("run_command", line="printf 'a b' | cat")).text == "a b"
    for line, words in {
        "printf x && touch escaped": "not started: `touch`: nothing that is allowed begins so",
        "printf x > escaped": "not started: the line: only plain words joined by",
        "printf $(touch escaped)": "not started: the line: only plain words joined by",
    }.items():
        assert (await tools("run_command", line=line)).error.message.startswith(words)
    assert (await tools("run_command")).error.category == "arguments"
    assert (await tools("run_command", line="printf x", argv=["ls"])).error.category == "arguments"
    assert list(tmp_path.iterdir()) == []


# --- large outputs


async def test_a_large_output_is_shown_in_part_and_read_in_parts(kit):
    tools = kit({**ANY, "max_inline": "2KiB"})
    lines = "".join(f"line {number}\n" for number in range(1000))

    output = await tools.python("for n in range(1000): print('line', n)")

    assert output.text.startswith("line 0\nline 1\n")
    assert output.text.endswith("line 999\n")
    assert f"[… {len(lines)} bytes in all, the middle is left out here: `read_command_output` with" in output.text
    assert len(output.text) < 2500

    collected, offset = "", 0
    while offset < len(lines):
        part = await tools("read_command_output", id="c1", offset=offset, length=1500)
        collected += part.text.rpartition("[`c1`")[0]
        offset = part.data["next_offset"]
    assert collected == lines


async def test_the_end_of_an_output_begins_with_a_line(kit):
    tools = kit()
    await tools.python("for n in range(1000): print('line', n)")

    assert (await tools("read_command_output_tail", id="c1", bytes=20)).text == (
        "line 998\nline 999\n[`c1`: exit 0; the end of 8890 bytes on stdout]"
    )


async def test_output_far_beyond_memory_can_be_read_in_the_middle(kit):
    tools = kit()
    await tools.python("import sys; [sys.stdout.write(f'{n:09}\\n') for n in range(400_000)]")

    part = await tools("read_command_output", id="c1", offset=2_000_000, length=20)

    assert part.text.startswith("000200000\n000200001\n[`c1`: exit 0; bytes 2000000 to 2000020 of 4000000 on stdout")


async def test_half_a_character_is_left_for_the_next_part(kit):
    tools = kit()
    await tools.run("printf", "ééé")

    first = await tools("read_command_output", id="c1", length=3)

    assert first.text.startswith("é\n[`c1`: exit 0; bytes 0 to 2 of 6 on stdout; go on with `offset: 2`]")


async def test_an_unknown_command_names_those_that_are_there(kit):
    tools = kit()

    assert (await tools("read_command_output", id="c7")).error.message == (
        "there is no command `c7` (none outlives the process of its run)"
    )
    await tools.run("true")
    assert (await tools("cancel_command", id="c7")).error.message == (
        "there is no command `c7`; there are `c1` (none outlives the process of its run)"
    )


# --- behind


async def test_a_command_behind_is_read_while_it_runs_and_cancelled(kit, tmp_path):
    tools = kit(grace=0.3)

    output = await tools.python("import time; print('up', flush=True); time.sleep(60)", background=True)
    job_text = ""
    while "up" not in job_text:
        await asyncio.sleep(0.01)
        job_text = (await tools("read_command_output_tail", id="c1")).text
    cancelled = await tools("cancel_command", id="c1")
    after = await tools("read_command_output", id="c1")

    assert output.text.splitlines()[0] == (
        "`c1` runs in the background (running for 0 s); `read_command_output` shows its output, `cancel_command` "
        "stops it, it is stopped when the run ends"
    )
    assert output.data["running"] is True
    assert "up\n[`c1`: running for" in job_text
    assert cancelled.text == "`c1` was stopped"
    assert after.text == "up\n[`c1`: cancelled; bytes 0 to 3 of 3 on stdout]"
    assert running(tmp_path) == []


async def test_one_that_ends_behind_is_told_by_reading(kit):
    tools = kit()
    await tools.python("import time; time.sleep(0.2); print('done'); raise SystemExit(4)", background=True)

    text = ""
    while "exit 4" not in text:
        await asyncio.sleep(0.01)
        text = (await tools("read_command_output", id="c1")).text
    assert text == "done\n[`c1`: exit 4; bytes 0 to 5 of 5 on stdout]"
    assert (await tools("cancel_command", id="c1")).text == "`c1` had ended before: exit 4"


async def test_a_slow_command_goes_on_behind(kit):
    tools = kit({**ANY, "background_after": "200ms"})

    assert (await tools.run("printf", "quick")).text == "quick"
    assert (await tools.run("sleep", "60")).data["running"] is True


async def test_one_that_cannot_start_says_so_also_behind(kit, tmp_path):
    (tmp_path / "broken").write_text("#!/no/such/interpreter\n")
    (tmp_path / "broken").chmod(0o755)

    output = await kit({"allow": ["./broken"]}).run("./broken", background=True)

    assert output.error.category == "not_started"
    assert "the interpreter that it names was not found" in output.error.message


async def test_a_call_that_is_made_again_is_another_command(kit):
    tools = kit()
    first = await tools.run("printf", "1")
    tools.count = 0
    second = await tools.run("printf", "2")

    assert (first.data["id"], second.data["id"]) == ("c1", "c1+")
    assert (await tools("read_command_output", id="c1")).text.startswith("1")


async def test_there_is_a_bound_to_commands_at_once(kit):
    tools = kit()
    for _ in range(16):
        await tools.run("sleep", "60", background=True)

    assert (await tools.run("true")).error.message == (
        "too many commands run already; wait for one to end, or cancel one"
    )


async def test_a_cancelled_call_ends_its_command(kit, tmp_path):
    tools = kit(grace=0.3)
    task = asyncio.create_task(tools.run("sh", "-c", "sleep 60 & sleep 60"))
    await until(lambda: len(running(tmp_path)) == 3)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert running(tmp_path) == []


async def test_nothing_lives_on_when_the_run_ends(kit, tmp_path):
    tools = kit(grace=0.3)
    await tools.run("sh", "-c", "trap '' TERM; setsid sleep 60 & sleep 60", background=True)
    await tools.python("import time; print('x' * 300_000); time.sleep(60)", background=True)
    await until(lambda: len(running(tmp_path)) == 4)

    for _, tool in tools.tools.values():
        await tool.close()

    assert running(tmp_path) == []


WALLS = [None, Wall((), mode="auto")]


@pytest.mark.parametrize("wall", WALLS, ids=["bare", "walled"])
async def test_what_a_filter_cuts_can_be_read_all_the_same(kit, wall):
    tools = kit({"shell": True}, wall=wall)

    cut = await tools("run_command", line="seq 1 2000 2>&1 | grep 7 | tail -n 2")
    whole = await tools("read_command_output", id=cut.data["id"], stream="unfiltered", length=8)

    size = len("".join(f"{n}\n" for n in range(1, 2001)))
    note = f"[{size} bytes before the filter: `read_command_output` with `id: {cut.data['id']}`, `stream: unfiltered`]"
    assert cut.text == f"1987\n1997\n{note}"
    assert (cut.data["exit_code"], cut.data["unfiltered_bytes"]) == (0, size)
    assert whole.text.startswith("1\n2\n3\n4\n[")


async def test_a_producer_that_never_ends_ends_with_its_filter(kit):
    tools = kit({"shell": True})

    cut = await tools("run_command", line="yes | head -n 1")

    assert (cut.text.splitlines()[0], cut.data["exit_code"]) == ("y", 0)


@pytest.mark.parametrize(
    ("options", "line"),
    [({"preserve_filtered_output": False}, "seq 9 | tail -n 1"), ({}, "seq 9 | tail -n 9"), ({}, "seq 9")],
)
async def test_where_nothing_is_cut_or_kept_nothing_is_said(kit, options, line):
    tools = kit({"shell": True, **options})

    output = await tools("run_command", line=line)

    assert "before the filter" not in output.text


async def test_a_running_command_is_told_of_ever_less_often(kit):
    heard = []
    options = {**ANY, "progress_interval": "60ms", "progress_max_inline": 4}
    tools = kit(options, tell=lambda kind, fields: heard.append((kind, fields)))

    output = await tools.python("import time; print('abcdefgh', flush=True); time.sleep(0.9)")

    assert 2 <= len(heard) <= 4
    kind, fields = heard[0]
    assert (kind, fields["name"], fields["id"], fields["running"]) == (
        "progress_reported",
        "run_command",
        output.data["id"],
        True,
    )
    assert fields["text"] in ("", "fgh\n")


async def test_a_command_behind_is_told_of_as_well(kit):
    heard = []
    tools = kit({**ANY, "progress_interval": "50ms"}, tell=lambda kind, fields: heard.append(fields["id"]))

    behind = await tools.run("sleep", "60", background=True)
    await until(lambda: heard)
    await tools("cancel_command", id=behind.data["id"])
    count = len(heard)
    await asyncio.sleep(0.2)

    assert len(heard) == count
