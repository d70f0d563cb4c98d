"""limits: how much one file may hold.

A file beyond a limit is refused with one plain error, before it can cost time or memory. Both spellings use these.
"""

from __future__ import annotations

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 64
MAX_NODES = 100_000  # aliases count as often as they are used: every later walk over the tree is bounded by it
MAX_DOCUMENTS = 200  # of one file; each is composed and checked by itself
MAX_TYPE_MARKS = 16  # `[]` and `?` behind the word of a type
MAX_EXPANSION = 10  # aliased text, counted at each use, in lengths of the file
FREE_EXPANSION = 4096  # characters; a short file may repeat this much without being a bomb
MAX_DIGITS = 3000  # Python refuses to print integers of more than 4 300 decimal digits
MAX_SYNTAX_ERRORS = 50  # one more than anybody repairs in one go
