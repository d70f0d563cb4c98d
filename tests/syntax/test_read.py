"""Files: which spelling, which bytes, and what is no file at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentspec.errors import NotFound
from agentspec.syntax.read import parse_bytes, read_file
from agentspec.syntax.tree import plain


@pytest.mark.parametrize("name", ["a.yaml", "a.yml", "a.json", "A.YAML"])
def test_yaml_and_json_are_chosen_by_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b'{"name": "x"}')

    parsed = read_file(path)

    assert (parsed.spelling, parsed.diagnostics) == ("yaml", [])
    assert plain(parsed.documents[0].root) == {"name": "x"}


def test_a_byte_order_mark_and_crlf_change_no_place(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"name: x\nmax: 3\n")
    (tmp_path / "b.yaml").write_bytes(b"\xef\xbb\xbfname: x\r\nmax: 3\r\n")

    roots = [read_file(tmp_path / name).documents[0].root for name in ("a.yaml", "b.yaml")]

    places = [[(entry.key.span.first, entry.value.span.last) for entry in root.entries] for root in roots]
    assert places == [[((1, 1), (1, 8)), ((2, 1), (2, 7))]] * 2


@pytest.mark.parametrize(
    ("content", "code", "message", "place"),
    [
        ("name: x".encode("utf-16"), "AS002", "the file is UTF-16, not UTF-8", (1, 1)),
        ("name: x".encode("utf-16-le"), "AS002", "the file is UTF-16, not UTF-8", (1, 1)),
        ("name: x".encode("utf-16-be"), "AS002", "the file is UTF-16, not UTF-8", (1, 1)),
        ("name: x".encode("utf-32"), "AS002", "the file is UTF-32, not UTF-8", (1, 1)),
        ("name: x".encode("utf-32-le"), "AS002", "the file is UTF-32, not UTF-8", (1, 1)),
        (
            b"name: x\ndescription: caf\xe9\n",
            "AS002",
            "the file is not UTF-8: byte 0xE9 at offset 24 belongs to no character",
            (2, 17),
        ),
        (
            b"\x7fELF\x02\x01\x01\0\0\xff\xff",
            "AS002",
            "the file is binary, not text: byte 0xFF at offset 9 belongs to no character",
            (1, 10),
        ),
        (b"name: x\nmax: \0 3\n", "AS003", "a NUL byte (U+0000) stands in the file; is it a binary file?", (2, 6)),
        (b"name: \x1b[31m\n", "AS003", "an escape character (U+001B) stands in the file", (1, 7)),
        (b"a: 1\n" * 900_000, "AS004", "the file is larger than 4 MiB", (1, 1)),
    ],
)
def test_bytes_that_are_no_spec_give_one_error(
    tmp_path: Path, content: bytes, code: str, message: str, place: tuple[int, int]
) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(content)

    parsed = read_file(path)

    assert [(each.code, each.message, each.span.first) for each in parsed.diagnostics] == [(code, message, place)]
    assert parsed.documents == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gone.yaml"

    with pytest.raises(NotFound) as caught:
        read_file(path)

    assert str(caught.value) == f"no such file: `{path}`"


def test_a_folder_is_told_from_a_file(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        read_file(tmp_path)

    assert str(caught.value) == f"`{tmp_path}` is a folder; name a file in it"


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    path = tmp_path / "pipe.yaml"
    os.mkfifo(path)

    with pytest.raises(NotFound) as caught:
        read_file(path)

    assert str(caught.value) == f"`{path}` is not a plain file"


@pytest.mark.parametrize(
    ("name", "text", "is_told"),
    [
        ("desk.yaml", "# x\n\nagent desk extends audit {\n  task: x\n}\n", True),
        ("desk.json", "preset safe { }", True),
        ("desk.scenario.yaml", 'scenario "one" for "desk.agent" { }', True),
        ("desk.yaml", "agent: desk\nx: {}\n", False),
        ("desk.yaml", "# agent desk {\nname: x\n", False),
        ("desk.yaml", "# " * 5000, False),
    ],
)
def test_a_text_of_the_dsl_that_is_named_as_yaml_is_one_finding(name: str, text: str, *, is_told: bool) -> None:
    found = parse_bytes(name, text.encode()).diagnostics

    told = f"this is written in the DSL, and `{name}` is named otherwise", f"name it `{Path(name).stem}.agent`"
    assert ([(one.code, one.message, one.help) for one in found] == [("AS027", *told)]) is is_told


def test_another_ending_is_an_error_that_names_the_right_ones(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("name: x\n")

    [finding] = read_file(path).diagnostics

    assert (finding.code, finding.message) == ("AS027", "`notes.txt` is not named as a spec")
