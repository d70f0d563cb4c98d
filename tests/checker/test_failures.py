"""What has gone wrong in other systems' spec files, and what happens here: all findings of each document."""

import pytest

from agentspec.checker.check import Options, check_paths


def found(tmp_path, text: str, name: str = "a.yaml", **options: bool) -> list[tuple[str, str]]:
    path = tmp_path / name
    path.write_bytes(text.encode())
    report = check_paths([path], Options(ignore=("AS902",), **options))
    return [(one.code, one.span.text) for one in report.diagnostics]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Unknown keys are errors at every level.
        ("name: a\ncontext: {instructions: You help.}\n", [("AS102", "instructions")]),
        ("name: a\nmodel: {retry: {max_atempts: 3}}\n", [("AS102", "max_atempts")]),
        # The second of two keys is told, with the first beside it.
        ("name: a\nexecution: {max_iterations: 1, max_iterations: 2}\n", [("AS005", "max_iterations")]),
        # Only `true` and `false` are booleans.
        ("name: a\nexecution: {loop_until_done: yes}\n", [("AS210", "yes")]),
        ("name: on\n", []),
        # A version is text in one form.
        ("name: a\nversion: 1.10\n", [("AS209", "1.10")]),
        # A tab is named, and the rest is still checked.
        ("name: a\nexecution:\n\tmax_iterations: 3\nmodel: {provider: opnai}\n", [("AS006", "\t"), ("AS801", "opnai")]),
        # One form of placeholder; every other dollar sign and brace is text.
        ("name: a\ncontext: {system: 'x ${env.REPO}'}\n", [("AS332", "env")]),
        ("name: a\ncontext: {system: 'match .*\\.md$, $2a$14$abc, $HOME and $${x}'}\n", []),
        ('name: a\ncontext: {system: \'Answer as {"name": "x"}, {x} or {{y}}\'}\n', []),
        # A list where a mapping is wanted.
        ("name: a\ncapability: {tools: [a, b]}\n", [("AS201", "[a, b]")]),
        # Paths of Windows in double quotes.
        ('name: a\nmodel: {options: {file: "C:\\Users\\new"}}\n', [("AS025", "\\U")]),
        # Words that a flow list, a comment or a tag would cut out of an expression.
        ("name: a\nexecution: {loop_control: [{when: !x, stop: y}]}\n", [("AS010", "!x")]),
        ("name: a\nexecution:\n  loop_control:\n    - when: a ? b : c\n      stop: x\n", [("AS013", ":")]),
        # A judge that is asked every turn is due; one turn is a turn.
        ("name: a\nexecution: {turn_end_condition: {cadence: {every: 1}}, max_iterations: 1}\n", []),
        # Limits that contradict each other are told before anything is spent.
        (
            (
                "name: a\nexecution: {limits: {tool_calls: 1}, require_successful_tools: [read_file, find_files]}\n"
                "capability: {toolkits: [files.read]}\n"
            ),
            [("AS505", "1")],
        ),
    ],
)
def test_a_document_gives_exactly_these_findings(tmp_path, text, expected):
    assert found(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "cause", "consequence"),
    [
        ("name: a\nmodel: {provider:openai}\n", ("AS015", ":"), ("AS102", "provider:openai")),
        (
            'name: a\ncapability: {toolkits: [files.read: {root: "C:\\temp"}]}\n',
            ("AS025", "\\t"),
            ("AS633", '"C:\\temp"'),
        ),
    ],
)
def test_what_only_follows_from_a_misread_word_is_left_out_unless_asked_for(tmp_path, text, cause, consequence):
    assert found(tmp_path, text) == [cause]
    assert sorted(found(tmp_path, text, shows_consequences=True)) == sorted([cause, consequence])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "name: 'null'\ndescription: 'true'\nx-on: on\n"),
        ("a.yaml", "name: a\nmodel: {seed: 9223372036854775807}\n"),
        ("a.yaml", "name: a\ncontext:\n  system: |\n" + "    You look at every file. \n" * 7000),
        ("with spaces: and, more.yaml", "name: a\n"),
        ("a.yaml", "name: a\ncontext:\n  system: |\n    Write to C:\\temp\\new, 50% of {all} #1 & <b>.\n"),
        ("a.json", '{"name": "a", "execution": {"max_iterations": 3}}'),
        ("a.yaml", "\ufeffname: a\r\nmodel: {provider: openai}\r\n"),
        ("a.yaml", "x-base: &base {max_iterations: 3}\nname: a\nexecution:\n  <<: *base\n  max_nudges: 2\n"),
        (
            "a.yaml",
            "library: plat\nversion: 1.2.0\nexports: {presets: [safe]}\n---\npreset: safe\nexecution: {max_nudges: 3}\n",
        ),
        (
            "a.yaml",
            "name: b\ntask: x\n---\nscenario: works\nfor: b\ntask: x\nmodel: [{text: hello}]\nexpect: {that: result.llm.iterations <= 3}\n",
        ),
    ],
)
def test_odd_but_valid_documents_give_nothing(tmp_path, name, text):
    assert found(tmp_path, text, name) == []


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "\n\n"])
def test_an_empty_file_gives_one_finding(tmp_path, text):
    assert [code for code, _ in found(tmp_path, text)] == ["AS018"]
