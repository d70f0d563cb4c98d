"""AS101 missing key."""

from agentspec.checker.rule import Rule


class MissingKey(Rule):
    """A key that has to be there is missing.

    Why: without it the document says too little to be run: an agent has no name, a request no address.

    Bad:

    ```yaml
    name: prices
    capability:
      tools:
        rate:
          description: The rate of the day
          http: {method: GET}
    ```

    Good:

    ```yaml
    name: prices
    capability:
      tools:
        rate:
          description: The rate of the day
          http: {method: GET, url: "https://rates.example.org/today"}
    ```

    Fix: add the key. In a preset, and in what another layer completes, nothing is missing: only the whole spec is
    asked.
    """

    code = "AS101"
    title = "missing key"
    severity = "error"
