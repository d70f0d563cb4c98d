"""absent: the sentence about a file that isn't there, with the one that was likely meant. Opens no file."""

from __future__ import annotations

import os
from pathlib import Path

from agentspec.text.paths import files_in, is_folder
from agentspec.text.suggest import nearest

SPELLINGS = (".yaml", ".yml", ".json", ".agent")


def no_such_file(path: str | os.PathLike[str]) -> str:
    """What to say of a path where no file is: the folder that is missing, or the file beside it that was meant."""
    place = Path(path)
    if not is_folder(place.parent):
        return f"no such file: `{path}`; there is no folder `{place.parent}`"
    near = _near(place)
    return f"no such file: `{path}`" + (f"; did you mean `{place.with_name(near)}`?" if near else "")


def _near(place: Path) -> str | None:
    beside = files_in(place.parent)
    beside.sort(key=lambda name: not name.endswith(place.suffix))
    stems = {Path(name).stem: name for name in reversed(beside)}
    other = [name for name in beside if Path(name).stem == place.stem and name.endswith(SPELLINGS)]
    return next(iter(other or [stems[stem] for stem in nearest(place.stem, stems)]), None)
