"""problem: what is wrong with an expression or a template, in our words, with offsets into its text."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from agentspec.text.diagnostic import FixClass, Severity

Edit: TypeAlias = tuple[int, int, str]

SEVERITY: dict[str, Severity] = {
    "AS301": "error",  # syntax
    "AS302": "error",  # unknown name
    "AS303": "error",  # unknown field
    "AS304": "error",  # unknown function
    "AS305": "error",  # wrong number of arguments
    "AS306": "error",  # operand types
    "AS307": "error",  # condition is not a boolean
    "AS308": "error",  # result type
    "AS309": "error",  # not a member of an enum
    "AS310": "error",  # constant failure
    "AS311": "error",  # regular expression
    "AS312": "error",  # too deep or too long
    "AS313": "error",  # known elsewhere, not here
    "AS314": "error",  # spelling of another language
    "AS315": "error",  # comment
    "AS316": "error",  # empty
    "AS317": "error",  # slot of a template
    "AS320": "warning",  # dynamic condition
    "AS321": "warning",  # constant condition
    "AS322": "warning",  # contradictory comparisons
    "AS323": "warning",  # order of a mapping
    "AS324": "warning",  # optional used unchecked
    "AS325": "warning",  # integer literal beside free data
    "AS326": "error",  # a condition on rows that is no SQL
    "AS330": "error",  # template syntax
    "AS331": "error",  # template value
    "AS332": "error",  # env not here
    "AS333": "warning",  # slot of another language
}


class Problem(NamedTuple):
    """One finding. `start` and `end` are code points of the text; the end is exclusive.

    `edits` are changes of the same text that mend it, with `fix_title` and `fix_class`.
    """

    start: int
    end: int
    code: str
    severity: Severity
    message: str
    help: str | None = None
    edits: tuple[Edit, ...] = ()
    fix_title: str = ""
    fix_class: FixClass = "local"


def problem(code: str, span: tuple[int, int], message: str, way_out: str | None = None) -> Problem:
    """A problem with the severity of its code."""
    return Problem(*span, code, SEVERITY[code], message, way_out)


def with_fix(found: Problem, title: str, *edits: Edit, fix_class: FixClass = "local") -> Problem:
    """The problem with a ready change of the text."""
    return found._replace(edits=edits, fix_title=title, fix_class=fix_class)


def renamed(found: Problem, near: str | None, span: tuple[int, int] | None = None) -> Problem:
    """The problem with the offer to write `near` instead, where something is near."""
    if near is None:
        return found
    start, end = span or (found.start, found.end)
    offered = found._replace(help=f"did you mean `{near}`?")
    return with_fix(offered, f"rename to `{near}`", (start, end, near))


def apply(text: str, edits: tuple[Edit, ...] | list[Edit]) -> str:
    """The text after the edits, which must not overlap."""
    out, at = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        out += [text[at:start], new]
        at = end
    return "".join(out) + text[at:]


def original(offset: int, edits: list[Edit]) -> int:
    """Where an offset of `apply(text, edits)` was in the text; inside new text, the start of what it replaced."""
    shift = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        at = start + shift
        if offset < at:
            break
        if offset < at + len(new):
            return start
        shift += len(new) - (end - start)
    return offset - shift
