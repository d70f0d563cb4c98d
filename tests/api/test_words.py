"""What the Python API says when it is printed."""

import pytest

from agentspec import NotAllowed, SpecInvalid, check, run_sync

BAD = "name: a\ntask: go\nmodl: 1\nexecution: {max_iteratons: 3}\n"


def test_findings_say_their_place_in_an_error_a_report_and_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.yaml").write_text(BAD)

    with pytest.raises(SpecInvalid) as raised:
        run_sync("bad.yaml")
    report = check("bad.yaml")

    lines = [str(found) for found in report.diagnostics]
    assert lines[0] == "bad.yaml:3:1: error[AS102]: unknown key `modl` in an agent"
    assert str(report) == "\n".join(lines)
    assert str(raised.value) == "\n".join(["`bad.yaml` does not check: 2 errors", *(f"  {line}" for line in lines)])


def test_a_report_without_findings_says_so(tmp_path):
    (tmp_path / "a.yaml").write_text("name: a\nmodel: {provider: script, options: {turns: [hello]}}\n")

    assert str(check(tmp_path / "a.yaml")) == "no findings (1 checked)"


def test_an_error_with_many_findings_lists_the_first(tmp_path):
    (tmp_path / "bad.yaml").write_text("name: a\n" + "".join(f"wrong{number}: 1\n" for number in range(9)))

    with pytest.raises(SpecInvalid) as raised:
        run_sync(tmp_path / "bad.yaml", "go")

    assert len(str(raised.value).splitlines()) == 7
    assert str(raised.value).endswith("\n  and 4 more")


@pytest.mark.filterwarnings("error")
async def test_run_sync_beside_a_running_loop_names_the_other_way_and_leaves_nothing_unawaited():
    with pytest.raises(NotAllowed) as raised:
        run_sync("any.yaml")

    assert str(raised.value) == "an event loop is running here: use `await run(...)` instead of `run_sync(...)`"
