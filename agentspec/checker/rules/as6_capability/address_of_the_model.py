"""AS632 address that the model chooses."""

from collections.abc import Iterator

from agentspec.checker.questions.exposure import open_address
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class AddressOfTheModel(Rule):
    """A tool calls whatever host its arguments name.

    Why: whoever steers the model then chooses where a request goes, with its headers and its body. Addresses of private
    networks are refused at the run; any public host is not.

    Bad:

    ```yaml
    name: status
    capability:
      tools:
        ping:
          description: Asks a service how it is
          parameters: {host: string}
          http: {method: GET, url: "https://${args.host}/status"}
    ```

    Good:

    ```yaml
    name: status
    capability:
      tools:
        ping:
          description: Asks a service how it is
          parameters: {service: {enum: [shop, mail]}}
          http: {method: GET, url: "https://status.example.org/${args.service}"}
    ```

    Fix: write the host, and leave only the path or the query to the model; or offer the toolkit `web.fetch`, whose
    `hosts` say where it may go.
    """

    code = "AS632"
    title = "address that the model chooses"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools:
            if (span := open_address(tool)) is not None:
                yield self.finding(
                    span,
                    f"the host that `{tool.name}` calls comes from its arguments",
                    path=(*tool.path, "http", "url"),
                    help="write the host, or offer `web.fetch` with `hosts`",
                )
