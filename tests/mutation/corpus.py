"""corpus: every valid spec of the repository, in every dress that its meaning allows.

A spec is valid where `check` says nothing about it but which of its keys are not in effect yet.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from agentspec.checker.check import check_paths
from agentspec.text.diagnostic import Diagnostic
from tests.docs.page import ROOT, blocks

NOT_IN_EFFECT = ("AS902",)
YAML_HEAD = re.compile(r"(?:#.*\n|---\n)*(?:x-[\w-]+: .*\n(?: .*\n)*)*(?:name|preset): \S")
DSL_HEAD = re.compile(r"(?:#.*\n)*(?:agent|preset) [\w-]+[^\n]*\{")
LONGEST = 4000


class Spec(NamedTuple):
    """One spec: where it stands, what it is, and the folder whose other files it needs."""

    name: str
    ending: str
    text: str
    folder: Path | None = None

    @property
    def is_yaml(self) -> bool:
        return self.ending != ".agent"


def findings(spec: Spec, text: str, folder: Path) -> list[Diagnostic]:
    """What check says about a text in the place of a spec."""
    path = folder / f"spec{spec.ending}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return [one for one in check_paths([path]).diagnostics if one.code not in NOT_IN_EFFECT]


def of_files() -> Iterator[Spec]:
    """The specs that stand in files of their own, those of this folder among them."""
    for where in (ROOT / "examples", ROOT / "stdlib", Path(__file__).parent / "specs"):
        for path in sorted(where.rglob("*")):
            if path.suffix in (".yaml", ".agent") and "script" not in path.stem:
                yield Spec(str(path.relative_to(ROOT)), path.suffix, path.read_text("utf-8"), path.parent)


def written() -> Iterator[Spec]:
    """What stands in the repository and looks like a spec, valid or not."""
    yield from of_files()
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for block in blocks(page):
            if block.language in ("yaml", "agent"):
                yield Spec(f"{page.relative_to(ROOT)}:{block.line}", f".{block.language}", block.text)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        yield from _of_a_test(path)


def _of_a_test(path: Path) -> Iterator[Spec]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Constant(value=str(text)) if "\n" in text and len(text) < LONGEST:
                ending = ".yaml" if YAML_HEAD.match(text) else ".agent" if DSL_HEAD.match(text) else None
                if ending is not None:
                    yield Spec(f"{path.relative_to(ROOT)}:{node.lineno}", ending, text)


def valid(specs: Iterable[Spec], folder: Path) -> Iterator[Spec]:
    """Those that check without a finding, each text once. They are tried in `folder`."""
    seen: set[str] = set()
    for spec in specs:
        if spec.text not in seen and is_valid(spec, folder):
            seen.add(spec.text)
            yield spec


def is_valid(spec: Spec, folder: Path) -> bool:
    """Whether nothing is wrong with a spec."""
    lend(spec, folder)
    return findings(spec, spec.text, folder) == []


def lend(spec: Spec, folder: Path) -> None:
    """Put the files that a spec needs beside it."""
    if spec.folder is not None and "examples" in spec.folder.parts:
        for path in spec.folder.rglob("*"):
            if path.is_file() and path.suffix not in (".agent", ".toml"):
                copy = folder / path.relative_to(spec.folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
