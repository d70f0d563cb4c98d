"""What has to be checked, in which order, and what a client is told."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from lsprotocol.types import Diagnostic, Position, Range

from agentspec.lsp.checking import Checking, Found

SPOT = Range(Position(0, 0), Position(0, 1))


class Client:
    """Takes down what it is told; `find` is what a check of a path comes to."""

    def __init__(self, find: Callable[[str], Found]) -> None:
        self.told: list[tuple[str, list[str]]] = []
        self.bugs: list[str] = []
        self.worker = ThreadPoolExecutor(1)
        self.checking = Checking(self.worker, find, self.publish, lambda bug: self.bugs.append(str(bug)))

    def publish(self, address: str, found: list[Diagnostic]) -> None:
        self.told.append((address, [one.message for one in found]))

    async def settle(self) -> None:
        task = self.checking._task
        assert task is not None
        await task


def said(*messages: str) -> list[Diagnostic]:
    return [Diagnostic(SPOT, message) for message in messages]


async def test_what_depends_on_a_change_is_checked_after_it() -> None:
    client = Client(lambda path: {path: said(f"in {path}")})

    client.checking.change(lambda: ["b", "a"])
    await client.settle()

    assert client.told == [("b", ["in b"]), ("a", ["in a"])]


async def test_a_finding_elsewhere_is_told_until_nobody_has_it() -> None:
    found = {"a": {"a": [], "prompt": said("x", "y")}, "b": {"b": [], "prompt": said("x")}}
    client = Client(lambda path: found[path])
    client.checking.change(lambda: ["a", "b"])
    await client.settle()

    client.checking.close("a")
    client.checking.close("b")

    assert [messages for address, messages in client.told if address == "prompt"] == [["x", "y"], ["x", "y"], ["x"], []]


async def test_an_open_file_is_told_of_by_its_own_check_alone() -> None:
    client = Client(lambda path: {path: said("own")} if path == "b" else {"a": [], "b": said("from a")})

    client.checking.change(lambda: ["b", "a"])
    await client.settle()

    assert [messages for address, messages in client.told if address == "b"] == [["own"], ["own"]]


async def test_a_bug_is_reported_and_the_next_text_checked() -> None:
    def find(path: str) -> Found:
        if path == "bad":
            raise ValueError("of a check")
        return {path: said("fine")}

    def change() -> list[str]:
        raise ValueError("of a change")

    client = Client(find)
    client.checking.change(change)
    client.checking.change(lambda: ["bad", "good"])
    await client.settle()

    assert client.bugs == ["of a change", "of a check"]
    assert client.told == [("good", ["fine"])]
