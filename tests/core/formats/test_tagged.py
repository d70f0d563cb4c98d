"""Calls in tags: the format `text`, and calls that leaked into a native answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.formats.leaked import read_leaked, read_lost
from agentspec.core.formats.tagged import MOST_TAGS, TaggedRead, TextCall, read_tagged, write_tagged

LOOK = TextCall("look", '{"at":"sky"}')
TAG = '<tool_call>\n{"name": "look", "arguments": {"at": "sky"}}\n</tool_call>'
HEREDOC = """<tool_call>
{"name": "write", "arguments": {"path": "a.py", "text": <<END
if "a" < "b":
    print("</tool_call>")
END
, "mode": "w"}}
</tool_call>"""

READ = {
    "prose": ("I am done.", TaggedRead("I am done.")),
    "a call": (TAG, TaggedRead("", (LOOK,))),
    "a call in prose": (f"I look. {TAG} Then I tell.", TaggedRead("I look.  Then I tell.", (LOOK,))),
    "two calls": (f"{TAG}\n{TAG}", TaggedRead("", (LOOK, LOOK))),
    "a heredoc with a closing tag in it": (
        HEREDOC,
        TaggedRead(
            "",
            (
                TextCall(
                    "write",
                    json.dumps(
                        {"path": "a.py", "text": 'if "a" < "b":\n    print("</tool_call>")', "mode": "w"},
                        separators=(",", ":"),
                    ),
                ),
            ),
        ),
    ),
    "a heredoc that never ends": (
        HEREDOC.replace("END\n,", "E ,"),
        TaggedRead('")\nE , "mode": "w"}}', (), ("call 1 is no JSON object with `name` and `arguments`",)),
    ),
    "a tag that is not closed": (f"I look. {TAG[:-5]}", TaggedRead("I look.", (), ("call 1 is not closed",))),
    "a whole call before one that is cut": (f"{TAG}{TAG[:-20]}", TaggedRead("", (LOOK,), ("call 2 is not closed",))),
    "two objects in a tag": (
        TAG.replace("}}", '}} {"name": "other"}'),
        TaggedRead("", (), ("call 1 is no JSON object with `name` and `arguments`",)),
    ),
    "a call without a name": (
        '<tool_call>{"arguments": {}}</tool_call>',
        TaggedRead("", (), ("call 1 names no tool",)),
    ),
    "arguments as text": (
        '<tool_call>{"name": "look", "arguments": "{\\"at\\":\\"sky\\"}"}</tool_call>',
        TaggedRead("", (LOOK,)),
    ),
    "a closing tag alone": ("done</tool_call>", TaggedRead("done")),
}


@pytest.mark.parametrize(("text", "expected"), READ.values(), ids=READ)
def test_tagged_text_is_read(text: str, expected: TaggedRead) -> None:
    assert read_tagged(text) == expected


@given(st.integers(0, len(HEREDOC) - 1))
def test_no_beginning_of_a_call_is_ever_a_call(length: int) -> None:
    assert read_tagged(HEREDOC[:length]).calls == ()


@given(st.text(min_size=1).filter(str.strip), st.dictionaries(st.text(), st.text(), max_size=3))
def test_a_call_that_is_written_in_a_tag_is_read_as_the_same_call(name: str, args: dict[str, str]) -> None:
    read = read_tagged(write_tagged(name, json.dumps(args)))

    assert read.text == ""
    assert read.lost == ()
    assert [(call.name, json.loads(call.arguments)) for call in read.calls] == [(name.strip(), args)]


def test_calls_beyond_the_most_are_told_as_lost() -> None:
    read = read_tagged(TAG * (MOST_TAGS + 50))

    assert len(read.calls) == MOST_TAGS
    assert read.lost == (f"more calls came; at most {MOST_TAGS} calls of one reply are read",)


LEAKED = {
    "an object": ('{"name": "look", "arguments": {"at": "sky"}}', 1),
    "in a fence": ('```json\n{"name": "look", "arguments": {"at": "sky"}}\n```', 1),
    "two with a blank between": ('{"name": "look", "arguments": {}} {"name": "look", "arguments": {}}', 2),
    "a list": ('[{"name": "look", "parameters": {}}]', 1),
    "without arguments": ('{"name": "look"}', 1),
    "as a provider has it": ('{"type": "function", "function": {"name": "look", "arguments": "{}"}}', 1),
    "in tags": (TAG, 1),
    "as an answer of a provider": ('{"tool_calls": [{"name": "look", "arguments": {}}]}', 1),
    "behind Mistral's mark": ('[TOOL_CALLS] [{"name": "look", "arguments": {}}, {"name": "look"}]', 2),
    "behind Mistral's newer marks": ('[TOOL_CALLS]look[ARGS]{"at": "sky"}[TOOL_CALLS]look[ARGS]{}', 2),
    "behind Llama's mark": ('<|python_tag|>{"name": "look", "parameters": {}}; {"name": "look", "parameters": {}}', 2),
    "within Llama's marks": ('<function=look>{"at": "</function>"}</function>\n<function=look>{}</function>', 2),
    "behind Granite's mark": ('<|tool_call|>[{"name": "look", "arguments": {}}]', 1),
    "a mark alone": ("[TOOL_CALLS]", 0),
    "a mark before prose": ("[TOOL_CALLS] is what it writes", 0),
    "a mark behind prose": ('So: [TOOL_CALLS][{"name": "look"}]', 0),
    "an unknown tool in a mark": ("<function=ghost>{}</function>", 0),
    "arguments in a mark that are none": ('<function=look>{"at": </function>', 0),
    "prose behind a mark": ("<function=look>{}</function> as I said", 0),
    "no list of calls": ('{"tool_calls": 7}', 0),
    "calls and more": ('{"tool_calls": [{"name": "look"}], "text": "x"}', 0),
    "a list of numbers": ("[1, 2]", 0),
    "a number": ("7", 0),
    "of an unknown tool": ('{"name": "ghost", "arguments": {}}', 0),
    "with prose before": ('Call {"name": "look", "arguments": {}}', 0),
    "with prose after": ('{"name": "look", "arguments": {}} is how', 0),
    "with other fields": ('{"name": "look", "age": 7}', 0),
    "a record that is an answer": ('{"name": "Ada", "city": "London"}', 0),
    "cut off": ('{"name": "look", "argum', 0),
    "a tag with prose": (f"I explain: {TAG}", 0),
    "nothing": ("", 0),
}


@pytest.mark.parametrize(("text", "count"), LEAKED.values(), ids=LEAKED)
def test_a_text_counts_as_calls_only_where_all_of_it_is_calls_of_known_tools(text: str, count: int) -> None:
    assert len(read_leaked(text, {"look"})) == count


@pytest.mark.parametrize(
    ("text", "said", "why"),
    [
        (TAG[:-20], "", "call 1 is not closed"),
        (f"I look.\n{TAG}", "I look.", "a call stands as text beside prose"),
        ("<tool_call>\nlook(at='sky')\n</tool_call>", "", "call 1 is no JSON object with `name` and `arguments`"),
    ],
    ids=["cut off", "after prose", "no JSON"],
)
def test_a_native_answer_that_ends_with_a_tag_is_a_lost_call(text, said, why):
    assert read_lost(text, {"look"}) == TaggedRead(said, (), (why,))


@pytest.mark.parametrize(
    "text",
    [
        '[TOOL_CALLS][{"name": "look", "argu',
        '[TOOL_CALLS][{"name": "ghost", "arguments": {}}]',
        "[TOOL_CALLS]look[ARGS]",
        "<|python_tag|>{look}",
        "<function=look>\n<parameter=at>\nsky\n</parameter>\n</function>",
        '<function=look>{"at": "sky"}</function> Done.',
    ],
)
def test_a_native_answer_that_begins_with_the_mark_of_a_call_is_a_lost_call(text):
    assert read_leaked(text, {"look"}) == ()
    assert read_lost(text, {"look"}) == TaggedRead("", (), ("a call stands as text in a form that can't be read",))


@pytest.mark.parametrize(
    "text",
    [
        "[TOOL_CALLS] is what Mistral writes.",
        "<function=ghost> opens a call.",
        "It writes <function=look>{}</function>.",
        f"A call looks like this:\n\n```\n{TAG}\n```",
        f"{TAG}\nis how a call is written.",
        "Write <tool_call> before it.",
        TAG.replace("look", "unknown"),
    ],
    ids=[
        "a mark",
        "a mark of another tool",
        "a mark within",
        "in a fence",
        "before prose",
        "within a line",
        "of another tool",
    ],
)
def test_a_native_answer_that_only_speaks_of_tags_is_an_answer(text):
    assert read_lost(text, {"look"}) is None
