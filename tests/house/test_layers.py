"""Imports go one way: a module imports from its own folder and from folders to its left, nothing else."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "agentspec"

LAYERS = (
    "text",
    "syntax",
    "expressions",
    "compose",
    "spec",
    "core",
    "ports",
    "policies",
    "checker",
    "link",
    "runtime",
    "adapters",
    "testing",
    "api",
    "lsp",
    "cli",
)
EVERYWHERE = ("errors", "resources")
FACES = ("__init__", "__main__")  # doors: they only hand names on
FILES = sorted(path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0].removesuffix(".py") not in FACES)


def layer_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def imported(path: Path) -> list[tuple[int, str]]:
    """The layers that a file imports from, with the lines."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            names = [node.module or ""]
            if node.module == "agentspec":
                names = [f"agentspec.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found += [(node.lineno, name.split(".")[1]) for name in names if name.startswith("agentspec.")]
    return found


@pytest.mark.parametrize("own", [*LAYERS, *EVERYWHERE])
def test_a_module_imports_only_from_its_own_layer_and_those_to_its_left(own: str) -> None:
    files = [path for path in FILES if layer_of(path) == own]
    left = ("text",) if own in EVERYWHERE else LAYERS[: LAYERS.index(own) + 1]

    wrong = [
        f"{path.relative_to(ROOT)}:{line} {layer}"
        for path in files
        for line, layer in imported(path)
        if layer not in (*left, *EVERYWHERE)
    ]

    assert files != []
    assert wrong == []


def test_every_file_has_a_layer() -> None:
    assert {layer_of(path) for path in FILES} == {*LAYERS, *EVERYWHERE}


def test_adapters_know_only_records_ports_and_expressions() -> None:
    allowed = {"core", "ports", "adapters", "errors", "expressions", "resources", "text", "syntax"}

    wrong = [
        f"{path.relative_to(ROOT)}:{line} {layer}"
        for path in (ROOT / "adapters").rglob("*.py")
        for line, layer in imported(path)
        if layer not in allowed
    ]

    assert wrong == []


def test_policies_never_import_each_other() -> None:
    wrong = [
        f"{path.name}:{line}"
        for path in (ROOT / "policies").glob("[a-z]*.py")
        for line, layer in imported(path)
        if layer == "policies"
    ]

    assert wrong == []
