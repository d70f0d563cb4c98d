"""script_file: the turns of a script, from a spec or a file, and what is wrong with them.

Nothing answers in here. A mistake in a script is its author's and is told with the turn and the key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec

from agentspec.adapters.models.script import ROLES, ScriptModel, ScriptTurn
from agentspec.adapters.people.consents import Consents, consents_of
from agentspec.adapters.people.replies import WAIT, Rule, rule_of
from agentspec.adapters.tools.quantities import SECONDS
from agentspec.adapters.tools.recorded import Recording, ToolAnswer
from agentspec.core.messages import FailureClass
from agentspec.core.models.replies import RawCall
from agentspec.errors import SpecInvalid
from agentspec.ports import ModelSettings
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import plain
from agentspec.text.suggest import nearest

DURATION = re.compile(rf"(\d+(?:\.\d+)?)\s*({'|'.join(SECONDS)})")
SOURCE = "x-source"  # where the turns of a file were written, if not in it
TEXTS = ("text", "match", "role", "finish_reason", "reasoning", "said")
MATCH_KEYS = ("text", "role")
CALL_KEYS = ("name", "arguments", "id")
ERROR_KEYS = ("status", "message", "retry_after", "code", "type")


def script_model(settings: ModelSettings, folder: Path) -> ScriptModel:
    """The model behind `provider: script`: `options.turns`, or `options.file` beneath `folder`.

    Raises `SpecInvalid` or `NotFound`.
    """
    options = settings.options
    if "file" in options:
        path = folder / str(options["file"])
        script = _read(path)
        return ScriptModel(
            script.turns,
            settings.model or "script",
            script.source,
            replies=script.replies,
            results=Recording(script.results),
            consents=script.consents,
        )
    if "turns" not in options:
        raise SpecInvalid("the provider `script` needs `turns` or `file` in `model.options`, or `--script FILE`")
    return ScriptModel(read_turns(options["turns"], "`model.options.turns`"), settings.model or "script", "the spec")


def read_script(path: Path) -> list[ScriptTurn]:
    """The turns of a file in any spelling: a list, or a mapping with `turns`, or a scenario with `model`.

    Raises `NotFound` where there is no such file, and `SpecInvalid` with the findings where it can't be read.
    """
    return _read(path).turns


class _Script(NamedTuple):
    """The turns of a file; of a scenario also what its person answers, and the results of tools that are not run."""

    turns: list[ScriptTurn]
    source: str  # for people
    replies: list[Rule]
    consents: Consents
    results: list[ToolAnswer]


def _read(path: Path) -> _Script:
    parsed = read_file(path)
    errors = [finding for finding in parsed.diagnostics if finding.severity == "error"]
    if errors:
        line = errors[0].span.first.line
        raise SpecInvalid(f"the script `{path.name}` cannot be read: line {line}: {errors[0].message}", errors)
    content = plain(parsed.documents[0].root) if parsed.documents else None
    scenario: Mapping[str, Any] = content if isinstance(content, Mapping) else {}
    turns = scenario.get("turns", scenario.get("model")) if scenario else content
    if not isinstance(turns, list):
        raise SpecInvalid(f"the script `{path.name}` must be a list of turns, or hold one under `turns` or `model`")
    source = str(scenario.get(SOURCE, path.name))
    results = _results(scenario.get("tool_results"), source)
    return _Script(
        read_turns(turns, f"`{source}`"),
        f"`{source}`",
        _replies(scenario.get("user"), source),
        _consents(scenario.get("approve"), results, source),
        results,
    )


def _results(given: Any, name: str) -> list[ToolAnswer]:
    where = f"`tool_results` of the script `{name}`"
    try:
        each = msgspec.convert(given or [], list[dict[str, Any]])
        timed = [{**one, "delay": _seconds(one["delay"], where)} if "delay" in one else one for one in each]
        return msgspec.convert(timed, list[ToolAnswer])
    except msgspec.ValidationError as problem:
        raise SpecInvalid(f"{where}: {problem}") from None


def _consents(given: Any, results: list[ToolAnswer], name: str) -> Consents:
    """What its person approves: of what is really done, nothing."""
    if given is not None and not isinstance(given, str) and not _are_rules(given):
        raise SpecInvalid(f"`approve` of the script `{name}` must be a word, or a list of `{{tool, decision}}`")
    return consents_of(given, only={each.name for each in results})


def _replies(user: Any, name: str) -> list[Rule]:
    """The rules of a scenario's person that answer something, or leave it open: others are for tests."""
    given = (user.get("replies") if isinstance(user, Mapping) else user) or ()
    if not _are_rules(given):
        raise SpecInvalid(f"`user` of the script `{name}` must be a list of `{{match, reply}}`")
    kept = [rule for rule in given if rule.get("reply") is not None or rule.get("action") == WAIT]
    return [rule_of(rule) for rule in kept]


def _are_rules(given: Any) -> bool:
    return isinstance(given, list | tuple) and all(isinstance(rule, Mapping) for rule in given)


def read_turns(turns: Any, source: str) -> list[ScriptTurn]:
    """Turns out of plain values. Raises `SpecInvalid` with the turn and the key that is wrong."""
    if not isinstance(turns, list | tuple):
        raise SpecInvalid(f"{source} must be a list of turns")
    return [_turn(turn, f"turn {number} of {source}") for number, turn in enumerate(turns, 1)]


KINDS: dict[str, tuple[type, str]] = {
    **dict.fromkeys(TEXTS, (str, "a text")),
    "usage": (Mapping, "a mapping"),
    "interrupt": (bool, "`true` or `false`"),
}


def _check_values(fields: dict[str, Any], where: str) -> None:
    """Take out what is said to be nothing. Raises `SpecInvalid` for a value of another kind than its key takes."""
    for key, (kind, words) in KINDS.items():
        if fields.get(key) is None:
            fields.pop(key, None)
        elif not isinstance(fields[key], kind):
            raise SpecInvalid(f"{where}: `{key}` must be {words}")


def _turn(turn: Any, where: str) -> ScriptTurn:
    if isinstance(turn, str):
        return ScriptTurn(text=turn)
    if not isinstance(turn, Mapping):
        raise SpecInvalid(f"{where} must be a mapping or a text")
    _check_keys(turn, ScriptTurn.__struct_fields__, where)
    fields = _with_match(turn, where)
    if "delay" in fields:
        fields["delay"] = _seconds(fields["delay"], where)
    if "raw" in fields:
        raw = fields["raw"]
        fields["raw"] = raw.encode() if isinstance(raw, str) else msgspec.json.encode(raw)
    calls = () if fields.get("tool_calls") is None else fields["tool_calls"]
    if not isinstance(calls, list | tuple):
        raise SpecInvalid(f"{where}: `tool_calls` must be a list")
    fields["tool_calls"] = tuple(_call(call, where) for call in calls)
    if fields.get("error") is not None:
        _check_error(fields["error"], where)
        fields["error"] = _with_seconds(fields["error"])
    if fields.get("role") not in (None, *ROLES):
        raise SpecInvalid(f"{where}: `role` must be one of {', '.join(ROLES)}")
    _check_values(fields, where)
    try:
        return msgspec.convert(fields, ScriptTurn)
    except msgspec.ValidationError as problem:
        raise SpecInvalid(f"{where}: {problem}") from None


def _with_match(turn: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The turn with what its `match` says, where that is a mapping: a pattern, and who is asked."""
    match = turn.get("match")
    if not isinstance(match, Mapping):
        return dict(turn)
    _check_keys(match, MATCH_KEYS, f"{where}: `match`")
    return {**turn, "match": match.get("text"), "role": match.get("role", turn.get("role"))}


def _call(call: Any, where: str) -> RawCall:
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        raise SpecInvalid(f"{where}: a tool call needs a `name`")
    _check_keys(call, CALL_KEYS, where)
    arguments = call.get("arguments", {})
    text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
    return RawCall(str(call.get("id") or ""), call["name"], text)


def _check_error(error: Any, where: str) -> None:
    if not isinstance(error, Mapping):
        raise SpecInvalid(f"{where}: `error` must be a mapping with `status` and `message`")
    _check_keys(error, ERROR_KEYS, where)
    status = error.get("status", 500)
    classes = get_args(FailureClass)
    is_status = isinstance(status, int) and not isinstance(status, bool) and 300 <= status <= 599
    if not is_status and status not in classes:
        raise SpecInvalid(
            f"{where}: `error.status` must be an HTTP status from 300 to 599, or one of {', '.join(classes)}"
        )
    after = error.get("retry_after")
    if after is not None and not _is_duration(after):
        raise SpecInvalid(f"{where}: `error.retry_after` must be a duration such as `2s`, or a number of seconds")


def _is_duration(value: Any) -> bool:
    if isinstance(value, str):
        return DURATION.fullmatch(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _with_seconds(error: Mapping[str, Any]) -> dict[str, Any]:
    found = DURATION.fullmatch(str(error.get("retry_after", "")))
    return dict(error) if found is None else {**error, "retry_after": float(found[1]) * SECONDS[found[2]]}


def _check_keys(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in given:
        if key in known:
            continue
        near = nearest(str(key), known)
        hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}"
        raise SpecInvalid(f"{where}: unknown key `{key}`; {hint}")


def _seconds(delay: Any, where: str) -> float:
    if not _is_duration(delay):
        raise SpecInvalid(f"{where}: `delay` must be a duration such as `50ms`, or a number of seconds")
    found = DURATION.fullmatch(delay) if isinstance(delay, str) else None
    return float(delay) if found is None else float(found[1]) * SECONDS[found[2]]
