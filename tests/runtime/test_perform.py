"""What becomes of an output that was too large for memory: masked, kept once, and never left lying about."""

from pathlib import Path

import pytest

from agentspec.core.messages import Reply
from agentspec.errors import JournalError
from agentspec.policies.arguments import Arguments
from agentspec.ports import Output
from agentspec.runtime.masking.mask import Mask
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import call, plan_of, tool
from agentspec.testing.world import ListModel, MemoryArtifacts, World
from agentspec.text.blanks import HIDDEN

KEY = "sk-geheim-0123"


def world_with(overflow: Path) -> World:
    """A run whose only tool prints more than fits into memory."""
    look = tool("look")
    output = Output(text="its ends", overflow=overflow, full_bytes=9999)
    plan = plan_of(Arguments.configure(Settings({}), {"look": look}), tools=(look,))
    world = World(plan, ListModel(Reply(calls=(call("look"),)), Reply(text="seen")), mask=Mask([KEY]))
    world.driver.ports.tools = {"look": Printing(output)}
    return world


class Printing:
    """A tool with a fixed output."""

    def __init__(self, output: Output) -> None:
        self.output = output

    async def call(self, _: object) -> Output:
        return self.output

    async def close(self) -> None: ...


class FullDisk(MemoryArtifacts):
    """Artifacts that can't be kept."""

    def put(self, data: bytes | Path) -> str:
        raise JournalError("the disk is full")


@pytest.fixture
def overflow(tmp_path: Path) -> Path:
    path = tmp_path / "agentspec-output-1"
    path.write_bytes(b"x" * 3_000_000 + KEY.encode() + b"\xff")
    return path


async def test_an_output_in_a_file_is_kept_without_its_secrets(overflow: Path) -> None:
    world = world_with(overflow)

    await world.run("go")

    assert list(world.artifacts.kept.values()) == [b"x" * 3_000_000 + HIDDEN.encode() + b"\xff"]
    assert list(overflow.parent.iterdir()) == []


async def test_an_output_that_cannot_be_kept_leaves_no_file(overflow: Path) -> None:
    world = world_with(overflow)
    world.driver.ports.artifacts = FullDisk()

    with pytest.raises(JournalError, match="the disk is full"):
        await world.run("go")

    assert list(overflow.parent.iterdir()) == []


async def test_an_output_whose_secrets_cannot_be_taken_out_is_not_kept(tmp_path: Path) -> None:
    world = world_with(tmp_path / "vanished")

    result = await world.run("go")

    assert (result.status, world.artifacts.kept) == ("done", {})
