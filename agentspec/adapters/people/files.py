"""files: answers whether files of the project exist. They are held on to, never opened and never read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.adapters.tools.threads import begin


class FilesRespondent:
    """Asked with a list of paths below `root`; answers `present`, `missing` or `unverifiable` for each."""

    def __init__(self, root: Path, secrets: Iterable[str] = ()) -> None:
        self._beneath = Beneath(root, SecretFiles(secrets))

    async def answer(self, question: Any) -> Any:
        paths = [str(path) for path in question]
        return await begin(lambda: {path: self._look(path) for path in paths}, "look for files")

    def _look(self, path: str) -> str:
        try:
            return "present" if self._beneath.exists(path) else "missing"
        except Refused:
            return "unverifiable"
