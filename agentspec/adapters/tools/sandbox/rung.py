"""rung: one kind of wall as this machine has it, and what it holds."""

from __future__ import annotations

from typing import Literal, NamedTuple

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_NETWORK = 0x20000, 0x08000000, 0x10000000, 0x40000000  # unshare(2)


class Rung(NamedTuple):
    """`problem` says why it can't be used here, and is empty where it can.

    `program` is where bubblewrap is, `abi` the version of Landlock, `namespaces` what the launcher can separate (flags
    of unshare(2)), `maps_user` whether that takes a user namespace.
    """

    name: str
    problem: str = ""
    program: str = ""
    abi: int = 0
    namespaces: int = 0
    maps_user: bool = False

    @property
    def network(self) -> Literal["all", "tcp", "none"]:
        """How much of the network it keeps from programs; with `tcp` datagrams still pass (Landlock, ABI 4)."""
        if self.problem:
            return "none"
        if self.program or self.namespaces & NEW_NETWORK:
            return "all"
        return "tcp" if self.abi >= 4 else "none"

    @property
    def holds(self) -> bool:
        """Whether `sandbox: workspace` can rely on it: it keeps programs from files and from the network."""
        return self.network != "none"
