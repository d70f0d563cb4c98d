"""Lines whose pipelines end in filters are tapped before them; every other line stays as it is."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.commands.tap import FILTERS, tapped


@pytest.mark.parametrize(
    ("line", "producer", "filters"),
    [
        ("make | tail -5", "make", " tail -5"),
        ("make 2>&1 | grep -i warn | tail -5", "make 2>&1", " grep -i warn | tail -5"),
        ("cd src && make | /usr/bin/head", "make", " /usr/bin/head"),
        ("a; b|c|wc -l", "b|c", "wc -l"),
        ("grep x f | head", "grep x f", " head"),
        ("echo 'a | b' | sed s/a/b/", "echo 'a | b'", " sed s/a/b/"),
        ('printf "x;y|z" | cut -c1', 'printf "x;y|z"', " cut -c1"),
        ("make &>log | tail", "make &>log", " tail"),
    ],
)
def test_what_comes_before_the_filters_is_kept(line: str, producer: str, filters: str) -> None:
    found = tapped(line, "PLACE")

    assert found is not None
    assert (found.producer, found.line.endswith(f" tee PLACE 2>/dev/null |{filters}")) == (producer, True)
    assert found.line.replace(" tee PLACE 2>/dev/null |", "", 1) == line


@pytest.mark.parametrize(
    "line",
    [
        "make",
        "make && tail log",
        "make | python3 -",
        "make || tail log",
        "make | tail | sort-of",
        "echo $(make | tail)",
        "(make | tail)",
        "{ make; } | tail",
        "make `x` | tail",
        "cat <<EOF | tail",
        "make | tail 'x",
        "make \\| tail",
        "make |& tail",
        "make # | tail",
        "make | tail & wait",
        "",
        "|",
        "a >| tail",
    ],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert tapped(line, "PLACE") is None


PARTS = st.sampled_from(
    ["printf 'a\\nb\\n'", "echo x", "cat", "head -n1", "sort", "wc -l", "grep a", "|", "&&", ";", "'|'", "tr a b"]
)


@given(line=st.lists(PARTS, max_size=7).map(" ".join))
def test_a_tapped_line_prints_what_it_printed_before(line: str) -> None:
    found = tapped(line, "/dev/null")
    if found is None:
        return
    plain, changed = (
        subprocess.run(["sh", "-c", text], capture_output=True, stdin=subprocess.DEVNULL, check=False)
        for text in (line, found.line)
    )

    assert (changed.stdout, changed.returncode) == (plain.stdout, plain.returncode)


@given(line=st.text(max_size=60))
def test_any_line_is_read(line: str) -> None:
    found = tapped(line, "P")

    assert found is None or found.line.replace(" tee P 2>/dev/null |", "", 1) == line


def test_filters_are_programs() -> None:
    assert all(name.isalpha() for name in FILTERS)
