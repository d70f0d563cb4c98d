"""AS010 YAML tag."""

from agentspec.checker.rule import Rule


class ForeignTag(Rule):
    """A value has a YAML tag.

    Why: tags make other readers construct objects or include files; a spec is data. The only tags are `!unset` and
    `!final`. An expression that begins with `!` looks like a tag and needs quotes.

    Bad:

    ```yaml
    name: desk
    execution:
      loop_control:
        - when: !completion.vetoed
          stop: incomplete
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    execution:
      loop_control:
        - when: '!completion.vetoed'
          stop: incomplete
    context:
      system: Be brief.
    ```

    Fix: remove the tag, or put the text in quotes.
    """

    code = "AS010"
    title = "YAML tag"
    severity = "error"
