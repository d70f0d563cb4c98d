"""AS812 setting that the provider leaves unread."""

from collections.abc import Iterator

from agentspec.checker.questions.models import ROUTES, RUN, places
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import dialect
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

CONNECTION = ("base_url", "api_key_env", "headers")
MAY_BE_UNREAD = ("seed", "stop", "tool_choice", "prompt_cache", "ladder", *CONNECTION)
USUAL = ("auto",)  # what a setting says that says nothing


class IgnoredSetting(Rule):
    """A setting of the model that its provider does not know.

    Why: it does nothing. Anthropic and OpenAI's Responses take no `seed`: two runs with one seed are no more alike than
    any two; Responses take no `stop` either, Ollama no `tool_choice`. How long a prompt is cached is for Anthropic
    alone to be told: the others decide it themselves. What answers on this machine (`local`, `process`, `script`) asks
    no server: an address or a key leads nowhere.

    Bad:

    ```yaml
    name: helper
    model: {provider: anthropic, model: claude-opus-5, seed: 7}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4-mini, seed: 7}
    ```

    Fix: take the setting away, or another provider.
    """

    code = "AS812"
    title = "setting that the provider leaves unread"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        run = subject.text("model", "provider")
        for place in (each for each in places(subject) if each == RUN or each[:2] == ROUTES):
            provider = subject.text(*place, "provider") or run
            given = [name for name in MAY_BE_UNREAD if self._is_said(subject, (*place, name))]
            if provider is None or not given:  # the catalogue is read only where there is something to find
                continue
            for path in ((*place, name) for name in given if name in dialect(provider).get("ignores", ())):
                if subject.is_own(subject.span(*path)):
                    message = f"`{provider}` takes no `{path[-1]}`; it does nothing"
                    yield self.finding(subject.key(*path), message, path=path, help="take it away")

    def _is_said(self, subject: Subject, path: Path) -> bool:
        return subject.at(*path) is not None and subject.text(*path) not in USUAL
