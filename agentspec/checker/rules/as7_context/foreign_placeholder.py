"""AS709 placeholder of another template language."""

import re
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Scalar
from agentspec.text.diagnostic import Diagnostic, Edit, Fix

# `{{inputs.name}}` is found by the templates themselves; a bare name is one only where an input has it.
FOREIGN = r"\{\{\s*([A-Za-z_]\w*)\s*\}\}"


class ForeignPlaceholder(Rule):
    """A text names an input in the form of another template language.

    Why: only `${…}` is replaced. `{{name}}` goes to the model as it stands.

    Bad:

    ```yaml
    name: auditor
    inputs:
      branch: string
    context:
      system: You audit {{branch}}, and only ${inputs.branch}.
    ```

    Good:

    ```yaml
    name: auditor
    inputs:
      branch: string
    context:
      system: You audit ${inputs.branch}, and only that.
    ```

    Fix: write `${inputs.NAME}`.
    """

    code = "AS709"
    title = "placeholder of another template language"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        declared = {entry.name for entry in subject.entries("inputs")}
        if not declared:
            return
        templates = [(mark.path, mark.node) for mark in subject.marks if mark.annotation.get("kind") == "template"]
        in_files = [(path, node) for path, node, _ in subject.file_texts]
        for path, node in (*templates, *in_files):
            if not isinstance(node, Scalar) or not isinstance(node.value, str):
                continue
            for match in re.finditer(FOREIGN, node.value):
                name = match[1]
                if name in declared:
                    span = span_in(node, match.start(), match.end())
                    text = f"${{inputs.{name}}}"
                    yield self.finding(
                        span,
                        f"`{match[0]}` goes to the model as it stands",
                        path=path,
                        help=f"write `{text}`",
                        fix=Fix(f"write `{text}`", (Edit(span, text),), "surface"),
                    )
