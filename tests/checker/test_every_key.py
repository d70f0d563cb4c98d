"""Whatever is written at whatever key, a check answers with findings, and with the same ones in both spellings."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from agentspec.checker.check import Options, check_paths
from agentspec.syntax import yaml
from agentspec.syntax.format import convert
from agentspec.text.source import Source
from tests.checker.test_spellings import seen
from tests.spec.every_key import Author, whole_language

ALL = Options(shows_consequences=True)
FORMS = {"a.yaml": "yaml", "a.agent": "dsl"}


def check_alike(folder: Path, documents: Iterable[tuple[str, dict[str, Any]]]) -> int:
    """How many findings there were: each the same in both spellings, but for the file's name and its fix."""
    count = 0
    for _, document in documents:
        parsed = yaml.parse(Source("a.yaml", json.dumps(document, ensure_ascii=False)))
        told: dict[str, list[str]] = {}
        for name, form in FORMS.items():
            path = folder / name
            path.write_text(convert(parsed, form))
            found = [seen(one)[:5] for one in check_paths([path], ALL).diagnostics]
            told[name] = sorted(str(one).replace("a.agent", "a.yaml") for one in found)
            path.unlink()
        assert told["a.agent"] == told["a.yaml"], document
        count += len(told["a.yaml"])
    return count


def test_documents_of_all_kinds_are_checked_alike(tmp_path: Path):
    some = itertools.islice(whole_language(Author(random.Random(2), 0.02)), 24)

    assert check_alike(tmp_path, some) > 20


@pytest.mark.slow
@pytest.mark.parametrize("slips", [0.0, 0.05, 0.2])
def test_every_key_is_checked_alike(tmp_path: Path, slips: float):
    for seed in range(2):
        assert check_alike(tmp_path, whole_language(Author(random.Random(seed), slips))) > 200
