"""AS607 effect weaker than its kind."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.compose.toolkits import EFFECTS, kind_effect
from agentspec.text.diagnostic import Diagnostic


class WeakerEffect(Rule):
    """A tool claims a weaker effect than tools of its kind have by default.

    Why: the claim is yours to make and is used by phases, ceilings and approval; nobody can verify it. Resume and
    retry don't trust it: they repeat only what the runtime itself knows to be read, or what says `idempotent`.

    Bad:

    ```yaml
    name: clock
    capability:
      tools:
        today:
          description: The date of today
          effect: read
          run: [date]
    ```

    Good:

    ```yaml
    name: clock
    capability:
      tools:
        today:
          description: The date of today
          run: [date]
    ```

    Fix: make sure that the claim is true; silence the note with `# agentspec: ignore[AS607]`.
    """

    code = "AS607"
    title = "effect weaker than its kind"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools_with("effect"):
            effect, default = tool.body.get("effect"), kind_effect(tool.body)
            claim = text_of(effect)
            if effect is None or claim not in EFFECTS or default is None or tool.kind == "http":
                continue
            if EFFECTS.index(claim) < EFFECTS.index(default):
                yield self.finding(
                    effect.span,
                    f"tool `{tool.name}` claims `{claim}`; tools of kind `{tool.kind}` are `{default}` by default",
                    path=(*tool.path, "effect"),
                    help="nobody can verify it: make sure that it is true",
                )
