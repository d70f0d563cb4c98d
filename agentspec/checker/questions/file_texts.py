"""file_texts: the texts for models that a spec keeps in files, as if each stood in the spec itself.

Only reads. A file that can't be read has no text here: `AS711` tells of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.errors import NotFound
from agentspec.syntax.read import read_text
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, find
from agentspec.syntax.within import within
from agentspec.text.source import Source, Span

SYSTEM: Path = ("context", "system")
PROMPTS: Path = ("context", "prompts")
FILE = "file"


def text_files(root: Mapping) -> Iterator[tuple[Path, Node]]:
    """Where a document names a file with a text that is filled in as its own texts are: the system text, prompts."""
    prompts = find(root, PROMPTS)
    names = [entry.name for entry in prompts.entries] if isinstance(prompts, Mapping) else []
    for path in ((*SYSTEM, FILE), *((*PROMPTS, name, FILE) for name in names)):
        node = find(root, path)
        if node is not None:
            yield path, node


def file_texts(root: Mapping, project: FilePath) -> Iterator[tuple[Path, Scalar]]:
    """The texts of those files, each with its places in the file and the path of the key that names it."""
    for path, node in text_files(root):
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or "${" in node.value:
            continue
        try:
            text = read_text(within(project, node.value))
        except NotFound:
            continue
        source = Source(str(project / node.value), text)
        yield path, Scalar(value=text, span=Span(source, 0, len(text)))
