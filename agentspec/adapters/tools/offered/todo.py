"""todo: the toolkit that keeps a working list; see `notes`."""

from __future__ import annotations

from agentspec.adapters.tools.offered.notes import todo_toolkit

toolkit = todo_toolkit
