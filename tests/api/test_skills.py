"""Whole runs with skills: folders of the public format, and requests that keep the beginning that they had."""

import itertools
import json
import shutil

import pytest

from agentspec import resume, run
from agentspec.errors import AgentSpecError
from tests.servers.background import calls, says
from tests.servers.loopback import Loopback

SKILL = "---\nname: pdf\ndescription: Fills in PDF forms.\nallowed-tools: Bash(*)\n---\nFirst ${HOME}, then fields."


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")


def spec_of(tmp_path, model, **capability):
    spec = {
        "name": "s",
        "task": "Fill in this form",
        "model": model,
        "capability": {"tools": {"look": {"expr": "'a room'"}}, "skills": {"pdf": "skills/pdf"}, **capability},
    }
    path = tmp_path / "s.json"
    path.write_text(json.dumps(spec))
    folder = tmp_path / "skills/pdf"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "forms.md").write_text("All about forms.\n")
    return path


async def test_a_folder_that_fits_the_task_is_said_as_it_stands_and_the_requests_keep_their_beginning(tmp_path):
    events = []
    look = calls(("c1", "look", "{}"))
    read = calls(("c2", "activate_skill", '{"name": "pdf", "file": "forms.md"}'))
    async with Loopback([look, read, says("end")]) as server:
        path = spec_of(tmp_path, {"provider": "openai", "model": "m", "base_url": server.url})
        result = await run(path, on_event=events.append)

    assert (result.status, result.tools.successful) == ("done", ["look", "activate_skill"])
    first = server.asked[0].json["messages"]
    assert [message["role"] for message in first] == ["user", "user"]
    assert first[1]["content"].endswith("\n\nFirst ${HOME}, then fields.")
    assert server.asked[2].json["messages"][-1]["content"].startswith("All about forms.")
    bodies = [asked.body.rstrip(b"]}") for asked in server.asked]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(bodies))
    kinds = [event["kind"] for event in events]
    assert (kinds.count("skill_matched"), kinds.count("skill_activated")) == (1, 1)


async def test_a_run_goes_on_with_its_skills_when_their_folder_is_gone(tmp_path):
    turns = [
        {"tool_calls": [{"name": "look", "arguments": {}}]},
        {"error": {"status": 401, "message": "no"}},
        {"text": "end"},
    ]
    path = spec_of(tmp_path, {"provider": "script", "options": {"turns": turns}}, approval={"default": "ask"})
    first = await run(path, approve="ask")
    assert (first.status, first.stop_reason) == ("suspended", "approval")
    shutil.rmtree(tmp_path / "skills")

    again = await resume(first.run_id, project=tmp_path, approve="allow")

    assert again.status == "provider_error"


async def test_a_folder_without_a_skill_keeps_the_run_from_starting(tmp_path):
    path = spec_of(tmp_path, {"provider": "script", "options": {"turns": ["end"]}})
    (tmp_path / "skills/pdf/SKILL.md").unlink()

    with pytest.raises(AgentSpecError, match="pdf"):
        await run(path)
