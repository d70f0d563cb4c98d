"""AS822 value beyond what the provider takes."""

from collections.abc import Iterator

from agentspec.checker.questions.models import asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import dialect
from agentspec.text.diagnostic import Diagnostic

BOUNDED = ("temperature", "stop")


class OutOfRange(Rule):
    """A setting of the model is larger than its provider takes, or a list of it longer.

    Why: the provider refuses every request. Anthropic's temperatures end at 1, those of others at 2; OpenAI takes four
    texts in `stop`, Google five. Another server (`base_url`) has its own ways.

    Bad:

    ```yaml
    name: writer
    model: {provider: anthropic, model: claude-haiku-4-5, temperature: 1.5}
    ```

    Good:

    ```yaml
    name: writer
    model: {provider: anthropic, model: claude-haiku-4-5, temperature: 1.0}
    ```

    Fix: write a value that the provider takes.
    """

    code = "AS822"
    title = "value beyond what the provider takes"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for place, provider, _, is_own_server, _ in asked_models(subject):
            for name in () if is_own_server else BOUNDED:
                path = (*place, name)
                value = len(subject.items(*path)) or subject.number(*path)
                most = None if value is None else dialect(provider).get("most", {}).get(name)
                if value is not None and most is not None and value > most:
                    what = f"a `{name}` of at most {most:g}" if name == "temperature" else f"{most:g} texts in `{name}`"
                    message = f"`{provider}` takes {what}"
                    yield self.finding(subject.span(*path), message, path=path, help=f"write {most:g} or less")
