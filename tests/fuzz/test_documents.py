"""Whatever a file holds, check answers with findings: nothing is raised, nothing hangs, memory stays."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agentspec.checker.check import check_paths
from agentspec.checker.formats import github, sarif, text
from agentspec.checker.formats import json as json_format
from agentspec.syntax.read import parse, parse_bytes
from agentspec.text.render import render
from agentspec.text.source import Source
from tests.fuzz.damage import SEEDS, damaged, damaged_bytes, lean, quick
from tests.mutation.corpus import of_files

SPECS = list(of_files())
TEXTS = {ending: [spec.text for spec in SPECS if spec.ending == ending] for ending in (".yaml", ".agent")}


def check(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with quick(content):
        report = check_paths([path])
        for form in (json_format, sarif, github, text):
            assert isinstance(form.render(report), str)
    size = len(content.decode("utf-8", "replace"))
    for one in report.diagnostics:
        assert 0 <= one.span.start <= one.span.end
        assert one.span.source.name != path.name or one.span.end <= size
        assert one.message
        assert not one.message.startswith("Traceback")


def check_many(seed: int, count: int, folder: Path) -> None:
    chance = random.Random(seed)
    with lean():
        for _ in range(count):
            ending = chance.choice((".yaml", ".yaml", ".agent"))
            whole = damaged(chance.choice(TEXTS[ending]), TEXTS[chance.choice((".yaml", ".agent"))], chance)
            check(folder / f"fuzz{ending}", whole.encode("utf-8", "surrogatepass"))


def parse_many(seed: int, count: int) -> None:
    chance = random.Random(seed)
    with lean():
        for _ in range(count):
            ending = chance.choice((".yaml", ".agent", ".agent"))
            whole = damaged(chance.choice(TEXTS[ending]), TEXTS[ending], chance, longest=2500)
            with quick(whole):
                parsed = parse(Source(f"fuzz{ending}", whole))
            assert parsed.documents or parsed.diagnostics, whole
            assert all(render(one) for one in parsed.diagnostics)


def read_many(seed: int, count: int) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        content = damaged_bytes(chance.choice(TEXTS[".yaml"])[:800].encode(), chance)
        with quick(content):
            parsed = parse_bytes("fuzz.yaml", content)
        assert parsed.documents or parsed.diagnostics, content


def test_damaged_files_give_findings_only(tmp_path: Path) -> None:
    check_many(1, 60, tmp_path)
    parse_many(2, 150)
    read_many(3, 150)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_many_damaged_files_give_findings_only(tmp_path: Path, seed: int) -> None:
    check_many(100 + seed, 1800, tmp_path)
    parse_many(200 + seed, 5000)
    read_many(300 + seed, 5000)
