"""A whole run as the failures need it: a spec with tools, a server that says what it likes, and what came of it."""

import json

from agentspec import Result, run
from tests.servers.loopback import Loopback

TOOLS = {
    "ping": {"description": "Answers", "expr": "'pong'"},
    "add": {
        "description": "Adds",
        "parameters": {"left": "integer", "right": "integer"},
        "returns": "integer",
        "expr": "args.left + args.right",
    },
    "count": {"description": "Counts", "parameters": {"items": "string[]"}, "expr": "string(size(args.items))"},
    "echo": {"description": "Echoes", "parameters": {"text": "string"}, "expr": "args.text"},
    "note": {
        "description": "Writes a line into a file",
        "parameters": {"text": "string"},
        "run": ["sh", "-c", 'printf "%s\\n" "$0" >> notes', "${args.text}"],
    },
}


class World:
    """A project folder whose spec asks a server."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, url: str, *, model=None, execution=None, name: str = "s", **sections) -> str:
        settings = {"provider": "openai", "model": "m-1", "base_url": url, "stream": False}
        settings["retry"] = {"max_attempts": 3, "base": "1ms"}
        spec = {"name": name, "task": "go", "model": settings | (model or {})}
        spec |= {"execution": {"max_iterations": 8, **(execution or {})}, "capability": {"tools": TOOLS}, **sections}
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(spec))
        return str(path)

    async def run(self, server: Loopback, *, on_event=None, **given) -> Result:
        return await run(self.write(server.url, **given), trace=True, on_event=on_event)

    @property
    def notes(self) -> list[str]:
        """What the tool `note` has really done."""
        path = self.folder / "notes"
        return path.read_text().splitlines() if path.exists() else []


def sent(server: Loopback, request: int = -1) -> list[dict]:
    """The messages of a request, every one of them well formed and each call with its one result."""
    messages = server.asked[request].json["messages"]
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["content"]
            waiting.remove(message["tool_call_id"])
            continue
        assert waiting == []
        for call in message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert call["id"] not in waiting
            waiting.append(call["id"])
    assert waiting == []
    return messages


def results(server: Loopback, request: int = -1) -> dict[str, str]:
    """What the model was told of each call, by its id."""
    return {each["tool_call_id"]: each["content"] for each in sent(server, request) if each["role"] == "tool"}
