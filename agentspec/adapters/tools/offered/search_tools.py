"""search_tools: the tool with which a model finds tools that it is not shown. Reads descriptions, calls nothing.

What it finds is shown from the next turn on; that is the business of the run's policy of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentspec.core.calls.cap import encodable
from agentspec.core.messages import ToolError
from agentspec.core.offer.search import Finder, Search, fitting, shown_to
from agentspec.core.tools import ToolPlan
from agentspec.ports import Invocation, Output, Respondent

MOST = 20
USUAL = 5
LONGEST_QUERY = 2_000  # characters
SHOWN = 200  # characters of a description
LISTED = 500  # names in the description of the search tool
DESCRIPTION = (
    "Finds further tools by what they do. Only some of the tools are shown at first; the ones that are found can be "
    "called from your next turn on. Ask with a few words, or with the exact name of a tool."
)
PATTERN = " The query may be a regular expression (RE2), which names and descriptions are searched for."


def search_plan(search: Search) -> ToolPlan:
    """The search tool as the model sees it; its description stays the same for the whole run."""
    parameters: dict[str, Any] = {
        "query": {"type": "string", "description": "What the tool should do."},
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "description": f"At most so many; {USUAL} else."},
    }
    groups = sorted({tool.namespace for tool in search.hidden if tool.namespace})
    if groups:
        parameters["namespace"] = {"type": "string", "enum": groups, "description": "Only tools of this group."}
    words = DESCRIPTION + ("" if search.strategy == "bm25" else PATTERN)
    if search.lists_names:
        names = sorted(tool.name for tool in search.hidden)
        more = "" if len(names) <= LISTED else f", and {len(names) - LISTED} more"
        words += f" There are: {', '.join(names[:LISTED])}{more}."
    return ToolPlan(
        name=search.name,
        description=words,
        parameters={
            "type": "object",
            "properties": parameters,
            "required": ["query"],
            "additionalProperties": False,
        },
        effect="none",
        kind="runtime",
        repeat="read",
    )


class SearchTool:
    """Finds what fits the budget, and no more than one answer of `result_max` bytes can name.

    Where the spec names a function, that finds instead: it is given the query and the tools, and gives names.
    """

    def __init__(self, search: Search, result_max: int, functions: Respondent) -> None:
        self._search = search
        self._finder: Finder | None = None
        self._result_max = result_max
        self._functions = functions

    async def call(self, invocation: Invocation) -> Output:
        query = encodable(str(invocation.arguments.get("query", "")))
        if not query.strip():
            return _failed("`query` is empty: say in a few words what the tool should do")
        if len(query) > LONGEST_QUERY:
            return _failed(f"`query` has {len(query)} characters; at most {LONGEST_QUERY} are taken")
        self._finder = self._finder or Finder(self._search)
        namespace = invocation.arguments.get("namespace")
        if self._search.function is None:
            found = self._finder.find(query, namespace)
        else:
            answer = await self._asked(self._search.function, query, self._finder.of(namespace))
            if isinstance(answer, str):
                return _failed(answer)
            found = answer
        kept = fitting(found, self._search.budget, int(invocation.arguments.get("limit") or USUAL))
        return self._shown(kept, more=len(found) - len(kept))

    async def _asked(self, function: str, query: str, tools: Sequence[ToolPlan]) -> list[ToolPlan] | str:
        """The tools that the author's function names, or what went wrong; a name that is none of them finds nothing."""
        state = {"query": query, "tools": [shown_to(tool) for tool in tools]}
        answer = await self._functions.answer({"function": function, "state": state})
        named = answer.get("value")
        if "error" in answer or not isinstance(named, list):
            return f"the search failed: {answer.get('error') or f'`{function}` gave no list of names'}"
        known = {tool.name: tool for tool in tools}
        return [known[name] for name in dict.fromkeys(map(str, named)) if name in known]

    def _shown(self, kept: list[ToolPlan], more: int) -> Output:
        if not kept:
            return Output(text="No tool fits. Try other words, or go on with the tools that you have.", data=_data([]))
        while True:
            text = _listing(kept, more)
            if len(kept) == 1 or len(text.encode()) <= self._result_max:
                return Output(text=text, data=_data(kept))
            kept, more = kept[:-1], more + 1

    async def close(self) -> None: ...


def _listing(kept: list[ToolPlan], more: int) -> str:
    lines = ["These tools can be called from your next turn on:"]
    lines += [f"- {tool.name}: {_short(tool.description)}" for tool in kept]
    if more:
        lines.append(f"{more} more fit less well; ask with other words, or with a larger `limit`, to see them.")
    return "\n".join(lines)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[:SHOWN].rstrip() + "…"


def _data(kept: list[ToolPlan]) -> dict[str, Any]:
    return {"found": [tool.name for tool in kept]}


def _failed(message: str) -> Output:
    return Output(status="error", error=ToolError(category="value", message=message))
