"""What a report looks like to other programs."""

import json
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest

from agentspec.checker.check import check_paths
from agentspec.checker.discover import all_rules
from agentspec.checker.formats import github, sarif, text
from agentspec.checker.formats import json as json_format
from agentspec.checker.report import Report
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, Related
from agentspec.text.source import Source, Span

# The schema of SARIF 2.1.0 as the standard's own matchers for tests ship it (npm: @microsoft/jest-sarif, MIT).
SARIF = jsonschema.Draft4Validator(json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_bytes()))
SOURCE = Source("spécs/a b.yaml", "name: a\nmodel:\n  provider: 'opnai'\n")
OTHER = Source("base.yaml", "preset: b\n")
PLACE = Span(SOURCE, 27, 32)


def report(*diagnostics: Diagnostic) -> Report:
    return Report(list(diagnostics), ("spécs/a b.yaml",))


FULL = Diagnostic(
    "AS801",
    "error",
    "unknown provider `opnai`",
    PLACE,
    "model.provider",
    "did you mean `openai`?",
    Fix("rename to `openai`", (Edit(PLACE, "openai"), Edit(Span(OTHER, 0, 6), "x"))),
    (Related(Span(OTHER, 8, 9), "it comes from here"),),
)
LONG = Diagnostic("AS701", "warning", "100% a: b,\nc", Span(SOURCE, 0, 20))


def test_json_names_the_file_of_an_edit_elsewhere():
    value = json.loads(json_format.render(report(FULL)))["diagnostics"][0]

    assert value["fix"]["edits"] == [
        {"range": {"start": {"line": 3, "column": 13}, "end": {"line": 3, "column": 18}}, "text": "openai"},
        {
            "file": "base.yaml",
            "range": {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 7}},
            "text": "x",
        },
    ]
    assert value["related"] == [
        {
            "file": "base.yaml",
            "range": {"start": {"line": 1, "column": 9}, "end": {"line": 1, "column": 10}},
            "message": "it comes from here",
        }
    ]


def test_github_escapes_what_would_end_a_property_or_a_message():
    assert github.render(report(FULL, LONG)) == (
        "::error file=spécs/a b.yaml,line=3,endLine=3,col=13,endColumn=17,title=AS801::"
        "unknown provider `opnai`%0Adid you mean `openai`?\n"
        "::warning file=spécs/a b.yaml,line=1,endLine=3,title=AS701::100%25 a: b,%0Ac\n"
    )


def test_sarif_has_the_structure_that_the_standard_requires():
    log = json.loads(sarif.render(report(FULL, LONG)))

    assert (log["version"], log["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in rules] == ["AS701", "AS801"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        for location in (*result["locations"], *result.get("relatedLocations", [])):
            place = location["physicalLocation"]
            region = place["region"]
            assert unquote(place["artifactLocation"]["uri"]) in ("spécs/a b.yaml", "base.yaml")
            assert (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
            assert min(region.values()) >= 1
    fix = run["results"][0]["fixes"][0]
    assert [change["artifactLocation"]["uri"] for change in fix["artifactChanges"]] == [
        "sp%C3%A9cs/a%20b.yaml",
        "base.yaml",
    ]
    assert fix["artifactChanges"][0]["replacements"] == [
        {
            "deletedRegion": {"startLine": 3, "startColumn": 13, "endLine": 3, "endColumn": 18},
            "insertedContent": {"text": "openai"},
        }
    ]


@pytest.mark.parametrize("diagnostics", [(), (FULL,), (FULL, LONG)], ids=len)
def test_sarif_is_valid_by_the_schema_of_the_standard(diagnostics):
    log = json.loads(sarif.render(report(*diagnostics)))

    assert [error.message for error in SARIF.iter_errors(log)] == []


def test_sarif_of_findings_from_every_stage_is_valid(tmp_path):
    path = tmp_path / "ä b.yaml"
    path.write_text(
        "name: a\nname: b\nextends: audt\nmodel: {provder: x, temperature: hot, temperature: 9}\n"
        "execution:\n  loop_control: [{when: 'iteraton > 3', stop: x}]\n  max_iterations: 0\n"
        "context: {system: '${inputs.x} {{y}} \U0001f600 ${'}\ncapability: {toolkits: [files.red]}\n"
    )

    log = json.loads(sarif.render(check_paths([path])))

    assert len({result["ruleId"] for result in log["runs"][0]["results"]}) > 5
    assert [error.message for error in SARIF.iter_errors(log)] == []


def test_what_the_standard_does_not_allow_is_seen():
    log = json.loads(sarif.render(report(FULL)))
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0

    assert [error.message for error in SARIF.iter_errors(log)] == ["0 is less than the minimum of 1"]


def test_sarif_rules_carry_their_page():
    log = json.loads(sarif.render(report(FULL)))

    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    assert rule["shortDescription"] == {"text": all_rules()["AS801"].title}
    assert rule["help"]["text"].startswith("A provider that is neither built in nor installed.\n")


def test_an_empty_report_is_valid_in_every_format():
    assert json.loads(sarif.render(report()))["runs"][0]["results"] == []
    assert json.loads(json_format.render(report()))["diagnostics"] == []
    assert github.render(report()) == ""
    assert text.render(report()) == "no findings in 1 file\n"


def test_a_secret_is_never_shown():
    source = Source("a.yaml", "headers: {Authorization: Bearer 0123456789abcdef}\n")
    secret = Diagnostic("AS701", "warning", "this looks like a secret", Span(source, 25, 48))

    shown = text.render(report(secret))

    assert "0123456789abcdef" not in shown
    assert " 1 | headers: {Authorization: ***********************}\n" in shown


@pytest.mark.parametrize(
    ("diagnostics", "hidden", "expected"),
    [
        ([FULL], 0, "1 error in 1 file"),
        ([LONG, LONG], 1, "2 warnings in 1 file; 1 more follows from these (`--all` shows them)"),
    ],
)
def test_the_last_line_sums_up(diagnostics, hidden, expected):
    assert text.summary(report(*diagnostics)._replace(hidden=hidden)) == expected
