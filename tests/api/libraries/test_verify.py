"""`lib verify` holds what the specs use against the lock: nothing that is not locked counts as well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentspec.api.libraries.lock import lock_libraries, verify_libraries

LOCK = Path("agentspec.lock")
SPEC = 'name: t\nuse: {lib: {source: ./lib, version: "^1"}}\nextends: lib.p\n'


def make_a_folder() -> None:
    LOCK.unlink()
    LOCK.mkdir()


DONE: dict[str, tuple[Callable[[], object], list[str]]] = {
    "nothing": (lambda: None, []),
    "the lock taken away": (LOCK.unlink, ["AS440 t.yaml:2:21 `lib` (`lib`) is not locked"]),
    "a folder in its place": (
        make_a_folder,
        ["AS441 agentspec.lock:1:1 cannot read `agentspec.lock`: it is a folder"],
    ),
    "another major asked for": (
        lambda: Path("t.yaml").write_text(SPEC.replace("^1", "^2")),
        ["AS448 t.yaml:2:37 `lib` is locked at 1.0.0, and `^2` is asked for"],
    ),
}


@pytest.mark.parametrize(("do", "told"), DONE.values(), ids=DONE)
def test_what_is_not_locked_is_told(tmp_path, monkeypatch, do, told) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lib/presets").mkdir(parents=True)
    Path("lib/library.yaml").write_text("library: lib\nversion: 1.0.0\nexports: {presets: [p]}\n")
    Path("lib/presets/p.yaml").write_text("preset: p\n")
    Path("t.yaml").write_text(SPEC)
    assert lock_libraries(Path()).findings == []

    do()

    assert [
        f"{one.code} {Path(one.span.source.name).name}:{one.span.first.line}:{one.span.first.column} {one.message}"
        for one in verify_libraries(Path())
    ] == told
