"""skill_file: read the folder of a skill in the public Agent Skills format: `SKILL.md`, front matter and instructions.

Reads that one file and nothing that lies outside of the folder. What the file says about tools gives no rights:
`allowed-tools` asks a host to approve calls beforehand, and only the spec's own approval rules do that here.
The format: agentskills.io, "Specification".
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agentspec.errors import NotFound
from agentspec.syntax import yaml
from agentspec.syntax.read import read_text
from agentspec.syntax.tree import Mapping, Node, Scalar
from agentspec.text.paths import is_file, is_folder, real_path
from agentspec.text.source import Source

NAMES = ("SKILL.md", "skill.md")
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
LONGEST = {"name": 64, "description": 1024, "compatibility": 500}  # characters
_FRONT = r"(?s)---[ \t]*\r?\n(.*?)(?:\r?\n|(?<=\n))---[ \t]*(?:\r?\n|\Z)"


class SkillFile(NamedTuple):
    """What a `SKILL.md` says: its name, what it is for, and the instructions."""

    name: str
    description: str
    body: str


class ReadSkill(NamedTuple):
    """A skill, or the `problem` that keeps it from being used; `faults` are what the format does not allow."""

    skill: SkillFile | None
    problem: str = ""
    faults: tuple[str, ...] = ()


def read_skill(folder: Path) -> ReadSkill:
    """The skill of a folder. Never raises: what is wrong with it is told in words."""
    if not is_folder(folder):
        return ReadSkill(None, "there is no such folder")
    path = next((folder / name for name in NAMES if is_file(folder / name)), None)
    if path is None:
        return ReadSkill(None, "it has no `SKILL.md`")
    if os.path.commonpath((real_path(folder), real_path(path))) != real_path(folder):
        return ReadSkill(None, f"its `{path.name}` is a link that leads out of the folder")
    try:
        text = read_text(path)
    except NotFound as problem:
        return ReadSkill(None, str(problem))
    return parse_skill(text, folder.absolute().name)


def parse_skill(text: str, folder: str) -> ReadSkill:
    """The skill in the text of a `SKILL.md` that stands in a folder of this name.

    >>> parse_skill("---\\nname: greet\\ndescription: Says hello.\\n---\\nSay hello.", "greet").skill
    SkillFile(name='greet', description='Says hello.', body='Say hello.')
    """
    front = re.match(_FRONT, text)
    if front is None:
        return ReadSkill(None, "its `SKILL.md` does not begin with front matter between two lines of `---`")
    parsed = yaml.parse(Source("SKILL.md.yaml", front.group(1) + "\n"))
    found = next((one for one in parsed.diagnostics if one.severity == "error"), None)
    root = parsed.documents[0].root if len(parsed.documents) == 1 else None
    if found is not None:
        return ReadSkill(None, f"the front matter of its `SKILL.md` can't be read: {found.message}")
    if not isinstance(root, Mapping):
        return ReadSkill(None, "the front matter of its `SKILL.md` is no mapping")
    fields = {entry.name: _text(entry.value) for entry in root.entries}
    skill = SkillFile(fields.get("name") or "", fields.get("description") or "", text[front.end() :].strip())
    return ReadSkill(skill, faults=tuple(_faults(fields, folder)))


def _text(node: Node) -> str | None:
    """The text of a scalar, as it was written: in this format all of them are texts."""
    if not isinstance(node, Scalar):
        return None
    if isinstance(node.value, str):
        return node.value.strip()
    return node.span.source.text[node.span.start : node.span.end].strip()


def _faults(fields: dict[str, str | None], folder: str) -> Iterator[str]:
    for name in sorted(set(fields) - set(FIELDS)):
        yield f"`{name}` is no field of the format"
    for name in ("name", "description"):
        if not fields.get(name):
            yield f"`{name}` is missing" if name not in fields else f"`{name}` is no text, or empty"
    if "compatibility" in fields and fields["compatibility"] is None:
        yield "`compatibility` is no text"
    for name, most in LONGEST.items():
        length = len(fields.get(name) or "")
        if length > most:
            yield f"`{name}` has {length} characters; the format takes {most}"
    yield from _faults_of_name(unicodedata.normalize("NFKC", fields.get("name") or ""), folder)


def _faults_of_name(name: str, folder: str) -> Iterator[str]:
    if not name:
        return
    if name != name.lower() or not all(char.isalnum() or char == "-" for char in name):
        yield f"the name `{name}` holds more than small letters, digits and hyphens"
    if name.startswith("-") or name.endswith("-") or "--" in name:
        yield f"the name `{name}` has a hyphen at an end, or two in a row"
    if name != unicodedata.normalize("NFKC", folder):
        yield f"the name `{name}` is not that of its folder (`{folder}`)"
