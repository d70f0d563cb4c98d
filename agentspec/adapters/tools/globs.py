"""globs: the patterns of paths, for the tools; the words are those of `core.globs`."""

from __future__ import annotations

from agentspec.core.globs import BadGlob, compile_glob, fits, matches

__all__ = ["BadGlob", "compile_glob", "fits", "matches"]
