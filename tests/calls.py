"""calls: how many Python functions a piece of work calls. Counts do not depend on the machine, nor on its load."""

from __future__ import annotations

import gc
import sys
from types import FrameType
from typing import Self


class counted:  # noqa: N801 - used as a word: `with counted() as calls`
    """Counts the calls that are made inside; not those of the collector, which comes when it likes."""

    def __init__(self) -> None:
        self.made = 0

    def __enter__(self) -> Self:
        gc.disable()
        sys.setprofile(self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        gc.enable()
        self.made -= 1  # this very call

    def _hear(self, _: FrameType, event: str, __: object) -> None:
        self.made += event == "call"
