"""The defects that other systems miss or tell badly, in our language: code, exact place and the way out.

⟦…⟧ marks the place that the finding must point at. Each row gives that finding and no other (notes on keys that are
not in effect aside); where a row has a mended text, `--fix` writes it.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from agentspec.checker.check import check_paths
from agentspec.checker.fixes import ALLOWED
from agentspec.checker.mend import mend_paths

OPEN, CLOSE = "⟦", "⟧"


class Row(NamedTuple):
    defect: str
    text: str
    code: str
    help: str | None
    mended: str | None = None  # the place after `--fix`
    file: str = "a.yaml"


ROWS = (
    Row(
        "misspelt safety key: a policy",
        "name: a\ncapability:\n  toolkits: [files.read]\n  ⟦aproval⟧: {default: ask}\n",
        "AS102",
        "did you mean `approval`?",
        "approval",
    ),
    Row(
        "misspelt safety key: a budget",
        "name: a\nexecution:\n  limits: {⟦cost_us⟧: 0.5}\n",
        "AS102",
        "did you mean `cost_usd`?",
        "cost_usd",
    ),
    Row("misspelt core key", "name: a\ncontext:\n  ⟦sytem⟧: You help.\n", "AS102", "did you mean `system`?", "system"),
    Row("misspelt section", "name: a\n⟦contxt⟧:\n  system: You help.\n", "AS102", "did you mean `context`?", "context"),
    Row(
        "misspelt key in the DSL",
        "agent a {\n  execution { ⟦max_iteratons⟧: 3 }\n}\n",
        "AS102",
        "did you mean `max_iterations`?",
        "max_iterations",
        "a.agent",
    ),
    Row(
        "unknown kind: a toolkit",
        "name: a\ncapability:\n  toolkits: [⟦files.red⟧]\n",
        "AS204",
        "did you mean `files.read`?",
        "files.read",
    ),
    Row(
        "unknown type of a parameter",
        "name: a\ncapability:\n  tools:\n    t: {description: x, parameters: {p: ⟦strng⟧}, expr: args.p}\n",
        "AS212",
        "did you mean `string`?",
        "string",
    ),
    Row(
        "dangling tool",
        "name: a\ncapability: {toolkits: [files.read]}\nexecution: {require_successful_tools: [⟦read_fil⟧]}\n",
        "AS601",
        "did you mean `read_file`?",
        "read_file",
    ),
    Row(
        "dangling agent",
        'agent lead {\n  capability {\n    tool ask(task: string) "Asks" { agent: ⟦expret⟧ }\n  }\n}\nagent expert { }\n',
        "AS621",
        "did you mean `expert`?",
        "expert",
        "a.agent",
    ),
    Row(
        "a policy for a tool that does not exist",
        "name: a\ncapability:\n  toolkits: [files.edit]\n  approval: {rules: [{tool: ⟦'rm_*'⟧, decision: deny}]}\n",
        "AS602",
        "this spec has `create_directory`, `delete_path`, `edit_file`, `patch_file`, `write_file`",
    ),
    Row(
        "duplicate key",
        "name: a\nexecution:\n  max_iterations: 1\n  ⟦max_iterations⟧: 2\n",
        "AS005",
        None,
    ),
    Row(
        "wrong type of a number",
        "name: a\nmodel: {temperature: ⟦hot⟧}\n",
        "AS201",
        None,
    ),
    Row(
        "wrong type of a boolean",
        "name: a\nexecution: {loop_until_done: ⟦maybe⟧}\n",
        "AS201",
        None,
    ),
    Row(
        "unknown provider",
        "name: a\nmodel: {provider: ⟦opnai⟧}\n",
        "AS801",
        "did you mean `openai`?",
        "openai",
    ),
    Row(
        "condition on an undeclared field",
        "name: a\nexecution:\n  loop_control: [{when: completion.⟦vetod⟧, stop: x}]\n",
        "AS303",
        "did you mean `vetoed`?",
        "vetoed",
    ),
    Row(
        "condition on an unknown name",
        "name: a\nexecution:\n  loop_control: [{when: ⟦completon⟧.vetoed, stop: x}]\n",
        "AS302",
        "did you mean `completion`?",
        "completion",
    ),
    Row(
        "value outside of its words",
        "name: a\nexecution: {profile: ⟦verifer⟧}\n",
        "AS204",
        "did you mean `verifier`?",
        "verifier",
    ),
    Row(
        "a rule that nothing reaches",
        "name: a\nexecution:\n  loop_control:\n"
        "    - {when: completion.vetoed, stop: x}\n    - {when: ⟦completion.vetoed⟧, stop: y}\n",
        "AS512",
        "put the narrower rule first, or take one of them away",
    ),
    Row(
        "unknown preset",
        "name: a\nextends: ⟦audt⟧\n",
        "AS401",
        None,
        "audit",
    ),
    Row(
        "undeclared template variable",
        "name: a\ninputs: {branch: string}\ncontext:\n  system: |\n    You audit\n    ${inputs.⟦brnch⟧}.\n",
        "AS303",
        "did you mean `branch`?",
        "branch",
    ),
    Row(
        "unterminated template",
        "name: a\ninputs: {branch: string}\ncontext:\n  system: ${inputs.branch} and ⟦${⟧inputs.branch\n",
        "AS330",
        "add `}`; a literal `${` is written `$${`",
    ),
    Row(
        "placeholder of another template language",
        "name: a\ninputs: {branch: string}\ncontext:\n  system: ${inputs.branch}, ⟦{{ branch }}⟧\n",
        "AS709",
        "write `${inputs.branch}`",
    ),
    Row(
        "unterminated string",
        'name: a\ncontext:\n  system: ⟦"⟧You help.\nmodel: {}\n',
        "AS012",
        'close the text with `"`',
    ),
    Row("unterminated block", "name: a\nmodel: ⟦{⟧provider: openai\n", "AS012", "close it with `}`"),
    Row(
        "broken expression",
        "name: a\nexecution:\n  loop_control: [{when: 'iteration ⟦>⟧', stop: x}]\n",
        "AS301",
        None,
    ),
    Row(
        "type error in a condition",
        "name: a\nexecution:\n  loop_control: [{when: iteration ⟦>⟧ 'three', stop: x}]\n",
        "AS306",
        None,
    ),
    Row(
        "a parameter that the handler misspells",
        "name: a\ncapability:\n  tools:\n    t: {description: x, parameters: {word: string}, expr: args.⟦wrd⟧}\n",
        "AS303",
        "did you mean `word`?",
        "word",
    ),
)


def unmarked(row: Row) -> tuple[str, int, int]:
    start = row.text.index(OPEN)
    end = row.text.index(CLOSE) - len(OPEN)
    return row.text.replace(OPEN, "").replace(CLOSE, ""), start, end


@pytest.mark.parametrize("row", ROWS, ids=[row.defect for row in ROWS])
def test_a_defect_is_found_at_its_place_with_the_way_out_and_nothing_else(tmp_path, row):
    text, start, end = unmarked(row)
    path = tmp_path / row.file
    path.write_text(text)

    found = [one for one in check_paths([path]).diagnostics if one.code != "AS902"]

    assert [(one.code, one.span.start, one.span.end) for one in found] == [(row.code, start, end)]
    if row.help is not None:
        assert found[0].help == row.help


@pytest.mark.parametrize("row", [row for row in ROWS if row.mended], ids=[row.defect for row in ROWS if row.mended])
def test_a_misspelling_is_mended_and_the_rest_of_the_file_stays(tmp_path, row):
    text, start, end = unmarked(row)
    path = tmp_path / row.file
    path.write_text(text)

    mended = mend_paths([path], ALLOWED["safe"])

    assert path.read_text() == text[:start] + row.mended + text[end:]
    left = [one.code for one in mended.report.diagnostics if one.severity != "note"]
    assert left == []


def test_every_error_of_a_file_comes_in_one_pass(tmp_path: Path):
    path = tmp_path / "a.yaml"
    path.write_text(
        "name: a\nmodel: {provder: openai, temperature: hot}\nexecution:\n  max_iteratons: 3\n  profile: verifer\n"
        "  loop_control: [{when: completon.vetoed, stop: x}]\n  require_successful_tools: [read_fil]\n"
        "capability: {toolkits: [files.read]}\ncontext:\n  sytem: x\n"
    )

    found = [(one.span.first.line, one.code) for one in check_paths([path]).diagnostics if one.severity == "error"]

    assert found == [
        (2, "AS102"),
        (2, "AS201"),
        (4, "AS102"),
        (5, "AS204"),
        (6, "AS302"),
        (7, "AS601"),
        (10, "AS102"),
    ]
