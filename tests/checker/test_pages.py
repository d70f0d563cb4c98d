"""Every code has one page; its bad example gives exactly that code, its good one gives nothing."""

import inspect
import re
from pathlib import Path

import pytest

from agentspec.checker.check import check_paths
from agentspec.checker.discover import all_rules
from agentspec.checker.rule import Rule

EXAMPLE = re.compile(r"^(Bad|Good):\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Where an example of a language stands; those of command lines and of several files are tested with what they show.
FILES = {"yaml": "example.yaml", "json": "example.json", "agent": "example.agent", "toml": "agentspec.toml"}
PACKAGE = Path(__file__).parents[2] / "agentspec"
EMITTED = re.compile(r'"(AS\d{3})"')
FAMILIES = sorted({code[:3] for code in all_rules()})
NOT_IN_EFFECT = ("AS902",)  # examples may use keys that only a later version acts on


def page(rule: type[Rule]) -> str:
    return inspect.getdoc(rule) or ""


def examples(family: str, kind: str) -> list[tuple[str, str, str]]:
    return [
        (code, language, text)
        for code, rule in all_rules().items()
        for found, language, text in EXAMPLE.findall(page(rule))
        if code.startswith(family) and found == kind and language in FILES
    ]


def codes_of(folder: Path, language: str, text: str, code: str) -> set[str]:
    folder.mkdir()
    path = folder / "example.yaml"
    path.write_text("name: example\n")
    if language != "toml":
        path = folder / FILES[language]
    (folder / FILES[language]).write_text(text)
    diagnostics = check_paths([path]).diagnostics
    assert [(one.code, one.severity) for one in diagnostics] == [
        (one.code, all_rules()[one.code].severity) for one in diagnostics
    ], "a code has one severity"
    found = {one.code for one in diagnostics}
    return found - (set(NOT_IN_EFFECT) - {code})


@pytest.mark.parametrize("family", FAMILIES)
def test_a_bad_example_gives_exactly_its_code(tmp_path, family):
    for number, (code, language, text) in enumerate(examples(family, "Bad")):
        assert codes_of(tmp_path / str(number), language, text, code) == {code}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_good_example_gives_nothing(tmp_path, family):
    for number, (code, language, text) in enumerate(examples(family, "Good")):
        assert codes_of(tmp_path / str(number), language, text, code) == set(), code


def test_a_page_tells_what_why_and_how_to_mend():
    pages = {code: page(rule) for code, rule in all_rules().items()}

    for heading in ("Why: ", "Bad:\n", "Good:\n", "Fix: "):
        assert [code for code, text in pages.items() if f"\n\n{heading}" not in text] == []
    assert [code for code, text in pages.items() if not re.match(r"[A-Z`].*[.:]\n\n", text)] == [], "not one sentence"
    assert {rule.severity for rule in all_rules().values()} == {"error", "warning", "note"}
    assert [code for code, rule in all_rules().items() if rule.title != rule.title.strip()] == []


def test_every_code_that_is_emitted_has_exactly_one_page():
    sources = [path for path in PACKAGE.rglob("*.py") if "rules" not in path.relative_to(PACKAGE).parts]
    emitted = {code for path in sources for code in EMITTED.findall(path.read_text())}
    files = [path for path in (PACKAGE / "checker" / "rules").rglob("*.py") if path.name != "__init__.py"]
    paged = [code for path in files for code in re.findall(r'^    code = "(AS\d{3})"', path.read_text(), re.MULTILINE)]

    assert sorted(set(paged)) == sorted(paged)
    assert emitted - set(paged) == set()


def test_a_rule_stands_in_the_family_of_its_code_and_is_named_by_its_first_line():
    for code, rule in all_rules().items():
        folder = rule.__module__.split(".")[-2]
        assert folder.startswith(f"as{code[2]}_"), rule.__module__
        first = (inspect.getdoc(inspect.getmodule(rule)) or "").splitlines()[0]
        assert first == f"{code} {rule.title}."
