"""AS605 tool name that providers refuse."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.core.offer.server_names import LONGEST
from agentspec.text.diagnostic import Diagnostic


class LongName(Rule):
    """A tool's name, put together from a verb and a resource, is longer than providers take.

    Why: names of tools have at most 64 characters with every provider, and one that is longer fails each request.

    Bad:

    ```yaml
    name: shop
    capability:
      resources:
        orders_of_customers_that_have_not_been_paid_within_thirty_days:
          url: "${env.DATABASE_URL}"
          table: orders
          verbs: [search]
    ```

    Good:

    ```yaml
    name: shop
    capability:
      resources:
        unpaid_orders:
          url: "${env.DATABASE_URL}"
          table: orders
          verbs: [search]
    ```

    Fix: choose a shorter name.
    """

    code = "AS605"
    title = "tool name that providers refuse"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        told = set()
        for one in subject.offered:
            if len(one.name) > LONGEST and one.path not in told and subject.is_sound(*one.path):
                told.add(one.path)
                yield self.finding(
                    one.span,
                    f"`{one.name}` has {len(one.name)} characters, and providers take {LONGEST}",
                    path=one.path,
                    help="choose a shorter name",
                )
