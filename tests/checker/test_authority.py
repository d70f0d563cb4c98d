"""What authority a spec gives is told where it is more, or less, than it says."""

import pytest

from agentspec.checker.check import check_paths

READ = "toolkits: [files.read]"
CASES = {
    # grants and denials
    ("AS603", "read_file"): f"{READ}\n  permissions: {{allow: [read_file], deny: ['read_*']}}",
    ("AS603", "list_directory"): f"{READ}\n  approval: {{rules: [{{tool: list_directory, decision: allow}}, {{tool: '*', decision: ask}}]}}",
    ("", "an exception is no contradiction"): f"{READ}\n  permissions: {{allow: ['read_*'], deny: [read_file_tail]}}",
    ("", "a narrower denial"): f"{READ}\n  permissions: {{allow: [read_file], deny: [{{tool: read_file, paths: ['*.md']}}]}}",
    ("AS624", "*"): f"{READ}\n  permissions: {{deny: ['*']}}",
    ("AS624", "deny"): f"{READ}\n  approval: {{default: deny}}",
    ("", "a default with an exception"): f"{READ}\n  approval: {{default: deny, rules: [{{tool: read_file, decision: ask}}]}}",
    ("AS656", "pth"): f"{READ}\n  permissions: {{deny: [{{tool: read_file, args: {{pth: x}}}}]}}",
    ("AS656", "place"): "toolkits: [files.read: {names: {read_file: open}}]\n  permissions: {deny: [{tool: open, args: {place: x}}]}",
    ("", "an argument of some of the tools"): f"{READ}\n  permissions: {{deny: [{{tool: 'read_*', args: {{lines: x}}}}]}}",
    ("", "tools of a server"): f"{READ}\n  mcp: {{s: {{command: [s]}}}}\n  permissions: {{deny: [{{tool: 's__*', args: {{x: y}}}}]}}",
    # servers
    ("AS610", "nosuch"): "mcp: {s: {command: [s]}}\n  tools: {t: {description: d, mcp: nosuch/x}}",
    ("AS610", "trackr*"): f"{READ}\n  mcp: {{tracker: {{command: [s]}}}}\n  approval: {{rules: [{{mcp: 'trackr*', decision: ask}}]}}",
    ("", "a pattern of servers"): f"{READ}\n  mcp: {{tracker: {{command: [s]}}}}\n  approval: {{rules: [{{mcp: 'track*', decision: ask}}]}}",
    # places
    ("AS611", "/"): "toolkits: [files.read: {root: /}]",
    ("AS612", "nowhere"): f"{READ}\n  ceiling: {{roots: [nowhere]}}",
    ("AS612", "/no/such"): f"{READ}\n  approval: {{external_roots: [/no/such]}}",
    ("AS613", "nowhere/**"): f"{READ}\n  permissions: {{allow: [{{tool: read_file, paths: ['nowhere/**']}}]}}",
    ("AS613", "/etc/*.conf"): f"{READ}\n  approval: {{rules: [{{paths: [/etc/*.conf], decision: deny}}]}}",
    ("", "names at any depth"): f"{READ}\n  approval: {{rules: [{{paths: ['*.md', '**/x/*.py', src/*.py], decision: ask}}]}}",
    ("AS631", "/"): f"{READ}\n  approval: {{external_roots: [/]}}",
    ("", "one folder"): f"{READ}\n  approval: {{external_roots: [/etc], rules: [{{paths: [/etc/*.conf], decision: deny}}]}}",
    # what the spec's own ceiling leaves out
    ("AS620", "docs"): "toolkits: [files.read: {root: docs}]\n  ceiling: {roots: [src]}",
    ("", "a part of a folder"): "toolkits: [files.read]\n  ceiling: {roots: [src]}",
    ("AS620", "git log"): "toolkits: [command: {allow: [[git, log]]}]\n  ceiling: {commands: [[git, status]]}",
    ("", "a narrower command"): "toolkits: [command: {allow: [git]}]\n  ceiling: {commands: [[git, status]]}",
    ("AS620", "b.org"): "tools: {t: {description: d, http: {url: 'https://b.org/x'}}}\n  ceiling: {hosts: ['*.a.org']}",
    ("", "some of all hosts"): "toolkits: [web.fetch: {hosts: ['*']}]\n  ceiling: {hosts: [a.org]}",
    ("AS507", "the ceiling ends the run first"): f"{READ}\n  ceiling: {{limits: {{tokens: 90000}}}}\nexecution: {{limits: {{tokens: 90001}}}}",
    ("", "a limit below"): f"{READ}\n  ceiling: {{limits: {{tokens: 90000}}}}\nexecution: {{limits: {{tokens: 90000}}}}",
    # hosts
    ("AS618", "169.254.169.254"): "toolkits: [web.fetch: {hosts: [169.254.169.254, docs.example.org]}]",
    ("AS618", "[::1]:80"): "toolkits: [web.fetch: {hosts: ['[::1]:80']}]",
    ("", "public names"): "toolkits: [web.fetch: {hosts: [10.example.org, 8.8.8.8, localhost.example.org]}]",
    ("AS632", "${args.host}"): "tools: {t: {description: d, parameters: {host: string}, http: {url: '${args.host}/x'}}}",
    ("", "a path of the model's"): "tools: {t: {description: d, parameters: {p: string}, http: {url: 'https://a.example.org/${args.p}'}}}",
    # programs
    ("AS634", "there is no program `./gone`"): "tools: {t: {description: d, run: [./gone]}}",
    ("AS634", "`./a.yaml` can't be started"): "tools: {t: {description: d, run: [./a.yaml]}}",
    ("", "a program of the machine"): "tools: {t: {description: d, run: [gone]}, u: {description: d, run: [/opt/gone]}}",
    ("AS629", "none"): "sandbox: {mode: none}\n  tools: {t: {description: d, parameters: {p: string}, run: [make, '${args.p}']}}",
    ("", "one fixed command"): "sandbox: none\n  tools: {t: {description: d, run: [make, test]}}",
    ("AS609", "sort -o"): "toolkits: [command: {allow: [[sort, -o]]}]",
    ("AS609", "awk"): "toolkits: [command: {allow: [make, awk]}]",
    ("AS609", "git config"): "toolkits: [command: {allow: [[git, config]]}]",
    ("", "whole commands"): "toolkits: [command: {allow: [[git, commit, -m], [timeout, '10', make], [tar, -xf, a.tar]]}]",
}  # fmt: skip
DAEMON = "\nlifecycle: {daemon: {wake_interval: 5m}}"
ASKING = (
    "approval: {default: ask}\n  toolkits: [files.edit]",
    "middleware: [consent]\n  toolkits: [files.edit]",
    "permissions: {allow: [read_file]}\n  toolkits: [files.read]",
    "toolkits: [command]",
    "toolkits: [command: {allow: [make], allow_else: ask}]",
    "toolkits: [web.fetch]",
)
SILENT = (
    "permissions: {allow: [read_file], on_escalation: deny}\n  toolkits: [files.read]",
    "toolkits: [command: {allow: [make]}, web.fetch: {hosts: [docs.example.org]}]",
)


def told(tmp_path, capability):
    (tmp_path / "src").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "a.yaml").write_text(f"name: a\ncapability:\n  {capability}\n")
    return [one for one in check_paths([tmp_path / "a.yaml"]).diagnostics if not one.code.startswith("AS9")]


@pytest.mark.parametrize(("case", "capability"), CASES.items(), ids=lambda value: " ".join(value)[:40])
def test_authority_that_is_not_what_it_says_is_told_at_its_place(tmp_path, case, capability):
    code, words = case

    findings = told(tmp_path, capability)

    assert [one.code for one in findings] == ([code] if code else [])
    assert all(words in one.span.text or words in one.message for one in findings)


@pytest.mark.parametrize("capability", [*ASKING, *SILENT])
def test_a_daemon_that_would_ask_is_told(tmp_path, capability):
    findings = told(tmp_path, capability + DAEMON)

    assert [one.code for one in findings] == (["AS616"] if capability in ASKING else [])
