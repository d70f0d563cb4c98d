"""What a project keeps is for its owner alone, and in no repository, whatever is kept first."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec import run_sync
from agentspec.adapters.mcp.lock import Lock
from agentspec.adapters.stores.artifacts import FileArtifacts
from agentspec.adapters.stores.lease import FileLock
from agentspec.api.libraries.lock import lock_libraries
from agentspec.checker.cache import Cache
from agentspec.checker.check import check_paths
from agentspec.syntax.private import make_private

SPEC = (
    'name: t\nuse: {lib: {source: ./lib, version: "^1"}}\nextends: lib.p\ntask: hi\n'
    "model: {provider: script, options: {turns: [{text: ok}]}}\n"
)
STATE = Path(".agentspec")
WRITERS = {
    "a run": lambda: run_sync("plain.yaml"),
    "an output": lambda: FileArtifacts(STATE / "artifacts").put(b"x"),
    "a lease": lambda: FileLock(STATE / "leases/x").acquire(),
    "a server's tools": lambda: Lock(STATE / "mcp.lock").accept("s", "x", []),
    "a server's token": lambda: make_private(STATE / "mcp-tokens"),
    "a library": lambda: lock_libraries(Path()),
    "a check": lambda: check_paths([Path()], cache=Cache(STATE.absolute() / "check.json")),
}


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "lib/library.yaml": "library: lib\nversion: 1.0.0\nexports: {presets: [p]}\n",
        "lib/presets/p.yaml": "preset: p\n",
        "t.yaml": SPEC,
        "plain.yaml": "\n".join(line for line in SPEC.splitlines() if "lib" not in line),
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_whoever_keeps_something_first_keeps_it_out_of_repositories(project, write) -> None:
    write()

    assert (project / ".agentspec/.gitignore").read_text() == "*\n"
    assert (project / ".agentspec").stat().st_mode & 0o777 == 0o700
    assert list(project.rglob(".gitignore")) == [project / ".agentspec/.gitignore"]


def test_what_somebody_made_of_the_folder_stays(project) -> None:
    STATE.mkdir(mode=0o755)

    make_private(STATE / "artifacts")

    assert sorted(path.name for path in STATE.iterdir()) == ["artifacts"]


def test_a_file_in_its_place_is_an_error(project) -> None:
    STATE.write_text("")

    with pytest.raises(OSError, match=r"\.agentspec"):
        make_private(STATE / "artifacts")
