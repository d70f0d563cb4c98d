"""AS803 route that is never reached."""

from collections.abc import Iterator

from agentspec.checker.questions.conditions import condition_of, implies, is_constant
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class RouteNeverReached(Rule):
    """A model route stands behind one that is always taken first.

    Why: the first route whose `when` holds answers the turn; a route without `when` always holds. One that `fallback`
    names is reached all the same.

    Bad:

    ```yaml
    name: helper
    model:
      routes:
        - {provider: openai, model: gpt-5.4-mini}
        - {provider: openai, model: gpt-5.4, when: attempt > 1}
    ```

    Good:

    ```yaml
    name: helper
    model:
      routes:
        - {provider: openai, model: gpt-5.4, when: attempt > 1}
        - {provider: openai, model: gpt-5.4-mini}
    ```

    Fix: put the default route, the one without `when`, last.
    """

    code = "AS803"
    title = "route that is never reached"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        earlier: list[tuple[str, int]] = []
        stand_ins = {name for _, _, name in subject.references("route")}
        for index, (path, node) in enumerate(subject.items("model", "routes")):
            when = subject.at(*path, "when")
            text = "true" if when is None else condition_of(when) or ""
            first = next((at for said, at in earlier if is_constant(said) is True or implies(text, said)), None)
            names = {subject.text(*path, key) for key in ("label", "model")}
            if first is not None and not names & stand_ins:
                other = subject.span("model", "routes", first, "model")
                yield self.finding(
                    node.span if when is None else when.span,
                    "this route is never reached: another one is always taken first",
                    path=path,
                    help="put the route without `when` last",
                    related=(Related(other, "the route that is taken first"),),
                )
            if text:
                earlier.append((text, index))
