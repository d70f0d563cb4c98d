"""A real MCP server over stdio, made with the official SDK. It takes half a second to start: `mcp_program` is quicker."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("test", version="1.0")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers"""
    return a + b


@server.tool()
def words() -> str:
    """Says hello"""
    return "hello"


@server.tool()
def fails() -> str:
    """Always fails"""
    raise ValueError("no luck")


server.run("stdio")
