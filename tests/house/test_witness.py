"""What a check sees of the file system it sees where it can be noted: a kept outcome depends on nothing else."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "agentspec"
PARTS = ("text", "syntax", "expressions", "compose", "spec", "checker")
LOOKS = {
    *("exists", "lexists", "is_file", "is_dir", "isfile", "isdir", "is_symlink", "islink", "iterdir", "glob", "rglob"),
    *("listdir", "scandir", "walk", "stat", "lstat", "resolve", "realpath", "readlink", "samefile", "expanduser"),
    *("read_text", "read_bytes", "open", "getcwd", "cwd", "getenv", "environ", "entry_points", "today"),
}
# Where such a look is noted, or belongs to no outcome: what is walked and written, and data that agentspec ships.
NOTED = {
    "text/drafts.py", "text/paths.py", "text/witness.py", "text/installed.py", "syntax/plain_file.py",
    "compose/files.py",
    "checker/rules/as6_capability/wide_root.py",  # where home is belongs to the fingerprint of a cache
}  # fmt: skip
OUTSIDE = {
    "checker/walk.py", "checker/gitignore.py", "checker/cache.py", "checker/mend.py", "checker/report.py",
    "checker/discover.py", "compose/project.py", "compose/load.py",
    "syntax/dsl/lalr.py", "syntax/dsl/build.py", "syntax/dsl/lexer.py", "syntax/replace.py", "syntax/written.py", "syntax/private.py",
    "expressions/functions.py",
    "spec/prompts.py", "spec/schema.py", "spec/catalogue.py", "text/blanks.py",
}  # fmt: skip


def looks(path: Path) -> set[str]:
    """The looks at the world outside that a module takes itself."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    methods = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    opened = {node.id for node in nodes if isinstance(node, ast.Name) and node.id == "open"}
    return (methods & LOOKS) | opened


def test_only_few_modules_look_at_the_file_system_themselves():
    looking = {
        str(path.relative_to(PACKAGE)): found
        for part in PARTS
        for path in (PACKAGE / part).rglob("*.py")
        if (found := looks(path))
    }

    assert {path: found for path, found in looking.items() if path not in NOTED | OUTSIDE} == {}
    assert set(looking) >= NOTED | OUTSIDE
