"""AS819 option that the provider does not have."""

from collections.abc import Iterator, Sequence

from agentspec.checker.questions.meant import rename
from agentspec.checker.questions.models import asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import dialect, has_models_of, is_known, providers_with
from agentspec.syntax.tree import Entry, Path
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.suggest import nearest


class ForeignOption(Rule):
    """An entry of `model.options` is another provider's, nearly one of this provider's, or in the wrong place.

    Why: options are passed through as they are. OpenAI, Anthropic and Google refuse a request with a field that they do
    not know; Ollama leaves it unread, and reads what a model is run with (`num_ctx`, `top_k`, …) below `options`: write
    `options: {options: {num_ctx: 16384}}`. Any other name is passed through without a word, and another server
    (`base_url`, or one that has a model which the catalogue lacks) may know any.

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

    Fix: correct the name or its place, take the option away, or take the provider that has it.
    """

    code = "AS819"
    title = "option that the provider does not have"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for place, provider, model, is_own_server, _ in asked_models(subject):
            is_elsewhere = is_own_server or (has_models_of(provider) and not is_known(provider, model))
            entries = [] if is_elsewhere else subject.entries(*place, "options")
            way = dialect(provider) if entries else {}
            for entry in entries if way.get("options") else ():
                yield from self._told(subject, entry, provider, way["options"], (*place, "options"))
            for entry in subject.entries(*place, "options", "options") if way.get("inner") else ():
                yield from self._told(subject, entry, provider, way["inner"], (*place, "options", "options"))

    def _told(
        self, subject: Subject, entry: Entry, provider: str, own: Sequence[str], path: Path
    ) -> Iterator[Diagnostic]:
        """What is wrong with the name of one option among those that stand in its place."""
        name, span = entry.name, entry.key.span
        if name in own or not subject.is_own(span):
            return
        near = nearest(name, own)
        others = [f"`{each}`" for each in providers_with(name)]
        fix = None
        if name in dialect(provider).get("inner", ()):
            message, help_text = f"`{provider}` reads `{name}` below `options`", f"write `options: {{{name}: …}}` here"
        elif others:
            message = f"`{provider}` has no option `{name}`; it is one of {' and '.join(others)}"
            help_text = "take it away"
        elif near:
            message, help_text = f"`{provider}` has no option `{name}`", f"did you mean `{near[0]}`?"
            fix = rename(span, name, near[0])
        else:
            return
        yield self.finding(span, message, path=(*path, name), help=help_text, fix=fix)
