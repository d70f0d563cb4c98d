"""build: make the parse tables that the package ships from `grammar/agentspec.lark`.

Run by `python -m agentspec.syntax.dsl.build` after a change of the grammar, and by the test that the tables are fresh.
Lark works here and only here: reading a file needs neither Lark nor its import time. Tables are JSON, not a pickle, so
that loading them can run nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

from agentspec.errors import InternalError
from agentspec.resources import resource
from agentspec.syntax.dsl.lalr import END, TABLES

STARTS = ("document", "expression")


def build(grammar: str) -> dict[str, dict[str, Any]]:
    """The tables of each start symbol. Raises `InternalError` where the grammar has a conflict or a loose rule."""
    import lark  # noqa: PLC0415 - only a change of the grammar needs it
    from lark.common import LexerConf  # noqa: PLC0415
    from lark.lexer import Lexer  # noqa: PLC0415

    class NoLexer(Lexer):
        """Stands in Lark's place for a lexer; the DSL's own reads the tokens."""

        def __init__(self, conf: LexerConf) -> None:
            del conf

        def lex(self, *_: Any) -> Iterator[Any]:
            yield from ()

    conflicts = _Conflicts()
    lark.logger.addHandler(conflicts)
    level = lark.logger.level
    lark.logger.setLevel(logging.DEBUG)
    try:
        parser = lark.Lark(grammar, parser="lalr", lexer=NoLexer, start=list(STARTS), debug=True)
    finally:
        lark.logger.setLevel(level)
        lark.logger.removeHandler(conflicts)
    if conflicts.lines:
        raise InternalError("the grammar has conflicts: " + "; ".join(conflicts.lines))
    # Lark's own name for the tables of an LALR parser; `Lark.save` writes the same ones, as a pickle.
    table: Any = parser.parser.parser._parse_table  # noqa: SLF001
    patterns = {terminal.name: terminal.pattern for terminal in parser.terminals}
    return {start: _tables_of(table, start, patterns) for start in STARTS}


class _Conflicts(logging.Handler):
    """Collects what Lark only logs: shift/reduce conflicts that it resolves without a word."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage()
        if "conflict" in line.lower():
            self.lines.append(line)


def _tables_of(table: Any, start: str, patterns: dict[str, Any]) -> dict[str, Any]:
    """The part of Lark's table that one start symbol reaches, with states counted anew from 0."""
    numbers: dict[Any, int] = {table.start_states[start]: 0}
    order = [table.start_states[start]]
    rules: dict[Any, int] = {}
    actions: list[dict[str, int]] = []
    gotos: list[dict[str, int]] = []
    for state in order:  # grows while it is walked
        row: dict[str, int] = {}
        goto: dict[str, int] = {}
        for symbol, (action, target) in sorted(table.states[state].items(), key=lambda item: str(item[0])):
            if action.name == "Reduce":
                row[symbol] = -1 - rules.setdefault(target, len(rules))
                continue
            if target not in numbers:
                numbers[target] = len(order)
                order.append(target)
            (row if symbol == END or symbol in patterns or symbol.isupper() else goto)[symbol] = numbers[target]
        actions.append(row)
        gotos.append(goto)
    used = {symbol for row in actions for symbol in row}
    actions[numbers[table.end_states[start]]][END] = len(actions)  # the one state more in which the text is whole
    actions.append({})
    gotos.append({})
    return {
        "actions": actions,
        "gotos": gotos,
        "rules": [_rule(rule) for rule in rules],
        "tokens": _tokens(patterns, used),
    }


def _rule(rule: Any) -> list[Any]:
    """`[left side, length, which parts are kept (-1: an absent optional one), name or null]`."""
    kept: list[int] = []
    absent = [len(ones) for ones in "".join(str(int(flag)) for flag in rule.options.empty_indices).split("0")]
    for index, symbol in enumerate(rule.expansion):
        if rule.options.empty_indices:
            kept += [-1] * absent[index]
        if not (symbol.is_term and symbol.filter_out):
            kept.append(index)
    if rule.options.empty_indices:
        kept += [-1] * absent[-1]
    if rule.alias is None and len(kept) != 1:
        raise InternalError(f"`{rule}` needs a `-> name`: it has {len(kept)} parts to pass on")
    return [rule.origin.name, len(rule.expansion), kept, rule.alias]


def _tokens(patterns: dict[str, Any], used: set[str]) -> dict[str, list[str]]:
    """The tokens by name: `["str", text]` or `["re", regular expression]`; the document's lexer needs three more."""
    others = {"COMMENT", "BLANK", "QUOTED"} if "EXPR" in used else set()
    return {
        name: [pattern.type, pattern.value]
        for name, pattern in sorted(patterns.items())
        if name in used or name in others
    }


def encode(tables: dict[str, Any]) -> str:
    """The text of a table file: one row a line, so that a change of the grammar shows in a diff."""
    lines = [f'"tokens": {json.dumps(tables["tokens"], ensure_ascii=False)}']
    for name in ("rules", "actions", "gotos"):
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in tables[name])
        lines.append(f'"{name}": [\n{rows}\n]')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    """Write the table files of the package."""
    grammar = resource("grammar", "agentspec.lark").read_text("utf-8")
    for start, tables in build(grammar).items():
        TABLES[start].write_text(encode(tables), "utf-8")


if __name__ == "__main__":
    main()
