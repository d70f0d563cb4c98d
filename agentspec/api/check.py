"""check: say what is wrong with specs, without running anything."""

from __future__ import annotations

from agentspec.checker.check import check_paths as check
from agentspec.checker.report import Report

__all__ = ["Report", "check"]
