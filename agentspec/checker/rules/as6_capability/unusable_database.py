"""AS654 database that cannot be opened."""

from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.checker.questions.looked_for import looked_for
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_file

FORM = "write `sqlite:///FILE` or `postgresql://USER@HOST/NAME`"
SQLITE, POSTGRESQL = ("sqlite", "sqlite+pysqlite"), ("postgresql", "postgresql+psycopg")


class UnusableDatabase(Rule):
    """A table's `url` is no address of a database that tables can be of, or names a file that is not there.

    Why: the run would not start. A SQLite database is a file, whose path counts from the project folder; the other kind
    is PostgreSQL, by `psycopg`. Nothing is said of an address that comes from the environment.

    Bad:

    ```yaml
    name: shop
    capability:
      resources:
        orders: {url: "mysql://shop.example.org/shop", table: orders, verbs: [get]}
    ```

    Good:

    ```yaml
    name: shop
    capability:
      resources:
        orders: {url: "${env.DATABASE_URL}", table: orders, verbs: [get]}
    ```

    Fix: write `sqlite:///FILE` or `postgresql://USER@HOST/NAME`, or `${env.NAME}` where it differs by machine.
    """

    code = "AS654"
    title = "database that cannot be opened"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for entry in subject.entries("capability", "resources") if subject.kind == "agent" else ():
            path = ("capability", "resources", entry.name, "url")
            url = subject.text(*path)
            problem = None if url is None or "${" in url else _problem(subject.project, url)
            if problem is not None:
                span = subject.span(*path)
                help_text = looked_for(subject, _file(url), span) if url and _file(url) else FORM
                yield self.finding(span, problem, path=path, help=help_text)


def _problem(project: FilePath, url: str) -> str | None:
    driver, separator, _ = url.partition("://")
    if not separator or not driver.replace("+", "").replace("_", "").isalnum():
        return "this is no address of a database"
    if driver in POSTGRESQL:
        return None
    if driver not in SQLITE:
        return f"`{driver}` is no database that tables can be of"
    file = _file(url)
    if not file:
        return "a SQLite database is a file here"
    return None if is_file(project / file) else f"there is no database `{file}`"


def _file(url: str) -> str:
    """The file of an address of SQLite; empty where it has none."""
    driver, _, rest = url.partition("://")
    is_file_address = driver in SQLITE and rest.startswith("/") and "?" not in rest and rest != "/:memory:"
    return rest[1:] if is_file_address else ""
