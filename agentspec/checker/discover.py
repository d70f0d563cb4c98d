"""discover: the rules that exist, found by looking into the family folders. Nothing registers itself.

The families `as0` to `as4` hold pages only: their findings come from readers, shape, expressions and composition.
The check path never imports them, so that a page costs nothing until somebody asks for it.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from agentspec.checker.rule import Rule

RULES = Path(__file__).parent / "rules"
LOOKING = ("as5", "as6", "as7", "as8", "as9")
# Of the other families most rules are pages only, which a check need not load; these look, too.
ALSO_LOOKING = (
    "agentspec.checker.rules.as1_structure.missing_target",
    "agentspec.checker.rules.as1_structure.names_alike",
    "agentspec.checker.rules.as1_structure.unplayable_scenario",
    "agentspec.checker.rules.as2_values.dangling_reference",
    "agentspec.checker.rules.as2_values.impossible_bounds",
    "agentspec.checker.rules.as2_values.invalid_schema",
    "agentspec.checker.rules.as2_values.literal_behind_equals",
    "agentspec.checker.rules.as2_values.unknown_word",
    "agentspec.checker.rules.as2_values.unreadable_schema",
    "agentspec.checker.rules.as3_expressions.unknown_tool_in_condition",
    "agentspec.checker.rules.as4_composition.default_misfit",
    "agentspec.checker.rules.as4_composition.input_type",
    "agentspec.checker.rules.as4_composition.missing_input",
    "agentspec.checker.rules.as4_composition.unknown_input",
)


def _modules(families: tuple[str, ...]) -> list[str]:
    folders = sorted(path for path in RULES.iterdir() if path.name.split("_")[0] in families)
    return [
        f"agentspec.checker.rules.{folder.name}.{path.stem}"
        for folder in folders
        for path in sorted(folder.glob("*.py"))
        if path.stem != "__init__"
    ]


def _classes(module: str) -> list[type[Rule]]:
    found = vars(importlib.import_module(module)).values()
    return [item for item in found if isinstance(item, type) and issubclass(item, Rule) and item.__module__ == module]


@cache
def looking_rules() -> tuple[Rule, ...]:
    """One of each rule that the checker itself looks for, by code."""
    rules = [rule() for module in (*ALSO_LOOKING, *_modules(LOOKING)) for rule in _classes(module)]
    return tuple(sorted(rules, key=lambda rule: rule.code))


@cache
def all_rules() -> dict[str, type[Rule]]:
    """Every rule by its code, also those that are only a page."""
    families = tuple(f"as{number}" for number in range(10))
    rules = [rule for module in _modules(families) for rule in _classes(module)]
    return {rule.code: rule for rule in sorted(rules, key=lambda rule: rule.code)}
