"""AS626 Python that has to be allowed."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.compose.project import SETTINGS_FILE, is_trusted, read_settings
from agentspec.spec.functions import KEY, RULES
from agentspec.text.diagnostic import Diagnostic

ALONE = (("execution", "input_guardrail"), ("context", "compaction"), ("capability", "tool_search"))


class PythonNotAllowed(Rule):
    """A rule is a Python function, which runs only where that is allowed.

    Why: a function does what the process may do, whatever the spec says. So a run of this spec is refused unless it is
    started with `--allow-python`, or the project trusts the package in its `agentspec.toml`:

    ```toml
    [python]
    trust = ["acme_rules"]
    ```

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - python: acme_rules.loops:decide
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: iteration > 3
          stop: incomplete
    ```

    Fix: say it as an expression where that is possible; else trust the package, or start the run with the option.
    """

    code = "AS626"
    title = "Python that has to be allowed"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        lists = [(section, name) for section, names in RULES.items() for name in names]
        rules = [path for where in lists for path, _ in subject.items(*where)]
        rules += [tool.path for tool in subject.tools_with(KEY)]
        rules += [path for path, _ in subject.items("capability", "approval", "rules")]
        for path in (*rules, *ALONE):
            function = text_of(subject.at(*path, KEY))
            if function is None or is_trusted(function, read_settings(subject.project).trust):
                continue
            package = function.partition(":")[0].partition(".")[0]
            yield self.finding(
                subject.span(*path, KEY),
                f"`{function}` runs only where Python is allowed",
                path=(*path, KEY),
                help=f'start runs with `--allow-python`, or put `[python]` with `trust = ["{package}"]` into '
                f"`{SETTINGS_FILE}`",
            )
