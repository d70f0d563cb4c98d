"""border: a path that leads into the folder of a library from outside. None may: a library is used by its name."""

from __future__ import annotations

import os
from pathlib import Path

from agentspec.compose.files import Files
from agentspec.compose.findings import clip, finding
from agentspec.compose.libraries.manifest import Manifest, read_manifest
from agentspec.compose.libraries.versions import from_version
from agentspec.compose.reference import Target
from agentspec.syntax.private import STATE_FOLDER
from agentspec.syntax.tree import Scalar
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.paths import real_path


def passed_by(reference: Scalar, folder: Path, asking: Target, files: Files) -> Diagnostic | None:
    """The finding for a path into a folder that looks like a library's; None where it is none."""
    manifest = read_manifest(os.path.relpath(folder), files)
    if isinstance(manifest, str):
        return None
    message = (
        f"`{clip(str(reference.value))}` leads into the library `{manifest.name}`, past its exports and its ceiling"
    )
    related = (Related(manifest.document.span.part(0, 1), "its manifest"),)
    help_ = f"{_way(manifest, folder, asking)}, and extend `{manifest.name}.NAME`"
    return finding("AS462", reference.span, message, path=("extends",), help=help_, related=related)


def _way(manifest: Manifest, folder: Path, asking: Target) -> str:
    if STATE_FOLDER in folder.parts:
        return f"it is a copy of `{manifest.name}`: name that library under `use`, with where it comes from"
    source = os.path.relpath(folder, real_path(asking.library or asking.folder or "."))
    source = source if source.startswith(".") else f"./{source}"
    said = f'{{{manifest.name}: {{source: {source}, version: "{from_version(manifest.version)}"}}}}'
    return f"write `requires: {{libraries: {said}}}`" if asking.library else f"write `use: {said}`"
