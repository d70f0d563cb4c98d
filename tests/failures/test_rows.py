"""Every known failure is held by a test that exists, or says why it does not apply yet."""

import ast
from pathlib import Path

from tests.failures.rows import ROWS

ROOT = Path(__file__).parents[2]


def cases_of(path: Path) -> dict[str, str]:
    """The tests of a module, each with its docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {node.name: ast.get_docstring(node) or "" for node in functions if node.name.startswith("test_")}


HERE = [
    (path.name, name, words)
    for path in sorted(Path(__file__).parent.glob("test_*.py"))
    if path != Path(__file__)
    for name, words in cases_of(path).items()
]
NAMED = {row for _, _, words in HERE for row in words.split()}


def test_a_row_has_a_test_or_a_reason():
    assert [name for name, row in ROWS.items() if (bool(row.tests) or name in NAMED) == bool(row.reason)] == []


def test_a_test_that_a_row_names_exists():
    named = {test.partition("::")[::2] for row in ROWS.values() for test in row.tests}
    cases = {path: cases_of(ROOT / path) for path, _ in named}

    assert [path for path, found in cases.items() if not found] == []
    assert [(path, name) for path, name in named if name and name not in cases[path]] == []


def test_every_test_of_this_folder_names_rows_of_the_table():
    unknown = [(module, name) for module, name, words in HERE if not words or not set(words.split()) <= ROWS.keys()]

    assert unknown == []


def test_no_row_is_forgotten():
    groups = {
        "A": 11,
        "B": 12,
        "C": 14,
        "D": 18,
        "E": 27,
        "F": 8,
        "G": 19,
        "H": 7,
        "I": 5,
        "J": 9,
        "K": 17,
        "L": 11,
        "M": 10,
        "N": 5,
        "O": 13,
        "P": 5,
    }
    expected = [f"{group}-{number:02}" for group, count in groups.items() for number in range(1, count + 1)]
    held = [row for row in ROWS if not ROWS[row].reason]

    print(f"\n{len(held)} of {len(ROWS)} known failures are held by tests")  # noqa: T201 - the score, with `-s`
    assert list(ROWS) == expected
