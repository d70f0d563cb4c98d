"""commands: every command, where it is, and the exit codes of them all. Plain tables; nothing is imported for them."""

from __future__ import annotations

from collections.abc import Mapping

# What a program can rely on. A bug has a code of its own (`EX_SOFTWARE` of sysexits.h), apart from 3, "suspended".
EXIT_OK, EXIT_FINDINGS, EXIT_USAGE, EXIT_BUG, EXIT_INTERRUPT = 0, 1, 2, 70, 130

Commands = Mapping[str, tuple[str, str]]

# Every command: the module that has it as `command`, and what it does in a line.
COMMANDS: Commands = {
    "check": ("agentspec.cli.check", "find what is wrong in specs, before a run"),
    "show": ("agentspec.cli.show", "print a spec as it is after presets, inputs and defaults"),
    "explain": ("agentspec.cli.explain", "tell what a finding, a key, a tool or a preset means"),
    "fmt": ("agentspec.cli.fmt", "bring specs into their one form, in place"),
    "convert": ("agentspec.cli.convert", "print a spec in another spelling: the DSL, YAML or JSON"),
    "schema": ("agentspec.cli.schema", "print the JSON Schema of the spec format, for editors"),
    "preset": ("agentspec.cli.preset", "list, show and compare presets"),
    "lib": ("agentspec.cli.lib", "add, lock, verify, list and upgrade the libraries that specs use"),
    "plan": ("agentspec.cli.plan", "tell what a run would be and can use at most, before it is one"),
    "authority": ("agentspec.cli.authority", "tell what a spec may do in the end, and what another may do more"),
    "run": ("agentspec.cli.run", "run a spec on a task"),
    "resume": ("agentspec.cli.resume", "go on with an interrupted or crashed run"),
    "runs": ("agentspec.cli.runs", "list, show, export and delete runs"),
    "replay": ("agentspec.cli.replay", "derive a run from its journal again, and compare"),
    "mcp": ("agentspec.cli.mcp", "look at the MCP servers of a spec, and accept what they offer"),
    "test": ("agentspec.cli.test", "play scenarios: scripted models, simulated persons, what must come out"),
    "models": ("agentspec.cli.models", "list the models of the catalogue: windows, prices, what is configured"),
    "lsp": ("agentspec.cli.lsp", "serve an editor: findings as you type, completion, hover, rename, fixes"),
    "doctor": ("agentspec.cli.doctor", "say what is configured, what reaches and what is missing"),
    "init": ("agentspec.cli.init", "start a project that checks and runs"),
}

# Commands that are to come.
LATER = frozenset(
    (
        "report",
        "serve",
        "chat",
    )
)

# Words that people bring from other tools.
FOREIGN = {
    "lint": "check",
    "validate": "check",
    "exec": "run",
    "new": "init",
    "create": "init",
    "describe": "show",
    "inspect": "show",
    "format": "fmt",
    "list": "runs",
}
