"""A real MCP server over HTTP on loopback, made with the official SDK; it prints its port. `--token` must be shown."""

import socket
import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from starlette.responses import PlainTextResponse

server = MCPServer("web", version="1.0")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers"""
    return a + b


@server.tool()
def header(name: str, ctx: Context) -> str:
    """A header of the request"""
    return ctx.request_context.request.headers.get(name, "(none)")


@server.tool()
async def grow(ctx: Context) -> str:
    """Adds a tool, and says so"""
    server.add_tool(lambda: "new", name="new", description="New")
    await ctx.notify_tools_changed()
    return "grown"


app = server.streamable_http_app()
token = sys.argv[1] if len(sys.argv) > 1 else None


async def guarded(scope, receive, send):
    """Refuse requests without the token."""
    if scope["type"] == "http" and token is not None:
        shown = dict(scope["headers"]).get(b"authorization", b"").decode()
        if shown != f"Bearer {token}":
            await PlainTextResponse("no", status_code=401)(scope, receive, send)
            return
    await app(scope, receive, send)


listener = socket.create_server(("127.0.0.1", 0))
sys.stdout.write(f"{listener.getsockname()[1]}\n")
sys.stdout.flush()
uvicorn.Server(uvicorn.Config(guarded, log_level="error")).run(sockets=[listener])
