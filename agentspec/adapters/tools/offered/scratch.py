"""scratch: the toolkit that keeps named notes; see `notes`."""

from __future__ import annotations

from agentspec.adapters.tools.offered.notes import scratch_toolkit

toolkit = scratch_toolkit
