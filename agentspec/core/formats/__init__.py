"""formats: how tool calls are written where a provider's own calls are not used, and how they are read again.

Pure. Nothing half-written ever becomes a call.
"""
