"""`agentspec explain`: pages, keys, and lists."""

import json

import pytest

from agentspec.checker.discover import all_rules

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
        "  over profile:tool_using stdlib/profiles/tool_using.yaml:5:15: 8\n"
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
    assert agentspec("explain", "a.yaml", "execution.stall").out.count("note: accepted, but not yet in effect\n") == 1


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
        ((), "`agentspec explain` needs a code, or a spec and a path\n  see `agentspec explain --help`"),
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
    assert "\n  execution.stall\n" in done.out
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
        agentspec("explain", "execution.limits.cost_usd").out + "see also: `capability.ceiling.limits.cost_usd`\n"
    )
    assert agentspec("explain", "limits").out.startswith("execution.limits: ")


def test_a_toolkit_is_explained_with_its_options(agentspec):
    done = agentspec("explain", "files.read")

    assert done.code == 0
    assert " root, max_matches, max_line_bytes, exclude\n" in done.out


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
