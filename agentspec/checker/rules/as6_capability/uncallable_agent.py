"""AS650 agent that its tool cannot call."""

from collections.abc import Iterator

from agentspec.checker.questions.called import called_agent, calls_agents, errors_of
from agentspec.checker.questions.offered import Tool
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.documents import looks_like_file
from agentspec.compose.inputs import declared_inputs
from agentspec.compose.load import Composed, unset_inputs
from agentspec.syntax.tree import Path, find
from agentspec.text.diagnostic import Diagnostic, Related

OF_CALLS = frozenset(("task", "context", "schema"))  # parameters that need not be inputs
WAY_OUT = "the parameters of an agent are its inputs, `task` and `context`"


class UncallableAgent(Rule):
    """A tool calls an agent that cannot run as it is called.

    Why: a run would refuse to start. The agent has to check, and to have a task and a value for each of its inputs:
    its own, or one that the model gives as a parameter of the tool.

    Bad:

    ```agent
    agent lead {
      capability {
        tool ask(question: string) { description: "Asks the expert"  agent: expert }
      }
    }

    agent expert { }
    ```

    Good:

    ```agent
    agent lead {
      capability {
        tool ask(task: string) { description: "Asks the expert"  agent: expert }
      }
    }

    agent expert { }
    ```

    Fix: name the parameters as the inputs of the agent, or leave them out: then they are `task` and `context`.
    """

    code = "AS650"
    title = "agent that its tool cannot call"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        for tool in subject.tools_with("agent"):
            path = (*tool.path, "agent")
            name = subject.text(*path)
            called = None if name is None else called_agent(subject, name)
            if name is None or called is None or calls_agents(called):
                continue
            if called.kind != "agent":
                message = f"`{name}` is a {called.kind}, and only agents can be called"
                yield self.finding(subject.span(*path), message, path=path)
            elif looks_like_file(name) and (wrong := _wrong(called)):
                message = f"the agent in `{name}` does not check: {wrong[0].message}"
                yield self.finding(subject.span(*path), message, path=path, related=(Related(wrong[0].span, "here"),))
            elif not errors_of(called):
                yield from self._misfits(subject, tool, called, path)

    def _misfits(self, subject: Subject, tool: Tool, called: Composed, path: Path) -> Iterator[Diagnostic]:
        name = subject.text(*path)
        inputs = declared_inputs(called.tree).keys()
        given = {entry.name: entry for _, entry in tool.parameters}
        for word, entry in given.items():
            if word not in OF_CALLS | inputs:
                message = f"`{name}` has no input `{word}`"
                yield self.finding(entry.key.span, message, path=(*tool.path, "parameters", word), help=WAY_OUT)
        if given and "task" not in given and find(called.tree, ("task",)) is None:
            message = f"`{name}` has no `task` of its own, and the tool gives it none"
            yield self.finding(subject.span(*path), message, path=path, help="add a parameter `task: string`")
        for unset in unset_inputs(called):
            word = unset.path.partition(".")[2]
            if word not in given:
                message = f"the input `{word}` of `{name}` has no value"
                help_ = f"add a parameter `{word}`, or declare a default"
                related = (Related(unset.span, "the input"),)
                yield self.finding(tool.key, message, path=tool.path, help=help_, related=related)


def _wrong(called: Composed) -> list[Diagnostic]:
    """The errors of an agent that stands in another file, as its own check finds them."""
    from agentspec.checker.check import agents_in, check_composed  # noqa: PLC0415 - it loads the rules, as here

    if found := errors_of(called):
        return found
    return [one for one in check_composed(called, agents_in(called.parsed)) if one.severity == "error"]
