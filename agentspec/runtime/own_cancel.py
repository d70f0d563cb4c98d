"""own_cancel: tell a cancellation of the run from one that an adapter has brought about itself."""

from __future__ import annotations

import asyncio


def is_cancelled() -> bool:
    """Whether the run cancelled this call; else a `CancelledError` is the adapter's own, and must not hang the run."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
