"""What a check says of routes: who is reached, who is known, and what nobody hears."""

import pytest

from agentspec.checker.check import check_paths

ROUTES = "model: {{provider: openai, routes: [{}]}}"
DEFAULT = "{model: gpt-5.4-mini}"
SPARE = "model: {provider: openai, model: gpt-5.4-mini, routes: [{model: gpt-5.4, label: b, when: 'false'}]}"
JUDGE = "execution: {loop_until_done: true, verify_completion_judge: {escalate: true}}"
STUCK = "`stall` acts after 3 results alike"

ROWS: list[tuple[str, list[tuple[str, str]]]] = [
    (ROUTES.format(f"{{model: gpt-5.4, when: attempt > 1}}, {DEFAULT}"), []),
    (ROUTES.format(f"{DEFAULT}, {{model: gpt-5.4, when: attempt > 1}}"), [("AS803", "attempt > 1")]),
    (ROUTES.format(f"{DEFAULT}, {{model: gpt-5.4, when: attempt > 1}}") + "\n", [("AS803", "attempt > 1")]),
    ("model: {provider: openai, fallback: [b], routes: [{model: gpt-5.4-mini}, {model: gpt-5.4, label: b}]}", []),
    ("model: {provider: openai, fallback: [gpt-5.4], routes: [{model: gpt-5.4-mini}, {model: gpt-5.4}]}", []),
    ("model: {provider: openai, model: gpt-5.4, fallback: [gpt-5.4]}", [("AS824", "gpt-5.4")]),
    (ROUTES.format("{model: gpt-5.4, label: a}")[:-1].replace("{{", "{") + ", fallback: [a]}", [("AS824", "a")]),
    ("model: {provider: openai, model: gpt-5.4, fallback: [gpt-5.4-mini, gpt-5.4-mini]}", [("AS623", "gpt-5.4-mini")]),
    ("model: {provider: openai, model: gpt-5.4, fallback: [claude-opus-5]}", [("AS820", "claude-opus-5")]),
    (ROUTES.format("{model: gpt-5.4, when: attempt > 1}"), [("AS816", "attempt > 1")]),
    (ROUTES.format("{model: gpt-5.4, when: 'true'}"), []),
    ("model: {provider: openai, model: gpt-5.4-mini, routes: [{model: gpt-5.4, when: attempt > 1}]}", []),
    ("model: {provider: openai, ladder: small, routes: [{ladder: frontier, when: attempt > 1}]}", []),
    (f"{ROUTES.format(f'{{model: gpt-5.4, when: last_verdict.escalate}}, {DEFAULT}')}\n{JUDGE}", []),
    (
        ROUTES.format(f"{{model: gpt-5.4, when: last_verdict.escalate}}, {DEFAULT}"),
        [("AS817", "last_verdict.escalate")],
    ),
    (f"model: {{provider: openai, model: gpt-5.4}}\n{JUDGE}", [("AS817", "true")]),
    (ROUTES.format(f"{{model: gpt-5.4, when: progress.repeats >= 2}}, {DEFAULT}"), []),
    (
        ROUTES.format(f"{{model: gpt-5.4, when: progress.repeats >= 3}}, {DEFAULT}"),
        [("AS521", "progress.repeats >= 3")],
    ),
    (
        ROUTES.format(f"{{model: gpt-5.4, when: progress.repeats >= 3}}, {DEFAULT}")
        + "\nexecution: {stall: {stuck_limit: 3}}",
        [],
    ),
    ("model: {provider: ollama, ladder: small}", [("AS815", "small")]),
    ("model: {provider: openai, ladder: smal}", [("AS815", "smal")]),
    ("model: {provider: openai, model: gpt-5.4, ladder: small}", [("AS103", "ladder")]),
    ("model: {provider: openai, model: gpt-5.4, fallback: ['anthropic:claude-haiku-4-5', 'ollama:qwen3:8b']}", []),
    (
        "model: {provider: openai, model: gpt-5.4, fallback: ['anthropic:claude-haku-4-5']}",
        [("AS809", "'anthropic:claude-haku-4-5'")],
    ),
    (f"{SPARE[:-1]}, fallback: [b]}}", []),
    (f"{SPARE[:-1]}, fallback: [b]}}".replace("'false'", "false"), []),
    (f"{SPARE[:-1]}, fallback: [gpt-5.4]}}", []),
    (SPARE, [("AS321", "false")]),
    (f"{SPARE[:-1]}, fallback: [gpt-5.5]}}", [("AS321", "false")]),
    (f"{SPARE[:-1]}, fallback: [b]}}".replace("false", "1 > 2"), [("AS321", "1 > 2")]),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[str(number) for number in range(len(ROWS))])
def test_the_routes_of_a_spec_are_told_of_like_this(tmp_path, text, expected):
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\n{text}\n")

    found = [(one.code, one.span.text, one.message) for one in check_paths([path]).diagnostics]

    assert [(code, place) for code, place, _ in found] == expected, found


def test_a_route_that_comes_too_late_is_told_the_way_out(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\n{ROUTES.format(f'{{model: gpt-5.4, when: progress.repeats >= 5}}, {DEFAULT}')}\n")

    found = [one for one in check_paths([path]).diagnostics if one.code == "AS521"]

    assert [(one.message, one.help) for one in found] == [
        (
            f"this never holds: {STUCK}",
            "raise `execution.stall.stuck_limit`, change the number, or take the condition away",
        )
    ]
