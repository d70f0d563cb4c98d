"""prices: write `stdlib/prices.json` anew from the data of the `genai-prices` package (MIT), which must be installed.

It is no dependency: it brings an HTTP client and 1.6 MB of Python that would be loaded with every priced run.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "google": "google"}
PRICES = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached_input": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}
CLAUSES = {
    "ClauseEquals": "equals",
    "ClauseStartsWith": "starts_with",
    "ClauseEndsWith": "ends_with",
    "ClauseContains": "contains",
    "ClauseRegex": "regex",
}
TARGET = Path(__file__).parent.parent / "stdlib" / "prices.json"


def main() -> None:
    """Write the table, one model a line, so that a change of a price is a change of one line."""
    providers = {provider.id: provider for provider in import_module("genai_prices.data").providers}
    today = dt.datetime.now(tz=dt.UTC).date()
    head = {"source": f"genai-prices {version('genai-prices')} (MIT)", "updated": today.isoformat()}
    tables = []
    for ours, theirs in PROVIDERS.items():
        rows = [json.dumps(row) for model in providers[theirs].models if (row := _row(model, today)) is not None]
        tables.append(f'"{ours}": [\n' + ",\n".join(rows) + "\n]")
    TARGET.write_text(json.dumps(head)[:-1] + ', "models": {\n' + ",\n".join(tables) + "\n}}\n")
    sys.stdout.write(f"wrote {TARGET}\n")


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
