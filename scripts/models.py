"""models: write the table of models in `stdlib/models.json` anew from the data that two packages carry (both MIT).

`python scripts/models.py LITELLM-WHEEL`: prices, windows and the ways in which an id is written come from the installed
`genai-prices`; what a model lacks or takes, its longest answer and its last day come from the file of facts in a wheel
of `litellm` (`pip download --no-deps litellm`). Neither is a dependency: they bring HTTP clients and 45 MB. What the
file says of providers, ladders, models that have ended and other models is kept as it is: people write those parts.

`ended` has what the sources forget of a model once it is gone: its last day, and the one that its provider names in its
place. Source: https://platform.claude.com/docs/en/about-claude/model-deprecations.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from agentspec.spec.catalogue import is_match

PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "google": "google"}
PRICES = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached_input": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}
OWN_PRICES = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
}
CLAUSES = {
    "ClauseEquals": "equals",
    "ClauseStartsWith": "starts_with",
    "ClauseEndsWith": "ends_with",
    "ClauseContains": "contains",
    "ClauseRegex": "regex",
}
FACTS = "litellm/model_prices_and_context_window_backup.json"
ANSWERING = ("chat", "responses", "completion")
OF_PROVIDER = {"openai": "openai", "anthropic": "anthropic", "google": "gemini"}
# What a model lacks, by the fact that is then absent or false. A model that says nothing of itself lacks nothing.
LACKS = {"tools": "supports_function_calling", "reasoning": "supports_reasoning"}
TAKES = {"prefill": "supports_assistant_prefill"}
SAMPLING = "supports_sampling_params"
# What a search that the provider makes costs: each of them, or an answer with any; those that say nothing count each.
BY_SEARCH = "search_context_cost_per_query"
BY_ANSWER = ("gemini",)
MILLION = 1_000_000
STEPS = (128, 200, 256, 272)  # thousands of tokens from which some models cost more
TARGET = Path(__file__).parent.parent / "stdlib" / "models.json"


def main() -> None:
    """Write the table, one model a line, so that a change of a price is a change of one line."""
    wheel = Path(sys.argv[1])
    facts = json.loads(ZipFile(wheel).read(FACTS))
    providers = {provider.id: provider for provider in import_module("genai_prices.data").providers}
    today = dt.datetime.now(tz=dt.UTC).date()
    source = f"genai-prices {version('genai-prices')}, litellm {wheel.name.split('-')[1]} (both MIT)"
    head = {"source": source, "updated": today.isoformat()}
    before = json.loads(TARGET.read_bytes())
    tables = []
    for ours, theirs in PROVIDERS.items():
        known, ended = _known(facts, OF_PROVIDER[ours]), before["ended"].get(ours, {})
        rows = [row for model in providers[theirs].models if (row := _row(model, today)) is not None]
        rows = [_with_facts(row, known) | ended.get(row["id"], {}) for row in rows]
        rows += _others(rows, known)
        tables.append(_table(ours, rows))
    tables += [_table(name, rows) for name, rows in before["models"].items() if name not in PROVIDERS]
    table = ",\n".join(tables)
    kept = ",\n".join(f'"{part}": {_lines(before[part])}' for part in ("providers", "ladders", "ended"))
    TARGET.write_text(f'{json.dumps(head)[:-1]},\n{kept},\n"models": {{\n{table}\n}}}}\n')
    sys.stdout.write(f"wrote {TARGET}\n")


def _table(provider: str, rows: list[dict[str, Any]]) -> str:
    return f'"{provider}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]"


def _lines(table: dict[str, Any]) -> str:
    """A part that people write, one entry a line."""
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in table.items()) + "\n}"


def _known(facts: dict[str, Any], provider: str) -> dict[str, dict[str, Any]]:
    """The facts of a provider's models by plain id, of those that answer in words."""
    return {
        name.rpartition("/")[2]: fact
        for name, fact in facts.items()
        if fact.get("litellm_provider") == provider and fact.get("mode") in ANSWERING
    }


def _with_facts(row: dict[str, Any], known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The row with what all models say of themselves that it stands for; where they differ, nothing is said."""
    of_all = [_facts(fact) for name, fact in known.items() if is_match(row, name)]
    first = of_all[0] if of_all else {}
    agreed = {key: value for key, value in first.items() if all(one.get(key) == value for one in of_all)}
    prices = {key: value for key, value in row.items() if key not in ("id", "match", "window")}
    plain: dict[str, Any] = {key: row[key] for key in ("id", "match", "window") if key in row}
    return {**plain, **agreed, **prices}


def _facts(fact: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if answer := fact.get("max_output_tokens"):
        found["answer"] = answer
    if any(key.startswith("supports_") for key in fact):
        lacks = [ours for ours, theirs in LACKS.items() if not fact.get(theirs)]
        lacks += ["sampling"] if fact.get(SAMPLING) is False else []
        if lacks:
            found["lacks"] = lacks
    if takes := [ours for ours, theirs in TAKES.items() if fact.get(theirs)]:
        found["takes"] = takes
    if cost := fact.get(BY_SEARCH, {}).get("search_context_size_medium"):
        is_by_answer = fact["litellm_provider"] in BY_ANSWER and fact.get("web_search_billing_unit") != "per_query"
        found["searched" if is_by_answer else "search"] = cost
    if last := fact.get("deprecation_date"):
        found["ends"] = last
    return found


def _others(rows: list[dict[str, Any]], known: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows for the models that only the second source has: those that take tools and have a price."""
    for name, fact in known.items():
        prices = _own_prices(fact)
        if fact.get(LACKS["tools"]) and prices.get("output") and not any(is_match(row, name) for row in rows):
            window = {"window": fact["max_input_tokens"]} if fact.get("max_input_tokens") else {}
            yield {"id": name, "match": [["equals", name]], **window, **_facts(fact), **prices}


def _own_prices(fact: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for ours, theirs in OWN_PRICES.items():
        if isinstance(price := fact.get(theirs), int | float):
            found[ours] = round(price * MILLION, 6)
        for thousands in STEPS:
            if isinstance(price := fact.get(f"{theirs}_above_{thousands}k_tokens"), int | float):
                found["long_from"] = thousands * 1000
                found[f"long_{ours}"] = round(price * MILLION, 6)
    return found


def _row(model: Any, today: dt.date) -> dict[str, Any] | None:
    match = _clauses(model.match)
    prices = _prices(_of_today(model.prices, today))
    if not match or "output" not in prices:
        return None  # what embeds, draws or speaks answers no agent
    window = {"window": model.context_window} if model.context_window else {}
    return {"id": model.id, "match": match, **window, **prices}


def _clauses(clause: Any) -> list[list[str]]:
    """The ways in which a model's id may be written; one that needs several tests at once is left out."""
    kind = type(clause).__name__
    if kind == "ClauseOr":
        return [found for part in clause.or_ for found in _clauses(part)]
    word = CLAUSES.get(kind)
    return [[word, getattr(clause, word)]] if word else []


def _of_today(prices: Any, today: dt.date) -> Any:
    """The newest prices that hold already."""
    if not isinstance(prices, list):
        return prices
    held = prices[0].prices
    for each in prices:
        start = getattr(each.constraint, "start_date", None)
        if start is not None and start <= today:
            held = each.prices
    return held


def _prices(given: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for ours, theirs in PRICES.items():
        price = getattr(given, theirs, None)
        if price is None:
            continue
        if not hasattr(price, "tiers"):
            found[ours] = float(price)
            continue
        found[ours] = float(price.base)
        if price.tiers:  # the first step up; there is no model with a second one
            found["long_from"] = int(price.tiers[0].start)
            found[f"long_{ours}"] = float(price.tiers[0].price)
    return found


if __name__ == "__main__":
    main()
