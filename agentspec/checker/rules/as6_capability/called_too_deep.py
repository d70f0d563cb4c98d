"""AS640 called too deep."""

from collections.abc import Iterator

from agentspec.checker.questions.called import called_agent, calls_agents
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.documents import looks_like_file
from agentspec.text.diagnostic import Diagnostic


class CalledTooDeep(Rule):
    """A tool calls an agent of the same file that calls agents itself.

    Why: agents are called one level deep today, and the run would be refused before it starts. An agent that calls
    itself would never come to an end.

    Bad:

    ```agent
    agent lead {
      capability { tool ask(task: string) "Asks the expert" { agent: expert } }
    }

    agent expert {
      capability { tool look_up(task: string) "Asks the clerk" { agent: clerk } }
    }

    agent clerk { }
    ```

    Good:

    ```agent
    agent lead {
      capability {
        tool ask(task: string) "Asks the expert" { agent: expert }
        tool look_up(task: string) "Asks the clerk" { agent: clerk }
      }
    }

    agent expert { }

    agent clerk { }
    ```

    Fix: let the first agent call both, or give the second one the tools of the third.
    """

    code = "AS640"
    title = "called too deep"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        for tool in subject.tools_with("agent"):
            path = (*tool.path, "agent")
            name = subject.text(*path)
            if name is not None and (subject.agents.get(name) or _is_caller(subject, name)):
                message = f"`{tool.name}` calls `{name}`, which calls agents itself: they are called one level deep"
                yield self.finding(subject.span(*path), message, path=path)


def _is_caller(subject: Subject, name: str) -> bool:
    """Whether the agent of a file calls agents itself."""
    called = called_agent(subject, name) if looks_like_file(name) else None
    return called is not None and calls_agents(called)
