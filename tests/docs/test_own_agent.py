"""The agent of the guide asks a server as its page says: the key from the environment, the real tool, the answer."""

from __future__ import annotations

import json

from agentspec import run_sync
from tests.docs.page import ROOT, Session, blocks
from tests.servers.background import calls, says, serving

PAGE = ROOT / "docs" / "guide" / "own-agent.md"


def test_the_agent_of_the_guide_works_with_a_server_that_speaks_chat_completions(tmp_path, monkeypatch):
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    session = Session(folder)
    for block in blocks(PAGE):
        if block.name:
            session.follow(block)

    with serving(calls(("a", "count_words", '{"path": "text.md"}')), says("14 words.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-guide")
        result = run_sync("reviewer.yaml", trace=True)
        asked = server.asked

    assert (result.status, result.text, result.tools.successful) == ("done", "14 words.", ["count_words"])
    assert [request.headers["authorization"] for request in asked] == ["Bearer sk-of-the-guide"] * 2
    first, second = (json.loads(request.body) for request in asked)
    assert first["model"] == "gpt-5.4-mini"
    assert first["messages"][1] == {"role": "user", "content": "Review `text.md`."}
    assert {tool["function"]["name"] for tool in first["tools"]} > {"count_words", "read_file"}
    assert second["messages"][-1]["content"].strip() == "14"
