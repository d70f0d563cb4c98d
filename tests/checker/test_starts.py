"""What a run would refuse to start because of the spec itself, check finds."""

import pytest

from agentspec import check
from agentspec.api.run import run_sync
from agentspec.errors import AgentSpecError


def table(url: str, more: str = "") -> str:
    return f"capability: {{resources: {{o: {{url: '{url}', table: o, verbs: [get]{more}}}}}}}"


def action(parameters: str, sql: str) -> str:
    return table("sqlite:///a.db", f', actions: {{c: {{description: d, parameters: {parameters}, sql: ["{sql}"]}}}}')


OPENAI = "model: {provider: openai, model: m, base_url: 'http://127.0.0.1:9', "
SCRIPT = "model: {provider: script, options: {turns: [text: x]}, "
COSTLY = "execution: {limits: {cost_usd: 1}}\nmodel: {provider: openai, model: gpt-5.4, "
JUDGED = SCRIPT[:-2] + "}\nexecution: {loop_until_done: true, verify_completion_judge: "
ROWS = {
    "the name of a header": (OPENAI + "headers: {A b: x}}", "AS107", "A b"),
    "the text of a header": (OPENAI + 'headers: {A: "x\\ny"}}', "AS207", '"x\\ny"'),
    "another protocol": ("model: {provider: openai, model: m, base_url: 'ftp://x'}", "AS207", "'ftp://x'"),
    "no address": ("model: {provider: openai, model: m, base_url: nowhere}", "AS207", "nowhere"),
    "the address of a server": ("capability: {mcp: {s: {url: 'file:///x'}}}", "AS207", "'file:///x'"),
    "a field of the request": (OPENAI + "options: {messages: []}}", "AS825", "messages"),
    "a stream by an option": (OPENAI + "options: {stream: true}}", "AS825", "stream"),
    "code for a server": ("capability: {mcp: {s: {command: ['true'], env: {LD_PRELOAD: x}}}}", "AS653", "LD_PRELOAD"),
    "a program in one text": ("model: {provider: process, options: {command: cat}}", "AS804", "cat"),
    "a program of nothing": ("model: {provider: process, options: {command: []}}", "AS804", "command"),
    "a tool that changes": ("capability: {toolkits: [git: {enabled: [git_commit]}]}", "AS601", "git_commit"),
    "events outside": ("observability: {events: [{jsonl: ../x}]}", "AS726", "../x"),
    "a transcript outside": ("observability: {transcript_dir: /tmp/x}", "AS726", "/tmp/x"),
    "a schema that is gone": ("execution: {output: {schema: gone.json}}", "AS215", "gone.json"),
    "an agent that is no agent": ("capability: {tools: {t: {description: d, agent: ./a.yaml}}}", "AS640", "./a.yaml"),
    "a model of Ollama that is not named": ("model: {provider: ollama}", "AS804", "ollama"),
    "a judge of Ollama that is not named": (JUDGED + "{provider: ollama}}", "AS804", "ollama"),
    "weights that are gone": ("model: {provider: local, model: gone.gguf}", "AS823", "gone.gguf"),
    "weights that are none": ("model: {provider: local, model: a.yaml}", "AS823", "a.yaml"),
    "weights of a judge": (JUDGED + "{provider: local, model: gone.gguf}}", "AS823", "gone.gguf"),
    "weights of a shadow": (SCRIPT + "shadow: {provider: local, model: gone.gguf}}", "AS823", "gone.gguf"),
    "weights of what stands in": (SCRIPT + "fallback: ['local:gone.gguf']}", "AS823", "'local:gone.gguf'"),
    "no thread": ("model: {provider: local, options: {threads: 0}}", "AS823", "0"),
    "a template that is no text": ("model: {provider: local, options: {chat_template: 3}}", "AS823", "3"),
    "the price of what stands in": (COSTLY + "fallback: [m]}", "AS802", "m"),
    "the price of a shadow": (COSTLY + "shadow: {model: m}}", "AS802", "m"),
    "long instructions": ("context: {instructions_files: [long.md, long.md]}", "AS711", "long.md"),
    "an image that is none": ("context: {history: [{role: user, content: x, images: [a.yaml]}]}", "AS722", "a.yaml"),
    "a folder that is gone": ("capability: {toolkits: [files.read: {root: gone}]}", "AS633", "gone"),
    "a folder that is a file": ("capability: {toolkits: [command: {root: a.yaml}]}", "AS633", "a.yaml"),
    "no repository": ("capability: {toolkits: [git: {repo: .}]}", "AS633", "."),
    "where a server works": ("capability: {mcp: {s: {command: ['true'], cwd: gone}}}", "AS633", "gone"),
    "the program of a server": ("capability: {mcp: {s: {command: [./gone, x]}}}", "AS633", "./gone"),
    "a model beyond the ceiling": (OPENAI[:-2] + "}\ncapability: {ceiling: {models: [gpt*]}}", "AS636", "m"),
    "a provider beyond it": (OPENAI[:-2] + "}\ncapability: {ceiling: {providers: [google]}}", "AS636", "openai"),
    "no address of a database": (table("here"), "AS654", "'here'"),
    "another database": (table("mysql://h/d"), "AS654", "'mysql://h/d'"),
    "a database in memory": (table("sqlite:///:memory:"), "AS654", "'sqlite:///:memory:'"),
    "a database that is gone": (table("sqlite:///gone.db"), "AS654", "'sqlite:///gone.db'"),
    "what a statement binds": (action("{a: string}", "delete from o where id = :b"), "AS655", "b"),
    "the end of a transaction": (action("{}", "/* so */ COMMIT"), "AS655", '"/* so */ COMMIT"'),
    "who the run acts for": (action("{identity_user: string}", "delete from o"), "AS655", "identity_user"),
    "a port": ("model: {provider: openai, model: m, base_url: 'http://h:99999'}", "AS207", "'http://h:99999'"),
    "a host with a space": ("model: {provider: openai, model: m, base_url: 'http://a b'}", "AS207", "'http://a b'"),
    "what HTTP sets itself": (OPENAI + "headers: {Content-Length: '3'}}", "AS825", "Content-Length"),
    "an option of a judge": (JUDGED + "{provider: openai, model: m, options: {tools: []}}}", "AS825", "tools"),
    "a slot in a file": ("context: {system: {file: open.md}}", "AS330", "${"),
    "a name in a file": ("context: {prompts: {nudge.native: {file: name.md}}}", "AS303", "who"),
}
FILES = {"a.db": "", "long.md": "x" * 40_000, "open.md": "Say ${", "name.md": "Hello\r\nyou, ${inputs.who}!"}


@pytest.mark.parametrize("row", ROWS)
def test_check_finds_what_a_run_would_refuse(tmp_path, monkeypatch, row):
    section, code, word = ROWS[row]
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, newline="")
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\ntask: t\n{section}\n")

    found = [(one.code, one.span.text) for one in check(path).diagnostics if one.severity == "error"]

    assert found == [(code, word)]
    with pytest.raises(AgentSpecError):
        run_sync(path)


@pytest.mark.parametrize(
    "url", ["${env.URL}", "http://h", "HTTPS://[::1]:8080/v1", "https://user:pw@h/v1?a=${env.KEY}", " http://h "]
)
def test_addresses_that_can_be_meant_are_taken(tmp_path, url):
    (tmp_path / "a.yaml").write_text(f"name: a\nmodel: {{provider: openai, model: m, base_url: '{url}'}}\n")

    assert [one.code for one in check(tmp_path / "a.yaml").diagnostics if one.severity == "error"] == []


@pytest.mark.parametrize(
    "section",
    [
        "capability: {tools: {t: {description: d, python: 'acme.tools:t'}}}",
        "capability: {toolkits: [todo], approval: {rules: [{python: 'acme.rules:r', decision: ask}]}}",
        "execution: {loop_control: [{python: 'acme.rules:r'}]}",
        "execution: {input_guardrail: {python: 'acme.rules:r'}}",
        "model: {provider: openai, model: gpt-5.4, routes: [{model: gpt-5.4-mini, python: 'acme.rules:r'}]}",
    ],
)  # fmt: skip
def test_python_that_nobody_has_allowed_is_noted_wherever_it_stands(tmp_path, section):
    (tmp_path / "a.yaml").write_text(f"name: a\n{section}\n")

    assert [one.code for one in check(tmp_path / "a.yaml").diagnostics if one.code == "AS626"] == ["AS626"]
