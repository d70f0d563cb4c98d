"""meaning: the findings of expressions and templates, placed truly in the file. CEL decides what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentspec.checker.questions.conditions import condition_of
from agentspec.checker.questions.file_texts import file_texts
from agentspec.checker.scopes import tool_scope
from agentspec.compose.documents import items_of
from agentspec.compose.load import Composed, input_types
from agentspec.expressions.compile import check_expression
from agentspec.expressions.places import PLACES, Place
from agentspec.expressions.problem import Problem
from agentspec.expressions.quoted_slots import CODE, quoted_slots
from agentspec.expressions.scope import Scope
from agentspec.expressions.template import parse_template
from agentspec.spec.routes import names_of
from agentspec.spec.structure.shape import Mark
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Broken, Mapping, Path, Scalar, dotted, find, plain, walk
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, Related

TOO_MUCH = "AS312"  # an expression that is too long or too deep is not read further
NEVER = "false"  # how a route says that it is there for `fallback` alone
SIGNS = ("$", "{")  # a text without them has neither a slot nor what looks like one


def meaning_findings(composed: Composed, marks: Iterable[Mark], unknown_in: frozenset[str]) -> Iterator[Diagnostic]:
    """What is wrong with each expression and template of a composed document.

    `unknown_in` are the dotted paths of the mappings that have an unknown key: what they seem to lack may be it.
    """
    scopes = Scopes(composed, unknown_in)
    bound = _bound_inputs(composed)
    for mark in marks:
        node, kind = mark.node, mark.annotation.get("kind")
        if not isinstance(node, Scalar) or kind not in ("expression", "template"):
            continue
        place = PLACES.get(str(mark.annotation.get("place")), PLACES["prompt"])
        scope = scopes.at(mark.path)
        if kind == "expression":
            text = condition_of(node) or ""
            problems = _expression_problems(text, place, scope, bound)
            if text.strip() == NEVER and is_stand_in(composed.tree, mark.path):
                problems = [problem for problem in problems if problem.code != "AS321"]
        else:
            problems = _template_problems(node, place, scope, is_value="http" in mark.path and "json" in mark.path)
        for problem in problems:
            yield _where_it_is_bound(_diagnostic(problem, node, mark.path), composed)
    for path, words in file_texts(composed.tree, composed.project) if composed.kind == "agent" else ():
        for problem in _template_problems(words, PLACES["prompt"], scopes.at(path), is_value=False):
            yield _diagnostic(problem, words, path)


def _bound_inputs(composed: Composed) -> frozenset[str]:
    """The inputs that are put in, in expressions too, where a document is extended; an agent has none."""
    inputs = find(composed.tree, ("inputs",)) if composed.kind != "agent" else None
    return frozenset(entry.name for entry in inputs.entries) if isinstance(inputs, Mapping) else frozenset()


def _where_it_is_bound(found: Diagnostic, composed: Composed) -> Diagnostic:
    """The finding; a slot that `with` brings into another file's expression is told where that file is extended."""
    extends = find(composed.document.root, ("extends",))
    if found.code != CODE or extends is None or found.span.source.name == composed.document.span.source.name:
        return found
    return found._replace(span=extends.span, related=(Related(found.span, "this is the expression"),))


def is_stand_in(tree: Mapping, path: Path) -> bool:
    """Whether the condition at a path is that of a route which `model.fallback` names."""
    if path[:2] != ("model", "routes") or path[3:] != ("when",):
        return False
    named = {plain(item) for item in items_of(find(tree, ("model", "fallback"))) if isinstance(item, Scalar)}
    told = ((key, find(tree, (*path[:3], key))) for key in ("label", "provider", "model"))
    said = {key: plain(value) for key, value in told if value is not None}
    return not named.isdisjoint(names_of(said))


def _expression_problems(text: str, place: Place, scope: Scope, bound: frozenset[str]) -> list[Problem]:
    problems = check_expression(text, place, scope)
    if "${" not in text or any(problem.code == TOO_MUCH for problem in problems):
        return problems
    return [*problems, *quoted_slots(text, place, bound)]


def _template_problems(node: Scalar, place: Place, scope: Scope, *, is_value: bool) -> list[Problem]:
    text = node.value
    if not isinstance(text, str) or not any(sign in text for sign in SIGNS):
        return []
    template = parse_template(text)
    return template.check_value(place, scope) if is_value else template.check(place, scope)


class Scopes:
    """What a spec adds to the places of its expressions, made once for each tool and table."""

    def __init__(self, composed: Composed, unknown_in: frozenset[str]) -> None:
        self._tree = composed.tree
        self._unknown_in = unknown_in
        self._has_broken = composed.has_broken
        is_open = composed.kind != "agent" or composed.has_broken or self._may_lack("inputs", ())
        is_open = is_open or not isinstance(find(self._tree, ("inputs",)), Mapping | None)
        self._inputs = None if is_open else input_types(composed)
        self._made: dict[Path, Scope] = {}

    def at(self, path: Path) -> Scope:
        """The scope of an expression or template at a path."""
        owner = path[:3] if path[:2] == ("capability", "tools") else ()
        if owner not in self._made:
            self._made[owner] = self._make(owner)
        return self._made[owner]

    def _make(self, owner: Path) -> Scope:
        tool = find(self._tree, owner) if owner else None
        scope = tool_scope(tool) if isinstance(tool, Mapping) else Scope()
        if self._may_lack("parameters", owner) or (isinstance(tool, Mapping) and self._is_unread(tool)):
            scope = scope._replace(args=None)
        return scope._replace(inputs=self._inputs)

    def _is_unread(self, tool: Mapping) -> bool:
        """Whether the parameters of a tool, or some part of them, could not be read or are none."""
        parameters = tool.get("parameters")
        if parameters is None:
            return self._has_broken
        if not isinstance(parameters, Mapping):
            return True
        return self._has_broken and any(isinstance(node, Broken) for _, node in walk(parameters))

    def _may_lack(self, key: str, owner: Path) -> bool:
        """Whether a mapping has an unknown key and lacks this one, which may be the one that was meant."""
        is_unknown = bool(self._unknown_in) and dotted(owner) in self._unknown_in
        return is_unknown and find(self._tree, (*owner, key)) is None


def _diagnostic(problem: Problem, node: Scalar, path: Path) -> Diagnostic:
    edits = tuple(Edit(span_in(node, start, end), text) for start, end, text in problem.edits)
    return Diagnostic(
        problem.code,
        problem.severity,
        problem.message,
        span_in(node, problem.start, problem.end) if isinstance(node.value, str) else node.span,
        dotted(path),
        problem.help,
        Fix(problem.fix_title, edits, problem.fix_class) if edits else None,
    )
