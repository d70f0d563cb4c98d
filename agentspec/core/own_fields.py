"""own_fields: fields of a request that `model.options` can't set, and the keys of a spec that do. A table."""

OWN_FIELDS = {"messages": "context", "tools": "capability.tools", "stream": "model.stream", "model": "model.model"}
