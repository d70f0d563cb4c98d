"""A program runs with whole arguments and without secrets, and whatever it does, nothing is left of it."""

import asyncio
import json
import os
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.programs.process import Command
from agentspec.adapters.tools.programs.run import RunTool
from agentspec.core.calls.rules import chosen_in, paths_in
from agentspec.core.calls.touched import Touched
from agentspec.core.messages import ToolError
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import make_scope
from agentspec.expressions.template import parse_template
from agentspec.ports import Invocation, Output

PYTHON = sys.executable


def tool(*argv, cwd, parameters=None, env=None, **limits):
    scope = make_scope(parameters=parameters or {"x": "string?", "y": "string?"})
    elements = [parse_template(text).compile(PLACES["tools.template"], scope) for text in argv]
    command = Command((), cwd, child_environment(os.environ) if env is None else env, **limits)
    return RunTool(elements, command)


def python(program, *arguments, cwd, **more):
    return tool(PYTHON, "-c", program, *arguments, cwd=cwd, **more)


def invocation(**arguments):
    return Invocation(name="t", call_id="c1", arguments=arguments, key="k")


def running(folder):
    """The processes that work in a folder: those of one test, whatever else runs on the machine."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == folder:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


async def appeared(path):
    while not path.exists():  # noqa: ASYNC110 - a file of another process rings no bell
        await asyncio.sleep(0.01)


PRINT_ARGUMENTS = "import sys, json; print(json.dumps(sys.argv[1:]))"


async def test_the_output_is_the_text(tmp_path):
    output = await python("print('hello'); import os; print(os.getcwd())", cwd=tmp_path).call(invocation())

    assert output == Output(text=f"hello\n{tmp_path}\n", data={"exit_code": 0})


@pytest.mark.parametrize("value", ["two words", "-rf", "--", "'; rm -r /", "$HOME", "*", "a\nb", '"', "", "é😀"])
async def test_an_argument_stays_one_element(tmp_path, value):
    output = await python(PRINT_ARGUMENTS, "${args.x}", "n=${args.x}", cwd=tmp_path).call(invocation(x=value))

    assert json.loads(output.text) == [value, f"n={value}"]


async def test_an_argument_that_is_not_given_drops_its_element_or_is_empty(tmp_path):
    parameters = {"x": "string?", "n": "integer?", "d": "number?"}
    subject = python(
        PRINT_ARGUMENTS, "${args.x}", "${args.d}", "--n=${args.n}", "end", cwd=tmp_path, parameters=parameters
    )

    assert (await subject.call(invocation())).text == '["--n=", "end"]\n'
    assert (await subject.call(invocation(x="1", n=2, d=3.0))).text == '["1", "3", "--n=2", "end"]\n'
    assert (await subject.call(invocation(x=""))).text == '["", "--n=", "end"]\n'


async def test_a_dollar_sign_can_be_written(tmp_path):
    subject = python(
        PRINT_ARGUMENTS, "$${args.x}", "$HOME", "${args.x + '!'}", cwd=tmp_path, parameters={"x": "string"}
    )

    assert (await subject.call(invocation(x="a"))).text == '["${args.x}", "$HOME", "a!"]\n'


async def test_a_text_that_cannot_be_filled_is_an_error(tmp_path):
    subject = python(PRINT_ARGUMENTS, "${args.x[3]}", cwd=tmp_path, parameters={"x": "string[]"})

    output = await subject.call(invocation(x=["a"]))

    assert output.status == "error"
    assert output.error.category == "arguments"


async def test_an_exit_code_is_an_error_with_the_ends_of_both_streams(tmp_path):
    program = "import sys; print('partial'); print('boom', file=sys.stderr); sys.exit(3)"

    assert await python(program, cwd=tmp_path).call(invocation()) == Output(
        text="stderr:\nboom\n\nstdout:\npartial\n",
        data={"exit_code": 3},
        error=ToolError(category="exit", message="exit 3"),
        status="error",
    )


async def test_death_by_a_signal_names_the_signal(tmp_path):
    output = await python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", cwd=tmp_path).call(invocation())

    assert output == Output(
        data={"signal": "SIGSEGV"},
        error=ToolError(category="signal", message="exit signal SIGSEGV"),
        status="error",
    )


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["no-such-program-here"], "the program `no-such-program-here` was not found on the PATH"),
        (["./nothing"], "the program `./nothing` was not found"),
        (["./plain.txt"], "the program `./plain.txt` can't be executed: permission denied"),
        (["./lost"], "the program `./lost` can't be started: the interpreter that it names was not found"),
        ([""], "no program is left to run: the first element is empty"),
        ([PYTHON, "a\0b"], f"an argument of `{PYTHON}` can't be passed to a program: embedded null byte"),
        ([PYTHON, "x" * 3_000_000], f"the program `{PYTHON}` can't be started: Argument list too long"),
    ],
)
async def test_a_program_that_cannot_start_says_why(tmp_path, argv, message):
    (tmp_path / "plain.txt").write_text("text")
    (tmp_path / "lost").write_text("#!/no/such/interpreter\n")
    (tmp_path / "lost").chmod(0o755)

    output = await tool(*argv, cwd=tmp_path).call(invocation())

    assert output.status == "error"
    assert output.error.message == message


async def test_a_folder_that_is_gone_is_named(tmp_path):
    output = await python("", cwd=tmp_path / "gone").call(invocation())

    assert output.error.message == f"the folder `{tmp_path / 'gone'}` to run in does not exist"


async def test_standard_input_is_closed(tmp_path):
    assert (await python("import sys; print(repr(sys.stdin.read()))", cwd=tmp_path).call(invocation())).text == "''\n"


async def test_a_timeout_stops_the_program_and_keeps_what_it_said(tmp_path):
    subject = tool("sh", "-c", "echo so far; sleep 600", cwd=tmp_path, timeout=1.5)

    output = await subject.call(invocation())

    assert output == Output(
        text="stdout:\nso far\n",
        data={"signal": "SIGTERM"},
        error=ToolError(category="timeout", message="no result after 1.5 s; it was stopped and may have acted"),
        status="timeout",
    )


async def test_a_program_that_ignores_the_polite_stop_is_killed(tmp_path):
    subject = tool("sh", "-c", "trap '' TERM; echo on; sleep 600", cwd=tmp_path, timeout=1.5, grace=0.1)

    output = await subject.call(invocation())

    assert output.data == {"signal": "SIGKILL"}
    assert output.status == "timeout"


CHILD = "import time, sys; time.sleep(600)"


async def test_a_child_that_holds_the_pipe_does_not_hold_the_call(tmp_path):
    program = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {CHILD!r}]); print('ok')"
    started = time.monotonic()

    output = await python(program, cwd=tmp_path).call(invocation())

    assert output == Output(text="ok\n", data={"exit_code": 0})
    assert time.monotonic() - started < 60  # the child would sleep for ten minutes
    assert running(tmp_path) == []


async def test_a_child_in_another_session_is_found_and_ended(tmp_path):
    program = (
        "import subprocess, sys; "
        f"subprocess.Popen([sys.executable, '-c', {CHILD!r}], start_new_session=True, "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); print('ok')"
    )

    output = await python(program, cwd=tmp_path).call(invocation())

    assert output.text == "ok\n"
    assert running(tmp_path) == []


async def test_a_cancelled_call_leaves_nothing_running(tmp_path):
    program = (
        "import subprocess, sys, time, pathlib; "
        f"subprocess.Popen([sys.executable, '-c', {CHILD!r}]); "
        "pathlib.Path('started').touch(); time.sleep(600)"
    )
    call = asyncio.ensure_future(python(program, cwd=tmp_path).call(invocation()))
    await appeared(tmp_path / "started")

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert running(tmp_path) == []


async def test_cancelling_twice_does_not_wait_for_the_grace(tmp_path):
    program = (
        "import signal, time, pathlib; signal.signal(15, signal.SIG_IGN); pathlib.Path('on').touch(); time.sleep(600)"
    )
    call = asyncio.ensure_future(python(program, cwd=tmp_path, grace=300).call(invocation()))
    await appeared(tmp_path / "on")

    call.cancel()
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.shield(call), 30)

    assert running(tmp_path) == []


async def test_a_large_output_keeps_its_ends_and_goes_to_a_file(tmp_path):
    program = "import sys\nfor i in range(200_000): print(f'line {i}')"

    output = await python(program, cwd=tmp_path, keep=1000).call(invocation())

    whole = "".join(f"line {i}\n" for i in range(200_000))
    assert output.text.startswith("line 0\nline 1\n")
    assert output.text.endswith("line 199998\nline 199999\n")
    head, tail = whole[:1000].rpartition("\n")[0] + "\n", whole[-1000:].partition("\n")[2]
    assert output.text == f"{head}\n[… {len(whole) - len(head) - len(tail)} bytes left out here …]\n{tail}"
    assert output.full_bytes == len(whole)
    assert output.overflow.read_text() == whole
    output.overflow.unlink()


async def test_the_file_is_bounded_too(tmp_path):
    output = await python("print('x' * 1_000_000)", cwd=tmp_path, keep=1000, spill_max=50_000).call(invocation())

    assert output.full_bytes == 1_000_001
    assert output.overflow.stat().st_size == 50_000
    output.overflow.unlink()


async def test_a_hundred_megabytes_do_not_fill_the_memory(tmp_path):
    program = "import sys\nfor _ in range(1600): sys.stdout.buffer.write(b'0123456789abcde\\n' * 4096)"
    tracemalloc.start()

    output = await python(program, cwd=tmp_path).call(invocation())

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert output.full_bytes == output.overflow.stat().st_size == 1600 * 65536
    assert peak < 16 * 1024 * 1024
    output.overflow.unlink()


async def test_a_program_that_closes_its_output_and_works_on_is_waited_for(tmp_path):
    program = "import os, sys, time, pathlib; os.close(1); os.close(2); time.sleep(0.3); pathlib.Path('done').touch()"

    output = await python(program, cwd=tmp_path).call(invocation())

    assert output == Output(data={"exit_code": 0})
    assert (tmp_path / "done").exists()


async def test_binary_output_is_described(tmp_path):
    program = "import sys; sys.stdout.buffer.write(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(100))"

    output = await python(program, cwd=tmp_path).call(invocation())

    assert output.text == "(binary output, not shown: 108 bytes, PNG image, begins 89 50 4e 47 0d 0a 1a 0a)"


async def test_broken_utf8_is_replaced_and_said(tmp_path):
    program = "import sys; sys.stdout.buffer.write(b'caf\\xe9 and tea, please')"

    output = await python(program, cwd=tmp_path).call(invocation())

    assert output.text == "caf\ufffd and tea, please\n[1 bytes that are not UTF-8 were replaced by \ufffd]"


async def test_secrets_do_not_reach_the_program(tmp_path):
    source = {
        "PATH": os.environ["PATH"],
        "OPENAI_API_KEY": "k",
        "MY_TOKEN": "t",
        "LC_ALL": "C",
        "EDITOR": "vi",
        "HOME": "/h",
    }
    env = child_environment(source, names=["EDITOR", "OPENAI_API_KEY", "MISSING"], values={"X": "1", "LD_PRELOAD": "e"})

    output = await python("import os, json; print(json.dumps(sorted(os.environ)))", cwd=tmp_path, env=env).call(
        invocation()
    )

    assert output.text == '["AGENTSPEC_CALL", "EDITOR", "HOME", "LC_ALL", "PATH", "X"]\n'


async def test_eight_programs_run_at_once(tmp_path):
    program = (
        "import pathlib, sys, time\n"
        "pathlib.Path(sys.argv[1] + '.here').touch()\n"
        "while len(list(pathlib.Path().glob('*.here'))) < 8: time.sleep(0.01)\n"
        "print('all here')"
    )

    calls = [python(program, str(number), cwd=tmp_path, timeout=60).call(invocation()) for number in range(8)]
    outputs = await asyncio.gather(*calls)

    assert [output.text for output in outputs] == ["all here\n"] * 8


def test_what_a_call_touches_tells_the_elements_that_it_filled_from_those_of_the_author(tmp_path):
    program = tool("sed", "-n", "/name/p", "--in=${args.x}", "${args.y}", cwd=tmp_path)

    touched = program.touches({}, {"x": "a", "y": "/etc/passwd"})

    assert touched == Touched(
        command=("sed", "-n", "/name/p", "--in=a", "/etc/passwd"), chosen=("--in=a", "/etc/passwd")
    )
    assert (paths_in(touched), chosen_in(touched)) == (("/name/p", "/etc/passwd"), ("/etc/passwd",))


@pytest.mark.parametrize(
    "fixed",
    [
        ("curl", "-s", "https://api.example.org/v1/x"),
        ("sed", "-n", "/name/p"),
        ("grep", "-c", "/v1/", "../x"),
        ("python3", "-c", "print(7//2, 'a /b c')"),
        ("echo", "postgresql://u@db/x", "file:///etc/hostname"),
    ],
)
def test_what_the_author_wrote_is_no_choice_of_a_call(fixed, tmp_path):
    touched = tool(*fixed, "${args.x}", cwd=tmp_path).touches({}, {"x": "a.txt"})

    assert chosen_in(touched) == ()
