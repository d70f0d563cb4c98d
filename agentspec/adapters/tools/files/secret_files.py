"""secret_files: which files no tool opens: those that hold secrets by their names, and those that a spec adds."""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.text.secret_names import secret_rule


class SecretFiles:
    """The built-in list, and `more` as globs over paths below the root."""

    def __init__(self, more: Iterable[str] = ()) -> None:
        self._more = tuple(more)

    def reason(self, real: str) -> str:
        """The rule that makes the file of this absolute real name secret, or nothing.

        >>> SecretFiles(["*.vault"]).reason("/home/ada/shop/prod.Vault")
        '*.vault'
        """
        return secret_rule(real) or self._of_more(real)

    def _of_more(self, real: str) -> str:
        if not self._more:
            return ""
        from agentspec.core.calls.globs import matches  # noqa: PLC0415 - needs RE2, seldom

        return next((glob for glob in self._more if matches(glob.casefold(), real.casefold().lstrip("/"))), "")
