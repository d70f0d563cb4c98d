"""Every code that reading gives has one page of the same severity, and no page stands without its code."""

from agentspec.checker.discover import all_rules
from agentspec.syntax.findings import READING


def test_every_reading_code_has_its_page() -> None:
    pages = {code: rule.severity for code, rule in all_rules().items() if code < "AS050"}

    assert pages == READING
