"""mcp: tools of servers that speak the Model Context Protocol."""
