"""Reading on in a result that was cut: whole characters, every byte reachable, nothing larger than one answer."""

import asyncio
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.tools.offered.read_output import LEAST, ReadOutput
from agentspec.ports import Invocation, Output
from agentspec.testing.world import MemoryArtifacts

HEAD = re.compile(r"\[bytes (\d+) to (\d+) of \d+(; read on with offset=\d+|, which is its end)\]\n")


def read(data: bytes, result_max: int = 65536, **arguments: Any) -> Output:
    artifacts = MemoryArtifacts()
    tool = ReadOutput(artifacts, result_max)
    arguments["artifact"] = artifacts.put(data)
    return asyncio.run(tool.call(Invocation(name="read_output", call_id="c", arguments=arguments, key="k")))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "[bytes 0 to 10 of 10, which is its end]\n0123456789"),
        ({"offset": 4, "length": 3}, "[bytes 4 to 7 of 10; read on with offset=7]\n456"),
        ({"offset": -2}, "[bytes 8 to 10 of 10, which is its end]\n89"),
        ({"offset": -99, "length": 1}, "[bytes 0 to 1 of 10; read on with offset=1]\n0"),
        ({"offset": 10}, "[nothing from byte 10 on: the output has 10 bytes]"),
    ],
)
def test_a_stretch_says_where_it_stands(arguments: Any, text: str) -> None:
    assert read(b"0123456789", **arguments).text == text


def test_one_answer_is_never_larger_than_a_result_may_be() -> None:
    output = read(b"x" * 5000, result_max=1024, length=5000)

    assert 800 < len(output.text) <= 1024


def test_bytes_that_are_no_text_are_marked() -> None:
    assert read(b"a\xffb").text.endswith("]\na\ufffdb")


def test_an_output_that_is_gone_is_an_error() -> None:
    tool = ReadOutput(None, 65536)
    output = asyncio.run(tool.call(Invocation(name="r", call_id="c", arguments={"artifact": "0" * 64}, key="k")))

    assert (output.status, output.error and output.error.category) == ("error", "not_found")


@given(text=st.text(max_size=300), length=st.integers(1, 2 * LEAST))
def test_reading_on_shows_every_character_once(text: str, length: int) -> None:
    data = text.encode("utf-8", "replace")
    shown, offset = "", 0

    while offset < len(data):
        answer = read(data, offset=offset, length=max(length, 4)).text
        head = HEAD.match(answer)
        assert head is not None
        shown += answer[head.end() :]
        offset = int(head.group(2))

    assert shown == data.decode()
