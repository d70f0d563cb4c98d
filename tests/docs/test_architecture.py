"""The picture of the architecture is true: its layers are those that the house holds, its folders exist."""

from __future__ import annotations

import re

from tests.docs.page import ROOT
from tests.house.test_layers import LAYERS

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "agentspec"


def test_the_layers_of_the_page_are_those_of_the_house() -> None:
    shown = re.search(r"^`(text < .*)`$", PAGE, re.MULTILINE)

    assert shown is not None
    assert tuple(shown[1].split(" < ")) == LAYERS


def test_every_layer_has_its_line_in_the_table_and_every_line_is_a_layer() -> None:
    rows = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", PAGE, re.MULTILINE)

    assert tuple(rows) == LAYERS
    assert [name for name in rows if not (PACKAGE / name).is_dir() and not (PACKAGE / f"{name}.py").is_file()] == []


def test_every_place_that_the_page_names_exists() -> None:
    named = re.findall(r"`((?:tests|scripts|agentspec|docs|[a-z]+)/[\w./<>]*)`", PAGE)

    lost = [name for name in named if "<" not in name and not ((ROOT / name).exists() or (PACKAGE / name).exists())]

    assert lost == []
