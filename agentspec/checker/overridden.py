"""overridden: whether what a command line puts over a spec can stand there. The spec's own errors are not looked at."""

from __future__ import annotations

from agentspec.checker.check import agents_in, check_composed
from agentspec.compose.load import Composed
from agentspec.errors import SpecInvalid
from agentspec.text.diagnostic import Diagnostic


def require_overrides(composed: Composed) -> None:
    """Raise `SpecInvalid` where a `--set`, an `--input` or a `--model` is of the wrong type, or leads nowhere."""
    if not any(layer.name.startswith("--") for layer in composed.layers) and not _errors(composed.diagnostics):
        return  # nothing was put over it: a whole check would tell nothing
    errors = _errors(check_composed(composed, agents_in(composed.parsed)))
    if errors:
        raise SpecInvalid("what the command line says cannot stand in the spec", errors)


def _errors(found: list[Diagnostic]) -> list[Diagnostic]:
    return [one for one in found if one.severity == "error" and one.span.source.name.startswith("--")]
