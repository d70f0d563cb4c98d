"""AS108 scenario for a spec that is not there."""

from collections.abc import Iterator
from pathlib import Path

from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.questions.tried import Tried, set_in_vain, tried_by
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.documents import kind_of, looks_like_file, name_of, split_reference
from agentspec.syntax.absent import no_such_file
from agentspec.text.diagnostic import Diagnostic, Related


class MissingTarget(Rule):
    """A scenario is for a spec that does not exist, or that does not check.

    Why: there is nothing that it could try.

    Bad:

    ```yaml
    scenario: says hello
    for: greter.yaml
    task: Say hello.
    model:
      - text: Hello!
    expect: {status: done}
    ```

    Good:

    ```yaml
    scenario: says hello
    for: greeter
    task: Say hello.
    model:
      - text: Hello!
    expect: {status: done}
    ---
    name: greeter
    context: {system: You greet.}
    ```

    Fix: correct the path, which begins at the folder of the scenario, or the name of an agent of the same file.
    """

    code = "AS108"
    title = "scenario for a spec that is not there"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        target = subject.text("for")
        if subject.kind != "scenario" or target is None or "${" in target:
            return
        tried = tried_by(subject)
        vain = [] if tried is None else [*set_in_vain(subject, tried)]
        yield from vain
        if not looks_like_file(target):
            yield from self._of_own_file(subject, target)
            return
        if tried is None:
            file = Path(subject.source.name).parent / split_reference(target)[0]
            yield self.finding(subject.span("for"), no_such_file(file), path=("for",))
            return
        message, help_text, meant = _wrong(tried, target)
        if message and not vain:
            span = subject.span("for")
            related = (Related(tried.errors[0].span, "here"),) if tried.errors and not help_text else ()
            fix = rename(span, target, meant)
            yield self.finding(span, message, path=("for",), help=help_text, related=related, fix=fix)

    def _of_own_file(self, subject: Subject, target: str) -> Iterator[Diagnostic]:
        if not subject.is_whole or target in subject.agents:
            return
        span = subject.span("for")
        meant, help_text = way_out(target, subject.agents, "agents of this file")
        help_text = help_text or "name a file, such as `triage.yaml`, or an agent of this file"
        message = f"there is no agent `{target}` in this file"
        yield self.finding(span, message, path=("for",), help=help_text, fix=rename(span, target, meant))


def _wrong(tried: Tried, target: str) -> tuple[str, str | None, str | None]:
    """What is wrong with a target in a file, the way out where it is another name, and the word that was meant."""
    file, name = split_reference(target)
    named = {each: kind_of(one) for one in tried.composed.parsed.documents if (each := name_of(one)) is not None}
    agents = [each for each, kind in named.items() if kind == "agent"]
    if name is not None and name not in named:
        meant, help_text = way_out(name, agents, f"agents of `{file}`")
        help_text = help_text or "it holds no agent"
        return f"there is no agent `{name}` in `{file}`", help_text, None if meant is None else f"{file}#{meant}"
    if name is None and len(agents) > 1:
        return f"`{file}` holds several agents", f"name one of them, such as `{file}#{agents[0]}`", None
    if tried.composed.kind != "agent":
        return f"`{target}` is a {tried.composed.kind}, and a scenario tries an agent", None, None
    return (f"`{target}` does not check: {tried.errors[0].message}" if tried.errors else ""), None, None
