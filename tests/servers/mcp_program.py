"""An MCP server over stdio with a few small tools, written by hand so that it starts at once."""

import base64
import json
import os
import sys
from pathlib import Path


def dies():
    sys.stderr.write("going down\n")
    sys.stderr.flush()
    os._exit(3)


def picture():
    data = base64.b64encode(b"\x89PNG" + bytes(100)).decode()
    return {"type": "image", "data": data, "mimeType": "image/png"}


TOOLS = {
    "add": lambda a, b: str(a + b),
    "words": lambda: "hello",
    "variable": lambda name: os.environ.get(name, "(unset)"),
    "folder": lambda: str(Path.cwd()),
    "picture": picture,
    "dies": dies,
    "silent": None,  # never answers
}


def result_of(method, params):
    match method:
        case "initialize":
            info = {"name": "test", "version": "1.0"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
        case "tools/call":
            said = TOOLS[params["name"]](**params.get("arguments") or {})
            return {"content": [said if isinstance(said, dict) else {"type": "text", "text": said}]}
    return None


def answer(method, params):
    result = result_of(method, params)
    return {"error": {"code": -32601, "message": "unknown"}} if result is None else {"result": result}


if "noisy" in sys.argv:
    print("Server started", flush=True)  # noqa: T201 - as servers do
for line in sys.stdin:
    asked = json.loads(line)
    params = asked.get("params") or {}
    if "id" in asked and "method" in asked and params.get("name") != "silent":
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer(asked["method"], params)}), flush=True)  # noqa: T201
