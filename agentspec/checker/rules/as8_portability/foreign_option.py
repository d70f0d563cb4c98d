"""AS819 option of another provider."""

from collections.abc import Iterator

from agentspec.checker.models import asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import dialect, has_models_of, is_known, providers_with
from agentspec.text.diagnostic import Diagnostic


class ForeignOption(Rule):
    """An entry of `model.options` is a field of another provider's requests, and of none of this one's.

    Why: options are passed through as they are. OpenAI, Anthropic and Google refuse a request with a field that they do
    not know; Ollama leaves it unread. A name that no provider of the catalogue has is passed through without a word,
    and another server (`base_url`, or one that has a model which the catalogue lacks) may know any.

    Bad:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4-mini, options: {keep_alive: 5m}}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: ollama, model: qwen3, options: {keep_alive: 5m}}
    ```

    Fix: take the option away, write what the provider has for it, or take the provider that has it.
    """

    code = "AS819"
    title = "option of another provider"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for place, provider, model, is_own_server in asked_models(subject):
            is_elsewhere = is_own_server or (has_models_of(provider) and not is_known(provider, model))
            entries = () if is_elsewhere else subject.entries(*place, "options")
            own = dialect(provider).get("options", ()) if entries else ()
            for entry in entries if own else ():
                others = [f"`{name}`" for name in providers_with(entry.name)]
                if others and entry.name not in own and subject.is_own(entry.key.span):
                    message = f"`{provider}` has no option `{entry.name}`; it is one of {' and '.join(others)}"
                    path = (*place, "options", entry.name)
                    yield self.finding(entry.key.span, message, path=path, help="take it away")
