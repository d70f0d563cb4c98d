"""findings: the codes of composition, each with its severity. Their pages stand in `checker/rules/as4_composition`."""

from __future__ import annotations

from agentspec.syntax.tree import Path, dotted
from agentspec.text.diagnostic import Diagnostic, Fix, Related, Severity
from agentspec.text.source import Span

SEVERITIES: dict[str, Severity] = {
    "AS401": "error",  # unknown preset
    "AS402": "error",  # extended file not found
    "AS403": "error",  # extends in a circle
    "AS404": "error",  # extends something broken
    "AS405": "error",  # conflicting diamond
    "AS406": "error",  # extends something that is no preset
    "AS407": "error",  # several documents, none named
    "AS408": "error",  # unknown document in a file
    "AS409": "note",  # preset that hides a built-in one
    "AS410": "error",  # override of a final value
    "AS411": "error",  # append to something that is no list
    "AS412": "error",  # wider than the ceiling
    "AS413": "error",  # denial dropped
    "AS414": "note",  # unset without effect
    "AS415": "error",  # unknown preset input
    "AS416": "error",  # preset input of the wrong type
    "AS417": "error",  # missing preset input
    "AS418": "error",  # preset that its inputs make too long
    "AS419": "error",  # unknown input is passed on
    "AS420": "error",  # bad `--set` path
    "AS421": "error",  # bad value on the command line
    "AS422": "error",  # bad `--model`
    "AS423": "error",  # unknown input
    "AS424": "error",  # input of the wrong type
    "AS425": "error",  # missing input
    "AS426": "error",  # default does not fit its type
    "AS427": "warning",  # preset input that nothing uses
    "AS428": "warning",  # credentials that meet another layer's host
    "AS429": "warning",  # called agent beyond the ceiling
    "AS430": "error",  # unreadable agentspec.toml
    "AS431": "error",  # unknown key in agentspec.toml
    "AS432": "error",  # wrong value in agentspec.toml
    "AS440": "error",  # library that is not locked
    "AS441": "error",  # unreadable lock
    "AS442": "error",  # library not found
    "AS443": "error",  # library changed since it was locked
    "AS444": "error",  # another meaning under the same version
    "AS445": "error",  # not exported
    "AS446": "error",  # exported twice
    "AS447": "error",  # export that is not there
    "AS448": "error",  # version that does not fit
    "AS449": "warning",  # two majors of a library
    "AS450": "error",  # libraries in a circle
    "AS451": "warning",  # unused library
    "AS452": "warning",  # deprecated library
    "AS453": "error",  # yanked library
    "AS454": "error",  # path that leads out of a library
    "AS455": "error",  # library that does more than hold data
    "AS456": "error",  # library that needs a more trusted one
    "AS457": "warning",  # library without a version
    "AS458": "warning",  # library that needs more than the ceiling leaves
    "AS459": "error",  # source of a library that is none
    "AS460": "note",  # library with the name of a built-in preset
    "AS461": "warning",  # trust in a library that is not used
    "AS462": "error",  # path into a library
    "AS463": "warning",  # organisation that no library is of
}


def finding(
    code: str,
    span: Span,
    message: str,
    *,
    path: Path = (),
    help: str | None = None,  # noqa: A002 - the name of the field that it fills
    fix: Fix | None = None,
    related: tuple[Related, ...] = (),
) -> Diagnostic:
    """A finding of composition with its code's severity."""
    return Diagnostic(code, SEVERITIES[code], message, span, dotted(path), help, fix, related)


def clip(text: str, most: int = 60) -> str:
    """A text short enough for a message."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
