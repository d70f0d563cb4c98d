"""A draft is read wherever its file would be."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.errors import NotFound
from agentspec.syntax.plain_file import head_of, read_plain
from agentspec.text.drafts import drafted
from agentspec.text.paths import is_file, is_there, size_of


def test_a_draft_holds_instead_of_its_file_by_whatever_path_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("on disk")
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    drafts = {str(tmp_path / "a.md"): "é"}

    with drafted(drafts), drafted({}):
        seen = [read_plain(tmp_path / name, 9) for name in ("a.md", "link.md", "../" + tmp_path.name + "/a.md")]

    assert seen == ["é".encode()] * 3
    assert read_plain(tmp_path / "a.md", 9) == b"on disk"


def test_a_draft_of_a_file_that_is_not_there_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "new.md"

    with drafted({str(path): "new"}):
        seen = (is_file(path), is_there(path), size_of(path), head_of(path), read_plain(path, 2))

    assert seen == (True, True, 3, b"new", b"ne")
    assert (is_file(path), is_there(path), size_of(path), is_file("a\0b")) == (False, False, 0, False)
    with pytest.raises(NotFound):
        read_plain(path, 9)
