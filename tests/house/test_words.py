"""What must not stand in the code: clocks in the core, preset names in Python, postponed work."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "agentspec").rglob("*.py"))
PRESETS = sorted(path.stem for path in (ROOT / "stdlib" / "presets").glob("*.*"))
WORLD = re.compile(
    r"^\s*(import|from) (time|random|secrets|uuid|datetime|asyncio|socket|os|pathlib|subprocess)\b|\bawait\b|\bopen\(",
    re.MULTILINE,
)


@pytest.mark.parametrize("folder", ["core", "policies"])
def test_the_kernel_has_no_clock_no_chance_and_no_world(folder: str) -> None:
    files = (ROOT / "agentspec" / folder).glob("[a-z]*.py")

    found = [path.name for path in files if WORLD.search(path.read_text("utf-8"))]

    assert found == []


def test_no_preset_is_named_in_python() -> None:
    names = [name for name in PRESETS if "_" in name]

    found = [f"{path.name}: {name}" for path in SOURCES for name in names if name in path.read_text("utf-8")]

    assert found == []


def test_nothing_is_postponed() -> None:
    found = [
        str(path.relative_to(ROOT)) for path in SOURCES if re.search(r"\bTODO\b|\bFIXME\b", path.read_text("utf-8"))
    ]

    assert found == []


def test_every_file_says_its_one_job_in_its_first_line() -> None:
    found = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.stat().st_size and not path.read_text("utf-8").startswith('"""')
    ]

    assert found == []
