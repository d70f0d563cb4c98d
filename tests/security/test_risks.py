"""Every control and every risk of the lists is held by tests that exist."""

import pytest

from tests.failures.test_rows import ROOT, cases_of
from tests.security.risks import CONTROLS, RISKS

NAMED = sorted({test for tests in (*CONTROLS.values(), *RISKS.values()) for test in tests})


@pytest.mark.parametrize("test", NAMED)
def test_a_test_that_is_named_exists(test):
    path, _, name = test.partition("::")

    assert cases_of(ROOT / path)
    assert name == "" or name in cases_of(ROOT / path)


def test_no_control_and_no_risk_is_without_a_test():
    numbers = [f"{family}{number:02}" for family in ("ASI", "LLM") for number in range(1, 11)]

    assert [risk.partition(" ")[0] for risk in RISKS] == numbers
    assert all((*CONTROLS.values(), *RISKS.values()))
