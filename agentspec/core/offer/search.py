"""search: which tools a model has to look for, how they are ranked, and which of the found ones are shown. Pure.

What is shown never passes the budget, and what was shown first stands first: a request changes at its end alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agentspec.core.models.replies import estimate_tokens
from agentspec.core.offer.native import is_native, search_asked
from agentspec.core.offer.rank import Index, fused, words_of
from agentspec.core.tools import ToolPlan, bytes_of_tool
from agentspec.errors import ExpressionError
from agentspec.expressions.compile import Program, activate, compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import EMPTY
from agentspec.spec.settings import Settings

NAME = "search_tools"
EXACT = 1_000  # what a tool gains that is asked for by its very name
MOST_PATTERN = 1_000  # characters of a pattern; a longer one is read as words alone


class Search(NamedTuple):
    """How the hidden tools of a spec are found. `budget` is in tokens, None where nothing bounds what is shown.

    One that `is_native` is made by the provider: it has the tools in every request, and shows the model what it found.
    """

    strategy: str
    name: str
    hidden: tuple[ToolPlan, ...]
    budget: int | None = None
    lists_names: bool = False
    rank: str | None = None
    function: str | None = None
    is_native: bool = False


def search_of(settings: Settings, tools: Mapping[str, ToolPlan]) -> Search | None:
    """The search that a spec asks for; None where it asks for none, or where no tool is hidden.

    What a run has to call is never hidden; a tool that would not fit the budget alone could not be shown, so it is
    neither hidden nor found: it is not offered at all.
    """
    asked = search_asked(settings)
    if asked is None:
        return None
    shown = {*(asked.get("always_loaded") or ()), *needed_tools(settings)}
    hidden = tuple(tool for tool in tools.values() if tool.is_deferred and tool.name not in shown)
    if not hidden:
        return None
    return Search(
        strategy=asked["strategy"],
        name=asked.get("name") or NAME,
        hidden=hidden,
        budget=asked.get("budget_tokens"),
        lists_names=asked.get("include_stub_listing") is True,
        rank=asked.get("rank"),
        function=asked.get("python"),
        is_native=is_native(settings),
    )


def needed_tools(settings: Settings) -> Iterable[str]:
    """The tools that the spec waits for, or forces, by name."""
    choice = settings.get("model.tool_choice")
    if isinstance(choice, Mapping):
        yield str(choice["tool"])
    for item in settings.get("execution.require_successful_tools") or ():
        yield from (item,) if isinstance(item, str) else item
    yield from (rule["claim_tool"] for rule in settings.get("execution.post_turn") or () if rule.get("claim_tool"))


def tokens_of(tool: ToolPlan) -> int:
    """About how many tokens a request has for the tool."""
    return estimate_tokens(bytes_of_tool(tool))


class Finder:
    """Finds hidden tools for a query; the same query finds the same tools in the same order."""

    def __init__(self, search: Search) -> None:
        fits = search.budget is None
        self.tools = [tool for tool in search.hidden if fits or tokens_of(tool) <= (search.budget or 0)]
        self._search = search
        self._texts = [text_of(tool) for tool in self.tools]
        self._index = Index([words_of(f"{tool.name} {tool.name} {text}") for tool, text in self._pairs()])
        self._rank = None if search.rank is None else compile_expression(search.rank, PLACES["tool_search.rank"])

    def _pairs(self) -> Iterable[tuple[ToolPlan, str]]:
        return zip(self.tools, self._texts, strict=True)

    def find(self, query: str, namespace: str | None = None) -> list[ToolPlan]:
        """The tools that fit, the best first; of equals the one whose name comes first."""
        scored = zip(self._scores(query), self.tools, strict=True)
        fit = [(-score, tool.name, tool) for score, tool in scored if score > 0]
        found = [tool for _, _, tool in sorted(fit, key=lambda one: one[:2])]
        return found if namespace is None else [tool for tool in found if tool.namespace == namespace]

    def of(self, namespace: str | None) -> list[ToolPlan]:
        """The tools that could be found, of a group or of all."""
        return self.tools if namespace is None else [tool for tool in self.tools if tool.namespace == namespace]

    def _scores(self, query: str) -> list[float]:
        match self._search.strategy:
            case "regex":
                scores = self._by_pattern(query)
            case "hybrid":
                scores = fused(self._index.scores(words_of(query)), self._by_pattern(query))
            case _:
                scores = self._index.scores(words_of(query))
        named = query.strip()
        scored = zip(scores, self.tools, strict=True)
        scores = [score + EXACT if tool.name == named else score for score, tool in scored]
        rank = self._rank
        return scores if rank is None else [self._ranked(rank, query, at, score) for at, score in enumerate(scores)]

    def _by_pattern(self, query: str) -> list[float]:
        """Matches in a name before those in a description; a pattern that can't be read is taken as it stands."""
        pattern = _compile(query)
        return [
            0.0 if not query.strip() else 2.0 * bool(pattern(tool.name)) + bool(pattern(text))
            for tool, text in self._pairs()
        ]

    def _ranked(self, rank: Program, query: str, at: int, score: float) -> float:
        seen = {**shown_to(self.tools[at]), "score": score}
        try:
            value = rank.evaluate(activate(PLACES["tool_search.rank"], EMPTY, {"query": query, "tool": seen}))
        except ExpressionError:
            return 0.0
        return float(value) if isinstance(value, int | float) else 0.0


def shown_to(tool: ToolPlan) -> dict[str, Any]:
    """What the author's own search or ranking sees of a tool."""
    names = ("name", "description", "namespace", "kind", "effect")
    return {name: getattr(tool, name) for name in names}


def text_of(tool: ToolPlan) -> str:
    """What is said about a tool, for a search: its name, description and namespace, and those of its parameters."""
    properties = tool.parameters.get("properties")
    parts = [tool.name, tool.namespace, tool.description]
    for name, schema in (properties if isinstance(properties, Mapping) else {}).items():
        said = schema.get("description") if isinstance(schema, Mapping) else None
        parts += [name, said if isinstance(said, str) else ""]
    return " ".join(part for part in parts if part)


def _compile(query: str) -> Any:
    import re2  # noqa: PLC0415 - a shared library, loaded only where patterns are used

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    try:
        return re2.compile(query[:MOST_PATTERN], options).search
    except re2.error:
        words = query.casefold()
        return lambda text: words in text.casefold()


def fitting(found: Sequence[ToolPlan], budget: int | None, most: int) -> list[ToolPlan]:
    """The first of the found tools that the budget holds together; one that does not fit beside them is passed over."""
    kept: list[ToolPlan] = []
    left = budget
    for tool in found:
        size = tokens_of(tool)
        if len(kept) == most:
            break
        if left is None or size <= left:
            kept.append(tool)
            left = None if left is None else left - size
    return kept


def loaded(
    before: tuple[str, ...], found: Sequence[str], sizes: Mapping[str, int], budget: int | None
) -> tuple[str, ...]:
    """The tools that are shown once these were found: the oldest of the others go where the budget would be passed.

    >>> loaded(("a", "b"), ["c", "b"], {"a": 5, "b": 5, "c": 5}, 12)
    ('b', 'c')
    """
    new = dict.fromkeys(name for name in found if name in sizes)
    kept = [*before, *(name for name in new if name not in before)]
    if budget is None:
        return tuple(kept)
    total = sum(sizes[name] for name in kept)
    for name in (*(name for name in before if name not in new), *reversed(new)):
        if total <= budget:
            break
        kept.remove(name)
        total -= sizes[name]
    return tuple(kept)
