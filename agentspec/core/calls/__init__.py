"""calls: one call of a tool: how its arguments are read, what it touches, which rules speak of it."""
