"""Lists and notes of a run are a fold of the calls that made them: bounded, and the same after a resume."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.kits import make_kit
from agentspec.core.messages import ToolResult
from agentspec.core.schema.validate import compile_schema
from agentspec.ports import Invocation, Restorable


class Kit:
    """The tools of one run, and the results that a journal would have of them."""

    def __init__(self, family):
        self.tools = make_kit(family, {}, Setting(Path()))
        self.results = []

    async def __call__(self, name, /, **arguments):
        plan, tool = self.tools[name]
        arguments = compile_schema(plan.parameters).admit(arguments).value
        output = await tool.call(Invocation(name=name, call_id="c", arguments=arguments, key="k"))
        result = ToolResult(name=name, call_id="c", status=output.status, text=output.text, arguments=arguments)
        self.results.append(result)
        return output.error.message if output.error else output.text

    def resumed(self, family):
        again = Kit(family)
        for result in self.results:
            tool = again.tools[result.name][1]
            assert isinstance(tool, Restorable)
            tool.restore(result)
        return again


async def test_a_list_is_shown_as_it_was_written():
    todo = Kit("todo")

    assert await todo("todo_read") == "the list is empty"
    written = await todo(
        "todo_write", items=[{"task": " a ", "state": "done"}, {"task": "b"}, {"task": "c", "state": "doing"}]
    )
    assert written == "[x] a\n[ ] b\n[>] c\n1 of 3 done"
    assert await todo("todo_read") == written


async def test_notes_are_kept_by_name():
    scratch = Kit("scratch")

    assert await scratch("scratch_read") == "there are no notes"
    assert await scratch("scratch_write", name="a", text="one") == "noted under `a`: 3 characters"
    assert await scratch("scratch_write", name="a", text=" two", append=True) == "noted under `a`: 7 characters"
    assert await scratch("scratch_write", name="b", text="é") == "noted under `b`: 1 characters"
    assert await scratch("scratch_read", name="a") == "one two"
    assert await scratch("scratch_delete", name="a") == "deleted `a`"
    assert await scratch("scratch_read") == "b: 1 characters"
    assert await scratch("scratch_read", name="a") == "there is no note `a`; there are: `b`"


@pytest.mark.parametrize(
    ("family", "name", "arguments", "words"),
    [
        ("todo", "todo_write", {"items": [{"task": "x"}] * 201}, "201 items; at most 200 are kept"),
        ("todo", "todo_write", {"items": [{"task": "x" * 1001}]}, "has 1001 characters; at most 1000 are kept"),
        ("scratch", "scratch_write", {"name": " ", "text": "x"}, "a note has a name of 1 to 100 characters"),
        ("scratch", "scratch_write", {"name": "n" * 101, "text": "x"}, "a note has a name of 1 to 100 characters"),
        ("scratch", "scratch_write", {"name": "n", "text": "x" * 65_537}, "the notes would have 65537 characters"),
        ("scratch", "scratch_delete", {"name": "n"}, "there is no note `n`; there are: none"),
    ],
)
async def test_what_is_too_much_or_not_there_is_refused_in_words(family, name, arguments, words):
    assert words in await Kit(family)(name, **arguments)


async def test_there_is_an_end_to_the_number_of_notes():
    scratch = Kit("scratch")
    for number in range(100):
        await scratch("scratch_write", name=str(number), text="x")

    assert await scratch("scratch_write", name="more", text="x") == "there are 100 notes already; delete one first"
    assert await scratch("scratch_write", name="5", text="y") == "noted under `5`: 1 characters"


CALLS = st.lists(
    st.one_of(
        st.tuples(
            st.just("scratch_write"),
            st.fixed_dictionaries(
                {"name": st.sampled_from("abc"), "text": st.text(max_size=5), "append": st.booleans()}
            ),
        ),
        st.tuples(st.just("scratch_delete"), st.fixed_dictionaries({"name": st.sampled_from("abc")})),
        st.tuples(st.just("scratch_read"), st.just({})),
    ),
    max_size=12,
)


@given(CALLS)
async def test_a_resumed_run_has_the_notes_of_its_journal(calls):
    scratch = Kit("scratch")
    for name, arguments in calls:
        await scratch(name, **arguments)

    again = scratch.resumed("scratch")

    for name in (None, *"abc"):
        wanted = {} if name is None else {"name": name}
        assert await again("scratch_read", **wanted) == await scratch("scratch_read", **wanted)
