"""AS826 beginning of an answer for a model that takes none."""

from collections.abc import Iterator

from agentspec.checker.questions.models import Asked, asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import dialect, is_known, takes
from agentspec.text.diagnostic import Diagnostic


class UnfitPrefill(Rule):
    """`prefill: on` for a model that does not go on with the beginning of its own answer.

    Why: newer models of Anthropic and those of OpenAI and Google want the person to have the last word. They refuse the
    request, or begin their answer anew behind what was begun. The protocols of OpenAI's Responses and of Gemini, and
    programs, have no way to say it at all.

    Bad:

    ```yaml
    name: helper
    model: {provider: anthropic, model: claude-opus-5, prefill: on}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: anthropic, model: claude-haiku-4-5, prefill: on}
    ```

    Fix: leave it at `auto`, which asks only those that are known to go on; `on` is for a server of your own
    (`base_url`) that does.
    """

    code = "AS826"
    title = "beginning of an answer for a model that takes none"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for asked in asked_models(subject):
            path = (*asked.place, "prefill")
            if subject.text(*path) == "on" and _takes_none(asked) and subject.is_own(subject.span(*path)):
                message = f"`{asked.provider}:{asked.model}` takes no beginning of its own answer"
                yield self.finding(subject.span(*path), message, path=path, help="leave it at `auto`, or take it away")


def _takes_none(asked: Asked) -> bool:
    """Whether that is certain: by the protocol, or by what the catalogue knows of the model."""
    if not dialect(asked.provider).get("prefill"):
        return True
    is_ours_to_know = not asked.is_own_server and is_known(asked.provider, asked.model)
    return is_ours_to_know and "prefill" not in takes(asked.provider, asked.model)
