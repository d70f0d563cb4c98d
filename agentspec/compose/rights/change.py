"""change: what one spec may do that another may not. What is not certainly covered counts as more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agentspec.compose.rights.left import ANYTHING, Right, is_open
from agentspec.compose.rights.narrow import WITHIN, amount, is_same
from agentspec.compose.rights.reach import Reach
from agentspec.compose.rights.rights import KINDS, Rights, rank
from agentspec.compose.toolkits import EFFECTS
from agentspec.syntax.tree import Node, Sequence, same

NO_EFFECT = ("effects", "none")  # where that alone is new, nothing more may be done
WALLS = ("none", "auto", "workspace")


class RightChange(NamedTuple):
    """One right that is new, gone, larger or smaller: as it was, and as it is; None where there is none."""

    kind: str
    name: str
    before: Right | None
    after: Right | None


class RightsChange(NamedTuple):
    """What may be done in addition, and what no more; `wall` is how the wall around programs changes, if it does."""

    more: list[RightChange]
    less: list[RightChange]
    wall: tuple[str, str] | None

    @property
    def is_wider(self) -> bool:
        """Whether anything may be done that could not be done before."""
        is_more = any((each.kind, each.name) != NO_EFFECT for each in self.more)
        return is_more or (self.wall is not None and WALLS.index(self.wall[0]) > WALLS.index(self.wall[1]))


def rights_change(before: Rights, after: Rights) -> RightsChange:
    """What is different in the second rights."""
    more: list[RightChange] = []
    less: list[RightChange] = []
    for kind in KINDS:
        old, new = _ruled(before, kind, after), _ruled(after, kind, before)
        more += _beyond(kind, old, new)
        less += (change._replace(before=change.after, after=change.before) for change in _beyond(kind, new, old))
    more += _further(before, after)
    less += (change._replace(before=change.after, after=change.before) for change in _further(after, before))
    walls = before.sandbox, after.sandbox
    is_known = all(wall in WALLS for wall in walls)
    return RightsChange(more, less, walls if walls[0] != walls[1] and is_known else None)


def _further(before: Rights, after: Rights) -> Iterator[RightChange]:
    """The settings by which what was there already reaches further than it did."""
    for name, new in after.reach.items():
        old = before.reach.get(name)
        if old is not None and not new.rule(new.node, old.node):
            yield RightChange("reach", name, _setting(name, old), _setting(name, new))


def _setting(name: str, given: Reach) -> Right | None:
    return None if given.node is None else Right(name, given.node, given.path)


def _ruled(rights: Rights, kind: str, other: Rights) -> Mapping[str, Right]:
    """The rights of a kind, without the rules of agents that only one side calls: what that changes, tools tell."""
    called = {name for name, tool in other.kinds["tools"].items() if tool.decision != "deny"}
    return {name: right for name, right in rights.kinds[kind].items() if not right.of or right.of in called}


def _beyond(kind: str, old: Mapping[str, Right], new: Mapping[str, Right]) -> Iterator[RightChange]:
    """What the new rights of a kind have that the old ones don't cover."""
    if kind in ("limits", "ceiling"):  # bounds: what is missing or larger is more
        names = [name for name in old if not _is_bounded(old[name], new.get(name))]
        yield from (RightChange(kind, name, old[name], new.get(name)) for name in names)
    elif kind == "gates":
        yield from _opened(old, new)
    else:
        for name, right in new.items():
            if right.decision != "deny" and not any(_covers(kind, known, right) for known in old.values()):
                yield RightChange(kind, name, old.get(name), right)


def _opened(old: Mapping[str, Right], new: Mapping[str, Right]) -> Iterator[RightChange]:
    """Rules that are less strict now: a rule that allows is a way through, one that is not there is none."""
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            is_more = after is not None if "allow" in (_word(before), _word(after)) else before is not None
        else:
            is_more = rank(after.decision) < rank(before.decision)
        if is_more:
            yield RightChange("gates", name, before, after)


def _word(right: Right | None) -> str | None:
    return None if right is None else right.decision


def _covers(kind: str, known: Right, right: Right) -> bool:
    is_within = WITHIN.get(kind, is_same)
    is_pattern = kind != "commands" or is_open(known)
    is_same_name = known.name == right.name and kind != "hosts"  # one name may stand for different ports
    is_known = is_same_name or known.name == ANYTHING or (is_pattern and is_within(right.node, known.node))
    return is_known and rank(known.decision) <= rank(right.decision) and _strength(known) >= _strength(right)


def _strength(right: Right) -> int:
    """How much a tool does; where that is not known, more than all that is."""
    return EFFECTS.index(right.effect) if right.effect in EFFECTS else len(EFFECTS) if right.effect is None else -1


def _is_bounded(old: Right, new: Right | None) -> bool:
    return new is not None and _node_within(str(old.path[-1]), new.node, old.node)


def _node_within(key: str, new: Node, old: Node) -> bool:
    """Whether a bound is at most another one; a list, whether all of it lies within the other."""
    match new, old:
        case Sequence(), Sequence():
            is_within = WITHIN.get(key, is_same)
            return all(any(is_within(item, outer) for outer in old.items) for item in new.items)
        case _:
            left, right = amount(new), amount(old)
            return same(new, old) if left is None or right is None else left <= right
