"""AS022 merge of something else than a mapping."""

from agentspec.checker.rule import Rule


class MergeOfNoMapping(Rule):
    """`<<` merges something that is not a mapping.

    Why: `<<` brings the entries of a mapping, or of each mapping of a list, into the one it stands in. Anything else
    has no entries.

    Bad:

    ```yaml
    name: desk
    x-names: &names [ada, grace]
    model:
      <<: *names
      temperature: 1
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    x-calm: &calm {top_p: 0.5}
    model:
      <<: *calm
      temperature: 1
    context:
      system: Be brief.
    ```

    Fix: merge a mapping or a list of mappings. A key that is really named `<<` is written in quotes.
    """

    code = "AS022"
    title = "merge of something else than a mapping"
    severity = "error"
