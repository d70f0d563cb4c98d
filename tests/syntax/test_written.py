"""Nothing is written over a file of another kind; one of the same kind, an empty or a new one may be written."""

import json
from pathlib import Path

import pytest

from agentspec.errors import NotAllowed
from agentspec.syntax.written import (
    EVENTS,
    EXPORT,
    RECEIPTS,
    RECORDING,
    REPORT,
    TRANSCRIPT,
    require_free,
    why_not,
)

WRITTEN = {
    RECORDING: "# recorded\nscenario: a recorded run of a\nfor: a.yaml\n",
    REPORT: '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="1" failures="0" time="0.1">\n</testsuites>\n',
    EXPORT: json.dumps({"agentspec": "run", "format": 1}) + "\n",
    EVENTS: json.dumps({"run_id": "r", "seq": 1, "ts": 1.5, "kind": "run_started"}) + "\n",
    RECEIPTS: json.dumps({"at": 17.25, "event": "called"}) + "\n",
    TRANSCRIPT: '{"role":"user","content":"hi"}\n',
}
OTHERS = ("name: a\ntask: hi\n", "[project]\n", "SQLite format 3\0", "print(1)\n", "{}\n")


@pytest.mark.parametrize("kind", WRITTEN, ids=lambda kind: kind.name)
def test_only_what_is_of_the_same_kind_is_written_over(tmp_path, kind):
    file = tmp_path / "out"

    for text in (*OTHERS, *(text for other, text in WRITTEN.items() if other is not kind)):
        file.write_text(text)
        with pytest.raises(NotAllowed) as refused:
            require_free(file, kind)
        assert str(refused.value) == (
            f"`{file}` is there and is no {kind.name}: name a new file, or an older {kind.name}"
        )
        assert file.read_text() == text

    for text in (WRITTEN[kind], "", "\n"):
        file.write_text(text)
        require_free(file, kind)
        assert file.read_text() == text


@pytest.mark.parametrize("name", ["agentspec.toml", "agentspec.lock", ".agentspec/runs.db", ".git/config"])
def test_what_a_project_is_run_by_is_never_written_over_even_where_it_is_not_there_yet(tmp_path, name):
    path = tmp_path / name

    assert why_not(path, EVENTS) == f"`{path}` is one of the files that a project is run by: name another file"


def test_a_new_file_is_not_left_behind_and_a_pipe_may_be_written(tmp_path):
    require_free(tmp_path / "new", EVENTS)

    assert list(tmp_path.iterdir()) == []
    assert why_not(tmp_path, EVENTS) == f"`{tmp_path}` is a folder: name a file"
    assert why_not(Path("/dev/null"), EVENTS) == ""
    with pytest.raises(NotAllowed, match=r"can't write `.*no/new`: No such file or directory; nothing was started"):
        require_free(tmp_path / "no" / "new", EVENTS)
