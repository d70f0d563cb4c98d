"""rules: a spec's rules for tool calls (`approval.rules`, `permissions`), compiled once and held against a call.

A rule matches where all that it names matches. What a rule allows has to fit with all of its parts; what it asks about
or refuses is caught by any. An expression that fails refuses the call.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from agentspec.core.calls.matching import (
    is_host,
    is_named,
    is_path,
    is_path_or_below,
    listed,
    mentions,
    prefix_of,
    runs_only,
)
from agentspec.core.calls.touched import Touched, hosts_of, paths_of, place
from agentspec.core.facts import Facts
from agentspec.core.rules.functions import state_of
from agentspec.core.tools import ToolPlan
from agentspec.errors import ExpressionError
from agentspec.expressions.compile import Program, activate, compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import EMPTY
from agentspec.text.hosts import PORTS


class Looked(NamedTuple):
    """A call as rules see it. `places` are all that it touches, absolute; `nth` is how many of its tool there were
    before it in the run, None where that is not known yet.
    """

    plan: ToolPlan
    arguments: Mapping[str, Any]
    touched: Touched
    places: tuple[str, ...]
    nth: int | None = None


def looked_at(plan: ToolPlan, arguments: Mapping[str, Any], touched: Touched, project: str) -> Looked:
    """The call with all places that it touches; those of a command as far as they are plain."""
    named = paths_in(touched)
    places = tuple(dict.fromkeys(place(path, project) for path in named)) if named else ()
    return Looked(plan, arguments, touched, places)


def paths_in(touched: Touched) -> tuple[str, ...]:
    """All paths that a call names, those of a command as far as they are plain."""
    return _with_paths_of(touched.command, touched)


def chosen_in(touched: Touched) -> tuple[str, ...]:
    """The same without what the author of the spec has written into the command."""
    return _with_paths_of(touched.command if touched.chosen is None else touched.chosen, touched)


def _with_paths_of(elements: tuple[str, ...], touched: Touched) -> tuple[str, ...]:
    if not elements:
        return touched.paths
    named = paths_of(elements, touched.command[0])
    return (*touched.paths, *(posixpath.join(touched.cwd, path) for path in named))


class CallRule(NamedTuple):
    """One rule; `place` is where it stands in the spec, `program` its condition, `function` who is asked instead."""

    place: str
    says: Mapping[str, Any]
    program: Program | None
    function: str | None


def compile_rule(rule: Mapping[str, Any], place_of_rule: str, expression: str) -> CallRule:
    """A rule of the place `expression` (`approval.when`)."""
    when = rule.get("when")
    program = None if when is None else compile_expression(str(when), PLACES[expression])
    return CallRule(place_of_rule, rule, program, rule.get("python"))


def names_of(call: Looked, facts: Facts, identity: Mapping[str, Any]) -> dict[str, Any]:
    """What expressions and functions about a call see."""
    return state_of(
        "approval.when",
        facts,
        tool={"name": call.plan.name, "kind": call.plan.kind, "effect": call.plan.effect},
        args=dict(call.arguments),
        paths=list(call.places),
        command=list(call.touched.command),
        url=_url(call.touched.url),
        identity=whole_identity(identity),
    )


def whole_identity(given: Mapping[str, Any]) -> dict[str, Any]:
    """Who the run acts for, as expressions see it: empty where nobody was named.

    >>> whole_identity({"user": "ada"})
    {'user': 'ada', 'roles': [], 'tenant': ''}
    """
    return {
        "user": given.get("user") or "",
        "roles": list(given.get("roles") or ()),
        "tenant": given.get("tenant") or "",
    }


def _url(url: str) -> dict[str, Any]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # nobody could go there either
        parts, port = urlsplit(""), None
    scheme = parts.scheme.lower()
    return {
        "text": url,
        "scheme": scheme,
        "host": parts.hostname or "",
        "port": port or PORTS.get(scheme, 0),
        "path": parts.path,
        "query": parts.query,
    }


def is_match(rule: CallRule, call: Looked, project: str, *, allows: bool) -> bool:
    """Whether the call fits all that the rule names beside its condition; `allows` where it would let the call run."""
    says, plan = rule.says, call.plan
    return (
        _among(says.get("tool"), plan.name)
        and _one_of(says.get("kind"), plan.does)
        and _one_of(says.get("effect"), plan.effect)
        and _among(says.get("mcp"), plan.server)
        and _fits_paths(says.get("paths"), call, project, allows=allows)
        and _fits_command(says.get("command"), call.touched, allows=allows)
        and _fits_hosts(says.get("hosts"), call.touched, allows=allows)
        and _one_of(says.get("methods"), call.touched.method)
        and _fits_count(says.get("calls_over"), call.nth)
        and _fits_arguments(says.get("args"), call.arguments)
    )


def holds(rule: CallRule, names: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether the condition of a rule holds, and what went wrong where nobody can say."""
    if rule.program is None:
        return True, ""
    try:
        return bool(rule.program.evaluate(activate(PLACES["approval.when"], EMPTY, names))), ""
    except ExpressionError as error:
        return True, str(error)


def _among(globs: Any, name: str) -> bool:
    return globs is None or is_named(name, listed(globs))


def _one_of(words: Any, word: str) -> bool:
    return words is None or word in listed(words)


def _fits_paths(globs: Any, call: Looked, project: str, *, allows: bool) -> bool:
    if globs is None:
        return True
    is_fitting = is_path if allows else is_path_or_below
    fits = [is_fitting(path, listed(globs), project) for path in call.places]
    return bool(fits) and (all(fits) if allows else any(fits))


def _fits_command(prefix: Any, touched: Touched, *, allows: bool) -> bool:
    if prefix is None:
        return True
    wanted = prefix_of(prefix)
    return runs_only(touched.command, [wanted]) if allows else mentions(touched.command, wanted)


def _fits_hosts(patterns: Any, touched: Touched, *, allows: bool) -> bool:
    if patterns is None:
        return True
    fits = [is_host(host, listed(patterns)) for host in hosts_of(touched)]
    return bool(fits) and (all(fits) if allows else any(fits))


def _fits_count(most: int | None, nth: int | None) -> bool:
    return most is None or (nth is not None and nth >= most)


def _fits_arguments(patterns: Mapping[str, str] | None, arguments: Mapping[str, Any]) -> bool:
    return all(name in arguments and is_named(str(arguments[name]), [glob]) for name, glob in (patterns or {}).items())


def strictest(decisions: Sequence[str]) -> str:
    """Deny beats ask beats allow.

    >>> strictest(["allow", "ask"])
    'ask'
    """
    return next(word for word in ("deny", "ask", "allow") if word in decisions)
