"""AS813 answer that is longer than the model gives."""

from collections.abc import Iterator

from agentspec.checker.questions.models import asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import longest_answer
from agentspec.text.diagnostic import Diagnostic


class AnswerAboveModel(Rule):
    """`max_output_tokens` is more than the model writes in one answer.

    Why: most providers refuse such a request. The catalogue may be older than the model, so this is no error.

    Bad:

    ```yaml
    name: writer
    model: {provider: openai, model: gpt-4o-mini, max_output_tokens: 64000}
    ```

    Good:

    ```yaml
    name: writer
    model: {provider: openai, model: gpt-4o-mini, max_output_tokens: 16384}
    ```

    Fix: ask for no more than the model gives, or take another model.
    """

    code = "AS813"
    title = "answer that is longer than the model gives"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for place, provider, model, is_own_server, _ in asked_models(subject):
            path = (*place, "max_output_tokens")
            wanted = subject.number(*path)
            most = None if wanted is None or is_own_server else longest_answer(provider, model)
            if wanted is not None and most is not None and wanted > most:
                yield self.finding(
                    subject.span(*path),
                    f"`{model}` writes at most {most} tokens in one answer",
                    path=path,
                    help=f"write {most} or less",
                )
