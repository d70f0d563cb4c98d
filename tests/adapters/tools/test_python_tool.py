"""A Python tool calls a function with its arguments; whatever that does, the call has one result."""

import threading

import pytest

from agentspec.adapters.tools.python_tool import PythonTool
from agentspec.ports import Invocation

MODULE = """
import threading

def add(a, b=1):
    return {"sum": a + b}

async def later(a):
    return [a, threading.current_thread().name]

def nothing():
    return None

def fails(word):
    raise ValueError(f"no {word}")

def leaves():
    raise SystemExit(3)

def strange():
    return {1, 2}

number = 3
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"shop_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(MODULE)
    return tmp_path, name


async def call(project, function, **arguments):
    folder, name = project
    tool = PythonTool(f"{name}:{function}", folder)
    return await tool.call(Invocation(name="t", call_id="c", arguments=arguments, key="k"))


async def test_a_function_gets_arguments_by_name_and_gives_data(project):
    output = await call(project, "add", a=2)

    assert (output.text, output.data, output.error) == ('{"sum": 3}', {"sum": 3}, None)


async def test_an_async_function_is_awaited_in_a_thread_of_its_own(project):
    output = await call(project, "later", a="x")

    assert output.data[0] == "x"
    assert output.data[1] != threading.current_thread().name


async def test_a_function_that_gives_nothing_is_a_success_without_words(project):
    output = await call(project, "nothing")

    assert (output.text, output.data, output.status) == ("", None, "ok")


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        ("fails", {"word": "way"}, "ValueError: no way"),
        ("leaves", {}, "SystemExit: 3"),
        ("add", {"c": 1}, "got an unexpected keyword argument 'c'"),
        ("strange", {}, "gave no usable result: JSON can't carry a `set`"),
        ("number", {}, "can't be imported: TypeError: `number` is no function"),
        ("missing", {}, "can't be imported: AttributeError"),
    ],
)
async def test_what_goes_wrong_is_told(project, function, arguments, words):
    output = await call(project, function, **arguments)

    assert output.status == "error"
    assert words in output.error.message


async def test_a_module_that_is_not_there_is_told(project):
    tool = PythonTool("no_such_module:f", project[0])

    output = await tool.call(Invocation(name="t", call_id="c", arguments={}, key="k"))

    assert output.error.message == (
        "`no_such_module:f` can't be imported: ModuleNotFoundError: No module named 'no_such_module'"
    )
