"""own_fields: fields and headers of a request that a spec can't set itself, and the keys of a spec that do. Tables."""

OWN_FIELDS = {"messages": "context", "tools": "capability.tools", "stream": "model.stream", "model": "model.model"}
OWN_HEADERS = frozenset(("host", "content-length", "transfer-encoding", "connection", "accept-encoding"))
