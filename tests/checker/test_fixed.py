"""What stands in every request, against the window and the threshold of compaction."""

import pytest

from agentspec.checker.check import check_paths

WORDS = "word " * 2000  # 10 000 characters: at least 2 000 tokens
TOOL = "capability:\n  tools:\n    t: {{description: '{0}', parameters: {{{1}: string}}, run: [t, '${{args.{1}}}']}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"model: {{context_window: 2000}}\ncontext: {{system: '{WORDS}'}}\n", [("AS707", "system")]),
        (f"model: {{context_window: 2960}}\ncontext: {{system: '{WORDS}'}}\n", [("AS707", "system")]),
        (f"model: {{context_window: 3000}}\ncontext: {{system: '{WORDS}'}}\n", [("AS712", "system")]),
        (f"model: {{context_window: 3000}}\ncontext: {{compaction: none, system: '{WORDS}'}}\n", []),
        (f"model: {{context_window: 4000}}\ncontext: {{system: '{WORDS}'}}\n", []),
        (f"model: {{context_window: 1500}}\n{TOOL.format('d' * 8000, 'a')}", [("AS707", "tools")]),
        (f"model: {{context_window: 3500}}\n{TOOL.format('d' * 8000, 'a')}context: {{system: '{WORDS}'}}\n", [("AS707", "system")]),
        ("model: {provider: openai, model: gpt-5.4-mini, max_output_tokens: 400000}\n", [("AS707", "400000"), ("AS813", "400000")]),
        ("model: {provider: openai, model: gpt-4, base_url: 'http://localhost/v1', max_output_tokens: 400000}\n", []),
        (f"context: {{system: '{WORDS}', compaction: {{threshold: 1900}}}}\n", [("AS712", "1900")]),
        (f"context: {{system: '{WORDS}', compaction: {{threshold: 2500}}}}\n", []),
        (f"context: {{system: '{WORDS}', compaction: {{threshold: 0.1}}}}\n", []),
        (f"model: {{context_window: 8000}}\ncontext: {{system: '{WORDS}', compaction: {{threshold: 0.2}}}}\n", [("AS712", "0.2")]),
    ],
)  # fmt: skip
def test_what_is_fixed_has_to_fit(tmp_path, text, expected):
    path = tmp_path / "a.yaml"
    path.write_text("name: a\n" + text)

    found = [(one.code, one.span.text) for one in check_paths([path]).diagnostics]

    assert [one for one in found if one[0] not in ("AS902", "AS814")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("context: {compaction: {threshold: 0.7}}\n", []),
        ("context: {compaction: {threshold: 0.71}}\n", ["AS718"]),
        ("context: {compaction: {threshold: 500000}}\n", []),
        ("model: {context_window: 10000, max_output_tokens: 2000}\ncontext: {compaction: {threshold: 5600}}\n", []),
        ("model: {context_window: 10000, max_output_tokens: 2000}\ncontext: {compaction: {threshold: 5601}}\n", ["AS718"]),
        ("model: {context_window: 10000}\ncontext: {compaction: {threshold: 10000}}\n", ["AS706"]),
        ("context: {compaction: {strategy: truncate, policy: bug_fix_resumption}}\n", ["AS524"]),
        ("context: {compaction: {strategy: none, keep_last: 3}}\n", ["AS524"]),
        ("context: {compaction: {strategy: summarize_all, keep_last: 3}}\n", ["AS524"]),
        ("context: {compaction: {strategy: hybrid, policy: {instructions: Keep names.}}}\n", []),
        ("context: {compaction: {strategy: hybrid, policy: mine}}\n", ["AS717"]),
    ],
)  # fmt: skip
def test_bounds_and_settings_of_compaction_have_to_mean_something(tmp_path, text, expected):
    path = tmp_path / "a.yaml"
    path.write_text("name: a\n" + text)

    assert [one.code for one in check_paths([path]).diagnostics if one.code != "AS902"] == expected


def test_counts_above_a_million_are_told_to_the_last_digit(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("name: a\nmodel: {context_window: 1234567, max_output_tokens: 2000001}\n")

    (found,) = check_paths([path]).diagnostics

    assert (found.message, found.help) == (
        "answers of 2000001 tokens leave nothing of a window of 1234567",
        "write less than 1234567",
    )
