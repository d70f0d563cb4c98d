"""What is said to models has ids; one that is none leads to those that are."""

import pytest

from agentspec.checker.check import check_paths


@pytest.mark.parametrize(
    ("given", "way_out"),
    [
        ("nudge.nativ", "did you mean `nudge.native`?"),
        ("completion", "did you mean `judge.completion`?"),
        (
            "judge.verdict",
            (
                "there are `judge.completion`, `judge.escalate`, `judge.input`, `judge.repair`, `judge.step`; "
                "`docs/reference/prompts.md` lists them with their texts"
            ),
        ),
        (
            "system",
            (
                "ids begin with `answer`, `budget`, `compaction`, `context`, `format`, `gate`, `judge`, `nudge`, `reply`, "
                "`scratchpad`, `sentinel`, `skill`, `stall`; `docs/reference/prompts.md` lists them with their texts"
            ),
        ),
    ],
)
def test_an_unknown_id_is_led_to_one_that_is_known(tmp_path, given, way_out):
    spec = tmp_path / "a.yaml"
    spec.write_text(f"name: a\ncontext:\n  prompts:\n    {given}: x\n")

    [found] = check_paths([spec]).diagnostics

    assert (found.code, found.message, found.help) == ("AS716", f"no prompt has the id `{given}`", way_out)
