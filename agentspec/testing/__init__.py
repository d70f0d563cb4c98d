"""testing: what a test of a policy, a tool or a spec needs: the kernel by hand, and a scripted world."""

from agentspec.testing.kernel import Kernel, call, plan_for, plan_of, tool
from agentspec.testing.world import (
    FunctionTool,
    JumpingClock,
    ListModel,
    MemoryArtifacts,
    MemoryJournal,
    World,
    failed,
)

__all__ = [
    "FunctionTool",
    "JumpingClock",
    "Kernel",
    "ListModel",
    "MemoryArtifacts",
    "MemoryJournal",
    "World",
    "call",
    "failed",
    "plan_for",
    "plan_of",
    "tool",
]
