"""AS204 unknown word."""

from agentspec.checker.rule import Rule


class UnknownWord(Rule):
    """A key takes one of a few words, and this is none of them.

    Why: an unknown word would leave the key without a meaning.

    Bad:

    ```yaml
    name: triage
    execution:
      profile: verifyer
    ```

    Good:

    ```yaml
    name: triage
    execution:
      profile: verifier
    ```

    Fix: use the word that is offered, or one that the finding lists. Words of other systems are known and lead to
    the one here.
    """

    code = "AS204"
    title = "unknown word"
    severity = "error"
