"""A real MCP server over stdio, made with the official SDK: what tests ask for is said in its arguments."""

import os
import sys
from pathlib import Path

import anyio
from mcp.server.mcpserver import Image, MCPServer

server = MCPServer("test", version="1.0")
if "noisy" in sys.argv:
    sys.stdout.write("Server started\n")
    sys.stdout.flush()


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers"""
    return a + b


@server.tool()
def words() -> str:
    """Says hello"""
    return "hello"


@server.tool()
def variable(name: str) -> str:
    """The value of a variable of the environment"""
    return os.environ.get(name, "(unset)")


@server.tool()
def folder() -> str:
    """Where it runs"""
    return str(Path.cwd())


@server.tool()
def fails() -> str:
    """Always fails"""
    raise ValueError("no luck")


@server.tool()
def picture() -> Image:
    """One image"""
    return Image(data=b"\x89PNG" + bytes(100), format="png")


@server.tool()
async def sleeps(seconds: float) -> str:
    """Answers late"""
    await anyio.sleep(seconds)
    return "late"


@server.tool()
def dies() -> str:
    """Ends the server in the middle of a call"""
    sys.stderr.write("going down\n")
    sys.stderr.flush()
    os._exit(3)


server.run("stdio")
