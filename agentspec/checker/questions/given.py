"""given: the inputs that a scenario gives its agent, against those that the agent declares."""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.checker.questions.tried import sound
from agentspec.checker.subject import Subject
from agentspec.compose.inputs import missing_inputs, read_inputs
from agentspec.text.diagnostic import Diagnostic, Related

INPUTS = "inputs"


def given_to_agent(subject: Subject, code: str) -> Iterator[Diagnostic]:
    """The findings of one code, at the places of the scenario."""
    agent = sound(subject)
    if agent is None or not subject.is_sound(INPUTS):
        return
    values = subject.values(INPUTS)
    for found in read_inputs(agent.root, values).findings:
        if found.code == code:
            name = found.span.source.name.removeprefix("input ")
            span = subject.key(INPUTS, name) if found.path == INPUTS else subject.span(INPUTS, name)
            yield found._replace(span=span, path=f"{INPUTS}.{name}")
    for found in missing_inputs(agent.root, values):
        if found.code == code:
            name = found.path.partition(".")[2]
            place = INPUTS if subject.at(INPUTS) is not None else "for"
            help_text = f"add `{name}` to `inputs` of the scenario, or declare a default"
            declared = (Related(found.span, "it is declared here"),)
            yield found._replace(span=subject.key(place), path=INPUTS, help=help_text, related=declared)
