"""record: the one base of every record that the kernel reads or writes.

Frozen, keyword-built, tagged by `kind` in JSON: the journal stores these very records.
"""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An immutable record; change one with `msgspec.structs.replace`.

    The garbage collector does not look at records: one that holds functions, and so may be part of a cycle, says
    `gc=True`.
    """
