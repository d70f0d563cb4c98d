"""quoted_slots: `${…}` within a text of an expression. Nothing fills it in, so the text is compared as it stands.

Only what is certainly meant as a slot is told: one that names a value which slots of templates know.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from agentspec.expressions.nodes import Literal, walk
from agentspec.expressions.parse import parse
from agentspec.expressions.places import Place
from agentspec.expressions.problem import Problem, problem

CODE = "AS317"
SLOT = r"(?<!\$)\$\{\s*((inputs|args|run|env|identity)\.([A-Za-z_]\w*))[^{}\"']*\}?"
OF_CALLS = ("approval.when", "permissions.when", "middleware.when")


def quoted_slots(text: str, place: Place, bound: Container[str] = ()) -> Iterator[Problem]:
    """The slots in the texts of an expression; `bound` are the inputs whose values a preset's user puts in.

    >>> from agentspec.expressions.places import PLACES
    >>> found = quoted_slots('args.env == "${inputs.env}"', PLACES["approval.when"])
    >>> [(one.start, one.end, one.code) for one in found]
    [(13, 26, 'AS317')]
    """
    root = parse(text).root
    for literal in walk(root) if root is not None else ():
        if not isinstance(literal, Literal) or literal.kind != "string":
            continue
        for slot in re.compile(SLOT).finditer(text, literal.start, literal.end):
            if slot[2] != "inputs" or slot[3] not in bound:
                message = f"an expression takes no `${{…}}`: `{slot[0]}` is compared as it stands"
                yield problem(CODE, slot.span(), message, _way_out(slot, place))


def _way_out(slot: re.Match[str], place: Place) -> str:
    named, owner, name = slot.groups()
    if owner in place.names:
        return f"write `{named}` itself, outside of the quotes"
    if owner != "inputs":
        return "write the value itself"
    preset = f"write the value itself, or let a preset with inputs bring it: `with: {{{name}: …}}`"
    return f"{preset}; `args` of a rule in `permissions` takes `${{{named}}}`" if place.id in OF_CALLS else preset
