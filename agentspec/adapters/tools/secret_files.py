"""secret_files: which files hold secrets, by their names. The list can be extended, never shortened.

Always asked with the resolved real name: a link with a harmless name is no way in.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

_NAMES = frozenset(
    (".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".npmrc", ".pypirc", ".git-credentials")
)
_SUFFIXES = (".pem", ".key")
_FOLDERS = frozenset((".ssh", ".aws", ".gnupg"))
_PAIRS = frozenset(((".kube", "config"), (".docker", "config.json")))
_HARMLESS = (".example", ".sample", ".template")  # of `.env.*`


class SecretFiles:
    """The built-in list, and `more` as globs over paths below the root."""

    def __init__(self, more: Iterable[str] = ()) -> None:
        self._more = tuple(more)

    def reason(self, real: str) -> str:
        """The rule that makes the file of this absolute real name secret, or nothing.

        >>> SecretFiles().reason("/home/ada/shop/.ENV.local")
        '.env.*'
        """
        parts = PurePosixPath(real.casefold()).parts
        name = parts[-1] if parts else ""
        if name in _NAMES:
            return name
        if name.startswith(".env.") and not name.endswith(_HARMLESS):
            return ".env.*"
        for suffix in _SUFFIXES:
            if name.endswith(suffix):
                return f"*{suffix}"
        for folder in parts:
            if folder in _FOLDERS:
                return f"{folder}/**"
        if parts[-2:] in _PAIRS:
            return "/".join(parts[-2:])
        return self._of_more(real)

    def _of_more(self, real: str) -> str:
        if not self._more:
            return ""
        from agentspec.adapters.tools.globs import matches  # noqa: PLC0415 - needs RE2, seldom

        return next((glob for glob in self._more if matches(glob.casefold(), real.casefold().lstrip("/"))), "")
