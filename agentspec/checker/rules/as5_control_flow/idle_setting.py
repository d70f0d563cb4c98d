"""AS524 setting that another one switches off."""

from collections.abc import Callable, Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

STALL: Path = ("execution", "stall")
REPAIR: Path = (*STALL, "repair_diagnostics")
LIMITS: Path = ("execution", "limits")
GUARD = "no_net_progress_extend_guard"
POTS = ("tokens", "cost_usd", "provider_calls", "tool_calls")
SOURCES = ("tools", "toolkits", "resources", "mcp", "subagents", "skills", "progress_tool", "provider_tools")
COMPACTION: Path = ("context", "compaction", "strategy")
KEPT = ("keep_first", "keep_last")
NO_SUMMARY = "no model is asked for a summary"
NEVER = "with `strategy: none` nothing is left out"
Test = Callable[[Subject, Path], bool]


def _is_zero(subject: Subject, path: Path) -> bool:
    return subject.number(*path) == 0


def _is_none_or_zero(subject: Subject, path: Path) -> bool:
    return subject.at(*path) is None or _is_zero(subject, path)


def _is_false(subject: Subject, path: Path) -> bool:
    return subject.flag(*path) is False


def _is_abort(subject: Subject, path: Path) -> bool:
    return subject.text(*path) == "abort"


def _is_given(subject: Subject, path: Path) -> bool:
    return subject.number(*path) is not None


def _is_not_true(subject: Subject, path: Path) -> bool:
    return subject.flag(*path) is not True


def _is_empty(subject: Subject, path: Path) -> bool:
    return subject.values(*path) == {} and subject.has_all(*path)


def _is_fixed(subject: Subject, _path: Path) -> bool:
    return subject.flag(*REPAIR, GUARD) is True and not subject.is_adaptive


def _has_no_pot(subject: Subject, path: Path) -> bool:
    if subject.text(*path, "scope") != "session" or subject.at("capability", "ceiling") is not None:
        return False
    return all(subject.at(*path, pot) is None for pot in POTS)


def _offers_nothing(subject: Subject, path: Path) -> bool:
    return subject.at("lifecycle") is None and all(subject.at(*path, source) is None for source in SOURCES)


def _makes_no_summary(subject: Subject, path: Path) -> bool:
    return subject.text(*path) in ("none", "truncate") or subject.at(*path[:-1], "python") is not None


def _is_none(subject: Subject, path: Path) -> bool:
    return subject.text(*path) == "none"


def _keeps_nothing(subject: Subject, path: Path) -> bool:
    return subject.text(*path) == "summarize_all"


# A setting, the one that decides about it, when that switches it off, and the words for it.
SETTINGS: tuple[tuple[Path, Path, Test, str], ...] = (
    (("execution", "nudge"), ("execution", "max_nudges"), _is_zero, "with `max_nudges: 0` nothing is nudged"),
    (("execution", "tool_backoff"), ("execution", "tool_retries"), _is_none_or_zero, "no tool is tried again"),
    (
        ("execution", "limits", "consecutive_failures"),
        ("execution", "tool_error_mode"),
        _is_abort,
        "with `tool_error_mode: abort` the first failure ends the run",
    ),
    ((*STALL, "threshold"), (*STALL, "stuck_limit"), _is_given, "`stuck_limit` takes its place"),
    ((*STALL, "repeat_same_error"), (*STALL, "stuck_limit"), _is_given, "`stuck_limit` takes its place"),
    ((*STALL, "max_notes"), (*STALL, "inject_feedback"), _is_false, "with `inject_feedback: false` no note is given"),
    ((*REPAIR, "no_net_progress_extend_after"), (*REPAIR, GUARD), _is_not_true, f"`{GUARD}` is not on"),
    ((*REPAIR, "stuck_same_diagnostic_after"), (*REPAIR, "repair_aware"), _is_not_true, "`repair_aware` is not on"),
    ((*REPAIR, GUARD), ("execution", "iteration_budget"), _is_fixed, "a fixed budget never grows"),
    ((*LIMITS, "scope"), LIMITS, _has_no_pot, "no bound is set that runs of a session could share"),
    (("model", "tool_choice"), ("capability",), _offers_nothing, "no tool is offered"),
    (("model", "shadow"), ("model", "shadow", "sample"), _is_zero, "with `sample: 0` no call is mirrored"),
    (("model", "rate_limit"), ("model", "rate_limit"), _is_empty, "it sets no limit"),
    *(
        (("context", "compaction", name), COMPACTION, _makes_no_summary, NO_SUMMARY)
        for name in ("summarizer", "policy")
    ),
    *((("context", "compaction", name), COMPACTION, _is_none, NEVER) for name in ("threshold", "target", *KEPT)),
    (("context", "compaction", "keep_last"), COMPACTION, _keeps_nothing, "`summarize_all` keeps no message at the end"),
)
# In a rule: a key, and the keys of which it needs one.
IN_RULES: tuple[tuple[Path, str, tuple[str, ...]], ...] = (
    (("execution", "verify_completion"), "cwd", ("command", "python")),
    (("execution", "verify_completion"), "timeout", ("command", "python")),
    (("execution", "post_turn"), "feedback_kind", ("message", "python")),
    (("execution", "post_turn"), "needs_verify", ("stop", "python")),
    (("execution", "terminal"), "feedback_kind", ("message", "python")),
)


class IdleSetting(Rule):
    """A setting does nothing, because another one switches what it is about off.

    Why: it reads as if it had an effect, and whoever changes it later changes nothing.

    Bad:

    ```yaml
    name: triage
    execution:
      max_nudges: 0
      nudge: Please go on.
    ```

    Good:

    ```yaml
    name: triage
    execution:
      max_nudges: 2
      nudge: Please go on.
    ```

    Fix: take the setting away, or switch on what it is about.
    """

    code = "AS524"
    title = "setting that another one switches off"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        for path, other, is_off, why in SETTINGS:
            node = subject.at(*path)
            if node is None or not subject.is_own(node.span) or not subject.has_all(*other[:-1]):
                continue
            if subject.is_sound(*other) and is_off(subject, other):
                where = subject.at(*other)
                yield self._idle(path, subject, why, () if where is None else (Related(where.span, "decided here"),))
        for rules, name, needed in IN_RULES:
            for path, _ in subject.items(*rules):
                has_one = any(subject.at(*path, key) is not None for key in needed)
                if subject.at(*path, name) is not None and not has_one and subject.has_all(*path):
                    yield self._idle((*path, name), subject, f"it is about the `{needed[0]}` that this rule lacks", ())

    def _idle(self, path: Path, subject: Subject, why: str, related: tuple[Related, ...]) -> Diagnostic:
        return self.finding(
            subject.key(*path),
            f"`{path[-1]}` has no effect: {why}",
            path=path,
            help="take it away, or switch on what it is about",
            related=related,
        )
