"""Large outputs are kept once, under the hash of their bytes."""

import hashlib

import pytest

from agentspec.adapters.stores.artifacts import FileArtifacts
from agentspec.errors import JournalError, NotFound


def test_bytes_are_found_again_by_their_hash(tmp_path):
    artifacts = FileArtifacts(tmp_path / "a")

    artifact = artifacts.put(b"0123456789")

    assert artifact == hashlib.sha256(b"0123456789").hexdigest()
    assert artifacts.put(b"0123456789") == artifact
    assert artifacts.read(artifact, 3, 4) == b"3456"
    assert artifacts.read(artifact, 8, 100) == b"89"
    assert artifacts.read(artifact, 100, 1) == b""
    assert artifacts.size(artifact) == 10
    assert artifacts.is_intact(artifact)
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_a_file_is_taken_over(tmp_path):
    artifacts = FileArtifacts(tmp_path / "a")
    output = tmp_path / "output"
    output.write_bytes(b"large" * 1000)

    artifact = artifacts.put(output)

    assert not output.exists()
    assert artifacts.read(artifact, 0, 5) == b"large"
    assert artifacts.is_intact(artifact)


@pytest.mark.parametrize("artifact", ["", "../../etc/passwd", "0" * 63, "0" * 64, "G" * 64])
def test_what_is_not_there_is_not_found(tmp_path, artifact):
    artifacts = FileArtifacts(tmp_path)

    for ask in (lambda: artifacts.read(artifact, 0, 1), lambda: artifacts.size(artifact)):
        with pytest.raises(NotFound):
            ask()


def test_changed_bytes_are_seen(tmp_path):
    artifacts = FileArtifacts(tmp_path)
    artifact = artifacts.put(b"bytes")
    (tmp_path / artifact[:2] / artifact).write_bytes(b"bytez")

    assert not artifacts.is_intact(artifact)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(JournalError, match=r"an output can't be kept in `.*file/a`"):
        FileArtifacts(tmp_path / "file" / "a").put(b"x")


def test_removing_twice_is_no_fault(tmp_path):
    artifacts = FileArtifacts(tmp_path)
    artifact = artifacts.put(b"x")

    artifacts.remove(artifact)
    artifacts.remove(artifact)

    assert not artifacts.is_intact(artifact)


def test_only_its_owner_can_read_what_is_kept(tmp_path):
    artifacts = FileArtifacts(tmp_path / "state" / "a")
    output = tmp_path / "output"
    output.write_bytes(b"large")
    output.chmod(0o644)

    artifacts.put(b"bytes")
    artifacts.put(output)

    open_to_others = [path for path in (tmp_path / "state" / "a").rglob("*") if path.stat().st_mode & 0o077]
    assert open_to_others == []


def test_a_file_that_cannot_be_kept_is_not_left_behind(tmp_path):
    (tmp_path / "file").write_text("")
    output = tmp_path / "output"
    output.write_bytes(b"large")

    with pytest.raises(JournalError):
        FileArtifacts(tmp_path / "file" / "a").put(output)

    assert not output.exists()
