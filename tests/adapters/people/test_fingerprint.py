"""Whether files of the project changed: their bytes, the names in a folder, and nothing that is nobody's business."""

import os

import pytest

from agentspec.adapters.people.fingerprint import READ, FingerprintRespondent


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "a.txt").write_text("one")
    (folder / ".env").write_text("KEY=1")
    return folder


async def mark(project, *paths: str) -> str:
    return await FingerprintRespondent(project).answer(list(paths))


async def test_the_same_bytes_have_the_same_mark_whenever_they_were_written(project):
    before = await mark(project, "a.txt")

    (project / "a.txt").write_text("one")
    os.utime(project / "a.txt", (1, 1))

    assert await mark(project, "a.txt") == before


async def test_other_bytes_a_new_name_and_a_file_that_is_gone_change_it(project):
    paths = ("a.txt", "src")
    marks = [await mark(project, *paths)]

    (project / "a.txt").write_text("two")
    marks.append(await mark(project, *paths))
    (project / "src" / "new.py").write_text("")
    marks.append(await mark(project, *paths))
    (project / "src" / "new.py").write_text("x = 1")
    marks.append(await mark(project, *paths))
    (project / "a.txt").unlink()
    marks.append(await mark(project, *paths))

    assert len(set(marks)) == 5


async def test_a_large_file_is_known_by_its_size_and_time(project):
    (project / "big").write_bytes(b"x" * (READ + 1))
    before = await mark(project, "big")

    os.utime(project / "big", (1, 1))

    assert await mark(project, "big") != before


async def test_secrets_and_what_lies_outside_are_not_looked_at(project):
    paths = (".env", "../outside", "/etc/passwd", "none")
    before = await mark(project, *paths)

    (project / ".env").write_text("KEY=2")
    (project.parent / "outside").write_text("x")

    assert await mark(project, *paths) == before
