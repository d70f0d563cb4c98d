"""mistakes: write `docs/mistakes.md`, what check says about mistakes that are made in valid specs on purpose.

`python scripts/mistakes.py` writes it, in about a minute; a test holds the figures to what is promised here.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "mistakes.md"

HEAD = """# What check says about mistakes

<!-- Written by scripts/mistakes.py: change what it reads, not this page. -->

A checker is worth what it says when something is wrong. So mistakes are made on purpose in every valid spec of this
repository (the examples, the presets, the specs of these pages and of the tests, in YAML and in the DSL, with LF and
CRLF, with emoji in front, with their sections behind anchors and merges), and what `agentspec check` says is compared
with what is due. The classes stand in `tests/mutation/`; which mistake is made where is chosen by the text of the
spec alone, so the same mistakes are made every time.

- **found**: a finding has the code that is due.
- **placed**: it begins and ends exactly where the mistake does.
- **led**: of those that have one, the right way out is named first; and nothing is suggested for what means nothing.
- **mended**: of those that can be, applying the fix gives the meaning of the valid spec back.
- **findings**: how many findings a mistake gives. What only follows from it is linked to it and left out.

What is promised: every mistake in a key or a name is found, 99 % of all; each that is found is placed;
95 % of misspellings by one or two slips of the hand find their word; a mistake gives 1.05 findings at most; a valid
spec gives none.

"""
COLUMNS = "| mistake | made | found | placed | led | mended | findings |\n| --- | --- | --- | --- | --- | --- | --- |"


def page() -> str:
    """The whole page."""
    from tests.mutation.score import all_lines, whole_score  # noqa: PLC0415 - a test reads the path of the page alone

    with tempfile.TemporaryDirectory() as folder:
        return "\n".join([HEAD + COLUMNS, *all_lines(whole_score(Path(folder))), ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
