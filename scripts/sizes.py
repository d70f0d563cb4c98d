"""sizes: print the ten largest files and the ten longest functions. A guide to look at, not a gate."""

import ast
from pathlib import Path


def main() -> None:
    files = {path: path.read_text(encoding="utf-8") for path in Path("agentspec").rglob("*.py")}
    for path, text in sorted(files.items(), key=lambda item: -item[1].count("\n"))[:10]:
        print(f"{text.count(chr(10)):5} {path}")
    functions = [
        ((node.end_lineno or node.lineno) - node.lineno + 1, f"{path}:{node.lineno} {node.name}")
        for path, text in files.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for length, name in sorted(functions, reverse=True)[:10]:
        print(f"{length:5} {name}")


if __name__ == "__main__":
    main()
