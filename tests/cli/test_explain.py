"""`agentspec explain`: pages, keys, and lists."""

import json

import pytest

from agentspec.api.assembly.catalogue import built_tools
from agentspec.checker.discover import all_rules
from agentspec.cli.pages import tool_names
from agentspec.runtime.reasons import REASONS
from agentspec.spec.describe import all_keys
from agentspec.spec.schema import ROOTS, root
from agentspec.spec.statuses import RUN_STATUSES, STOP_REASONS
from tests.sample import fast_first

SPEC = "name: a\nexecution:\n  max_nudges: 3\n"


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "a.yaml").write_text(SPEC)


def test_a_code_has_its_page(agentspec):
    done = agentspec("explain", "AS601")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("AS601: unknown tool (error)\n\nA list names a tool that this spec doesn't have.\n")
    assert "\nBad:\n\n```yaml\nname: audit\n" in done.out
    assert agentspec("explain", "as601") == done


def test_an_unknown_code_is_led_to_a_near_one(agentspec):
    done = agentspec("explain", "AS999")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("agentspec: there is no code `AS999`\n")


def test_a_key_of_a_spec_tells_its_meaning_its_value_and_its_chain(agentspec, spec):
    done = agentspec("explain", "a.yaml", "execution.max_nudges")

    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "execution.max_nudges: Text-only turns in a row before the run stops.\n"
        "takes: a whole number from 0\n"
        "default: the profile's\n"
        "value: 3\n"
        "  from spec a.yaml:3:15: 3\n"
        "  over profile:tool_using stdlib/profiles/tool_using.yaml:6:15: 8\n"
    )


def test_a_key_with_words_tells_them_and_its_default(agentspec, spec):
    done = agentspec("explain", "a.yaml", "execution.tool_arg_validation")

    assert done.out == (
        "execution.tool_arg_validation: `strict` rejects wrong arguments with all errors, `lenient` makes safe coercions first.\n"
        "takes: `strict`, `lenient` or `none`\n"
        "default: strict\n"
        'value: "strict"\n'
        '  from default: "strict"\n'
    )


def test_a_section_tells_its_keys_and_what_waits_says_so(agentspec, spec):
    assert "keys: profile, loop_until_done, " in agentspec("explain", "a.yaml", "execution").out
    assert agentspec("explain", "a.yaml", "lifecycle.daemon").out.count("note: accepted, but not yet in effect\n") == 1


def test_a_key_is_explained_without_a_spec_too(agentspec):
    done = agentspec("explain", "execution.loop_control")

    assert done.code == 0
    assert "keys of an item: when, extend, " in done.out
    assert "value:" not in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a.yaml", "execution.max_nudgs"), "`execution` has no key `max_nudgs`\n  did you mean `max_nudges`?"),
        (("a.yaml", "exection.max_nudges"), "a spec has no key `exection`\n  did you mean `execution`?"),
        (("a.yaml",), "which key of `a.yaml`?\n  write `agentspec explain a.yaml execution.max_iterations`"),
        (("none.yaml", "execution"), "no such file: `none.yaml`"),
        (("functons",), "nothing is known of `functons`\n  did you mean `functions`?"),
        (("raed_file",), "nothing is known of `raed_file`\n  did you mean `read_file`?"),
        (("files.raed",), "nothing is known of `files.raed`\n  did you mean `files.read`?"),
        (("audti",), "nothing is known of `audti`\n  did you mean `audit` or `auth`?"),
        (("maxiterations",), "nothing is known of `maxiterations`\n  did you mean `max_iterations`?"),
        (("max_turns",), "nothing is called `max_turns` here\n  did you mean `execution.max_iterations`?"),
        (("scenario.expct",), "a scenario has no key `expct`\n  did you mean `expect`?"),
        (("scenario.expect.file",), "`expect` has no key `file`\n  did you mean `files`?"),
        (("expct",), "nothing is known of `expct`\n  did you mean `expect`?"),
        (("AS9999",), "there is no code `AS9999`\n  see `agentspec explain --list`"),
        ((), "`agentspec explain` needs a word, or a spec and a path\n  see `agentspec explain --help`"),
        (("a.yaml", "["), "`[` is no path\n  write it as `execution.loop_control[0].when`"),
    ],
)
def test_what_is_not_known_is_told_with_the_way_out(agentspec, spec, words, said):
    assert agentspec("explain", *words) == (2, "", f"agentspec: {said}\n")


def test_the_list_has_every_code_in_order(agentspec):
    rows = json.loads(agentspec("explain", "--list", "--format", "json").out)

    assert [row["code"] for row in rows] == sorted(all_rules())
    assert rows[0].keys() == {"code", "title", "severity"}
    lines = agentspec("explain", "--list").out.splitlines()
    assert len(lines) == len(rows)
    assert "AS601  error    unknown tool" in lines


def test_pending_lists_the_keys_that_nothing_acts_on_yet(agentspec):
    done = agentspec("explain", "pending")

    assert (done.code, done.err) == (0, "")
    assert "\n  lifecycle.daemon\n" in done.out
    assert "execution.max_iterations" not in done.out


def test_functions_lists_each_with_an_example(agentspec):
    done = agentspec("explain", "functions")

    assert (done.code, done.err) == (0, "")
    assert "text.upper(text: string) -> string\n    " in done.out


def test_the_schema_is_a_json_schema_of_the_language(agentspec):
    schema = json.loads(agentspec("schema").out)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "execution" in schema["$defs"]["Agent"]["properties"]


def test_the_outermost_key_that_ends_in_a_word_is_explained(agentspec):
    assert agentspec("explain", "cost_usd").out == (
        agentspec("explain", "execution.limits.cost_usd").out + "see also: `capability.ceiling.limits.cost_usd`, "
        "`library.ceiling.limits.cost_usd`, `library.requires.authority.limits.cost_usd`, "
        "`scenario.expect.limits.cost_usd`\n"
        "cost_usd: a reason with which runs end `budget_exhausted`. "
        "The bound of the run was reached: dollars, see `execution.limits.cost_usd`.\n"
    )
    assert agentspec("explain", "limits").out.startswith("execution.limits: ")


@pytest.mark.parametrize("kind", ["scenario", "library"])
def test_every_key_of_a_document_that_is_no_agent_is_explained(agentspec, kind):
    for doc in (each for each in all_keys(kind) if not set("*[") & set(each.path)):
        [first, second, *_] = agentspec("explain", f"{kind}.{doc.path}").out.splitlines()

        assert (first, second) == (f"{kind}.{doc.path}: {doc.doc}", f"takes: {doc.type}")


def test_a_key_of_a_scenario_is_explained_without_its_kind_where_no_agent_has_it(agentspec):
    assert agentspec("explain", "expect.files") == agentspec("explain", "scenario.expect.files")
    assert agentspec("explain", "said").out.startswith("scenario.model[].said: ")
    assert "see also: `scenario.user`" in agentspec("explain", "user").out


def test_a_toolkit_is_explained_with_its_tools_and_options(agentspec):
    done = agentspec("explain", "files.read")

    assert done.code == 0
    assert done.out.startswith(
        "files.read: a toolkit. Reading files below a root.\n"
        "written: `capability.toolkits: [files.read]`, or with options `- files.read: {OPTION: VALUE}`\n"
        "tools: read_file, read_file_tail, list_directory, search_files, find_files, file_outline\n"
        "options:\n"
    )
    assert "\n  max_matches (a whole number from 1; without it 200): The most matches of a search.\n" in done.out


def test_a_tool_is_explained_with_its_parameters(agentspec):
    assert agentspec("explain", "read_file") == (
        0,
        (
            "read_file: a tool of the toolkit `files.read`; it only reads\n"
            "Read a text file. Long files come in parts; the answer says how to go on.\n"
            "parameters:\n"
            "  path (string, required): Path of a file, relative to the project folder.\n"
            "  offset (integer from 1): Number of the first line to show, from 1.\n"
            "  limit (integer from 1): Most lines to show.\n"
            "its options and the other tools: `agentspec explain files.read`\n"
        ),
        "",
    )


@pytest.mark.parametrize("name", fast_first(sorted(tool_names()), 12))
def test_every_tool_is_explained_or_said_to_be_still_to_come(agentspec, name):
    done = agentspec("explain", name)

    is_built = name in {tool.schema.name for tool in built_tools()}
    assert done.code == 0
    assert ("\nparameters:\n" in done.out, "not yet in effect" in done.out) == (is_built, not is_built)


def test_a_preset_and_a_status_are_explained(agentspec):
    assert agentspec("explain", "audit").out.startswith(
        "audit: a built-in preset. Looks into something and reports what it finds\nwritten: `extends: audit`"
    )
    assert agentspec("explain", "stuck").out.startswith("stuck: a status of a run\nThe model went on without ")


def test_extends_tells_its_forms_and_the_built_in_presets(agentspec):
    done = agentspec("explain", "extends")

    assert done.code == 0
    assert done.out.splitlines()[-1] == (
        "built-in presets: audit, merge_captain, oncall_captain, release_captain, repair, review_captain, summary, verify"
    )


def test_a_misspelt_step_of_a_path_is_led_to_the_near_one(agentspec):
    done = agentspec("explain", "execution.limts")

    assert (done.code, done.out) == (2, "")
    assert done.err == "agentspec: `execution` has no key `limts`\n  did you mean `limits`?\n"


LOW = """\
preset low {
  inputs { turns: integer = 4 }
  execution {
    final max_nudges: 2
    max_iterations: "${inputs.turns}"
    nudge: "Go on."
    stop_after_successful_tools: [one]
  }
}
"""
MID = """\
preset: mid
extends: [{use: ./low.agent, with: {turns: 9}}]
execution:
  nudge: !unset
  +stop_after_successful_tools: [two]
model: {provider: openai, model: m, base_url: "http://x"}
"""
HIGH = """\
agent a extends "./mid.yaml" {
  execution { stop_after_successful_tools += [three]  max_nudges: 2 }
  model { provider: script }
}
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ("execution.stop_after_successful_tools",),
            [
                'value: ["one", "two", "three"]',
                '  from spec a.agent:2:46: ["one", "two", "three"]',
                '  over file:mid.yaml mid.yaml:5:33: ["one", "two"]',
                '  over file:low.agent low.agent:7:34: ["one"]',
            ],
        ),
        (
            ("execution.max_iterations",),
            [
                "value: 9",
                "  from file:low.agent mid.yaml:2:44: 9",
                "  over profile:tool_using stdlib/profiles/tool_using.yaml:5:19: 50",
            ],
        ),
        (
            ("execution.max_iterations", "--set", "execution.max_iterations=3"),
            [
                "value: 3",
                "  from --set execution.max_iterations=3: 3",
                "  over file:low.agent mid.yaml:2:44: 9",
                "  over profile:tool_using stdlib/profiles/tool_using.yaml:5:19: 50",
            ],
        ),
        (
            ("execution.nudge",),
            [
                "value: not set",
                "  removed by file:mid.yaml mid.yaml:4:3",
                '  over file:low.agent low.agent:6:12: "Go on."',
            ],
        ),
        (
            ("execution.max_nudges",),
            [
                "value: 2",
                "  from file:low.agent low.agent:4:23: 2",
                "  over profile:tool_using stdlib/profiles/tool_using.yaml:6:15: 8",
                "final: file:low.agent low.agent:4:23 lets no layer above it change this",
            ],
        ),
        (
            ("model.base_url",),
            [
                "value: not set",
                "  removed by spec a.agent:3:11",
                '  over file:mid.yaml mid.yaml:6:47: "http://x"',
            ],
        ),
        (("model",), ['value: {"provider": "script"}', '  provider: "script"  # spec a.agent:3:21']),
        (("context.system",), ["value: not set"]),
    ],
)
def test_the_chain_of_a_value_goes_through_both_spellings(agentspec, tmp_path, words, expected):
    for name, text in (("low.agent", LOW), ("mid.yaml", MID), ("a.agent", HIGH)):
        (tmp_path / name).write_text(text)

    done = agentspec("explain", "a.agent", *words)

    lines = done.out.splitlines()
    assert (done.code, lines[next(at for at, line in enumerate(lines) if line.startswith("value: ")) :]) == (
        0,
        expected,
    )


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("loop_control.stop", "execution.loop_control[].stop: End the run with this status."),
        ("execution.loop_control.stop", "execution.loop_control[].stop: End the run with this status."),
        ("tools.expr", "capability.tools.*.expr: An expression over `args`."),
        ("stop", "model.stop: A text, or several, at which the answer ends."),
    ],
)
def test_a_key_within_items_is_explained_without_saying_which(agentspec, word, first):
    done = agentspec("explain", word)

    assert (done.code, done.out.splitlines()[0]) == (0, first)


def test_a_preset_of_the_project_is_explained_by_its_name(agentspec, tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/house.yaml").write_text("preset: house\ndescription: How we work\n")

    assert agentspec("explain", "house").out == (
        "house: a preset of this project. How we work\n"
        "written: `extends: ./shared/house.yaml`; what it says holds where the spec says nothing else\n"
        "what it says: `agentspec preset show ./shared/house.yaml`\n"
    )


def test_a_page_is_given_as_json_too(agentspec, spec):
    code = json.loads(agentspec("explain", "as601", "--format", "json").out)
    page = agentspec("explain", "AS601").out
    key = json.loads(agentspec("explain", "a.yaml", "execution.max_nudges", "--format", "json").out)

    assert {**code, "text": ""} == {"code": "AS601", "title": "unknown tool", "severity": "error", "text": ""}
    assert page == f"AS601: unknown tool (error)\n\n{code['text']}\n"
    assert key["text"] + "\n" == agentspec("explain", "a.yaml", "execution.max_nudges").out
    assert (key["word"], key["key"]) == ("a.yaml", "execution.max_nudges")


@pytest.mark.parametrize("reason", fast_first(STOP_REASONS, 12))
def test_every_reason_of_an_end_is_explained(agentspec, reason):
    done = agentspec("explain", reason)

    statuses = REASONS[reason].statuses
    with_ = f" `{'`, `'.join(statuses)}`" if statuses else ""
    assert (done.code, done.err) == (0, "")
    assert f"{reason}: a reason with which runs end{with_}. {REASONS[reason].says}\n" in done.out
    assert set(statuses) <= set(RUN_STATUSES)


def test_a_word_that_keys_take_names_them(agentspec):
    assert agentspec("explain", "bm25").out == (
        "bm25: a word that these keys take\n"
        "  capability.tool_search (`off`, `bm25`, `regex`, `hybrid` or a mapping): "
        "How the model finds tools that it isn't shown.\n"
        "  capability.tool_search.strategy (`bm25`, `regex` or `hybrid`): How tools are ranked.\n"
    )


@pytest.mark.parametrize("kind", ROOTS)
def test_every_kind_of_document_is_explained(agentspec, kind):
    lines = agentspec("explain", kind).out.splitlines()

    assert lines[0].startswith(f"{kind}: a document of its own. ")
    assert [line.strip().partition(":")[0] for line in lines[3:]] == list(root(kind)["properties"])


def test_a_secret_in_a_spec_is_printed_as_stars(agentspec, tmp_path):
    (tmp_path / "b.yaml").write_text(
        "name: b\ntask: hi\nmodel:\n  provider: openai\n  options: {api_key: geheim-1}\n"
        "  headers: {X-Api-Key: geheim-2, X-Title: Shop, Authorization: Bearer geheim-3}\n"
        "context: {system: the key is sk-proj-0123456789abcdefghijkl}\n"
    )

    for words in (
        ("show", "b.yaml"),
        *(("show", "b.yaml", "--format", form) for form in ("json", "yaml", "dsl")),
        ("explain", "b.yaml", "model"),
        ("explain", "b.yaml", "model.headers"),
        ("explain", "b.yaml", "context.system"),
        ("plan", "b.yaml"),
        ("plan", "b.yaml", "--format", "json"),
    ):
        done = agentspec(*words)
        assert done.code == 0
        assert [secret for secret in ("geheim", "sk-proj") if secret in done.out + done.err] == []
    assert "X-Title: Shop" in agentspec("show", "b.yaml", "--format", "yaml").out
