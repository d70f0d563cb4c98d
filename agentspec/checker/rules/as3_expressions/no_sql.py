"""AS326 condition on rows that no database can carry out."""

from agentspec.checker.rule import Rule


class NoSql(Rule):
    """A `where` of a resource has a part that has no equal in SQL.

    Why: rows are chosen by the database, before anything is read; a condition that was tested afterwards would have
    seen the rows that it hides. Only what means the same in CEL and in SQL can stand there: comparisons, `in`, `&&`,
    `||`, `!`, `has`, `startsWith`, `endsWith`, `contains`, columns, literals and the identity.

    Bad:

    ```yaml
    name: shop
    capability:
      resources:
        orders:
          url: "${env.DATABASE_URL}"
          table: orders
          verbs: [search]
          where: text.lower(row.owner) == identity.user
    ```

    Good:

    ```yaml
    name: shop
    capability:
      resources:
        orders:
          url: "${env.DATABASE_URL}"
          table: orders
          verbs: [search]
          where: row.owner == identity.user
    ```

    Fix: compare columns as they are stored; what has to be calculated belongs into a view of the database.
    """

    code = "AS326"
    title = "condition on rows that no database can carry out"
    severity = "error"
