"""AS815 unknown route or ladder."""

from collections.abc import Iterator

from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.model_names import BUILT_IN_PROVIDERS
from agentspec.spec.catalogue import ladders, rung
from agentspec.syntax.tree import Mapping
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.suggest import nearest

NAMELESS = ("script", "process")  # providers whose models need no name


class UnknownRoute(Rule):
    """A fallback names a route that the spec does not have, or a ladder is none of the catalogue's.

    Why: a fallback may be the label of a route or a model's id. One that is nearly a label would be asked for as a
    model, at the very moment at which the other one has failed.

    Bad:

    ```yaml
    name: helper
    model:
      routes:
        - {provider: openai, model: gpt-5.4, label: strong, when: attempt > 1}
        - {provider: openai, model: gpt-5.4-mini, label: cheap}
      fallback: [storng]
    ```

    Good:

    ```yaml
    name: helper
    model:
      routes:
        - {provider: openai, model: gpt-5.4, label: strong, when: attempt > 1}
        - {provider: openai, model: gpt-5.4-mini, label: cheap}
      fallback: [strong]
    ```

    Fix: correct the word.
    """

    code = "AS815"
    title = "unknown route or ladder"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        routes = [path for path, node in subject.items("model", "routes") if isinstance(node, Mapping)]
        labels = [label for path in routes if (label := subject.text(*path, "label"))]
        for path, node, name in subject.references("route"):
            if name not in labels and nearest(name, labels):
                meant, help_text = way_out(name, labels, "routes are")
                fix = rename(node.span, name, meant)
                yield self.finding(node.span, f"no route is labelled `{name}`", path=path, help=help_text, fix=fix)
        for path, node, name in subject.references("ladder"):
            if name not in ladders():
                meant, help_text = way_out(name, ladders(), "ladders are")
                fix = rename(node.span, name, meant)
                yield self.finding(node.span, f"unknown ladder `{name}`", path=path, help=help_text, fix=fix)
                continue
            provider = subject.text(*path[:-1], "provider") or subject.text("model", "provider")
            if provider in BUILT_IN_PROVIDERS and provider not in NAMELESS and rung(name, provider) is None:
                message = f"the ladder `{name}` has no model of `{provider}`"
                yield self.finding(node.span, message, path=path, help="name the model itself: `model: …`")
