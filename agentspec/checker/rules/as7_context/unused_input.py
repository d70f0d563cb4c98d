"""AS703 input that nothing uses."""

import re
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

EXPRESSIONS = ("AS3", "AS208")  # after which a text may use any input
USED = r"\binputs\s*\.\s*([A-Za-z_]\w*)|\binputs\s*\[\s*[\"']([^\"']+)[\"']\s*\]"
ANY_OTHER = r"\$\{[^}]*\binputs\b(?!\s*[.\[])"


class UnusedInput(Rule):
    """An input is declared, and nothing in the spec uses it.

    Why: whoever gives a value for it believes that it changes something.

    Bad:

    ```yaml
    name: auditor
    inputs:
      branch: string
    context:
      system: You audit a branch.
    ```

    Good:

    ```yaml
    name: auditor
    inputs:
      branch: string
    context:
      system: You audit the branch ${inputs.branch}.
    ```

    Fix: use it as `${inputs.NAME}`, or take it away.
    """

    code = "AS703"
    title = "input that nothing uses"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        declared = subject.entries("inputs")
        if subject.kind != "agent" or not subject.is_whole or not declared:
            return
        if any(error.code.startswith(EXPRESSIONS) for error in subject.errors):
            return  # a misspelt name may mean any of them
        own = [text for path, _, text in subject.written_texts if path[0] != "inputs"]
        texts = [text for text in (*own, *(text for _, _, text in subject.file_texts)) if "inputs" in text]
        if any(re.search(ANY_OTHER, text) for text in texts):
            return
        used = {dotted or quoted for text in texts for dotted, quoted in re.findall(USED, text)}
        for entry in declared:
            if entry.name not in used:
                yield self.finding(
                    entry.key.span,
                    f"nothing uses the input `{entry.name}`",
                    path=("inputs", entry.name),
                    help=f"use it as `${{inputs.{entry.name}}}`, or take it away",
                )
