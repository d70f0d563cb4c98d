"""What is known of models beforehand."""

import subprocess
import sys

import pytest

from agentspec.core.limits.price import Price, cost_of
from agentspec.core.messages import Usage
from agentspec.spec.catalogue import known_prices, known_window


@pytest.mark.parametrize(
    ("provider", "model", "is_known"),
    [
        ("openai", "gpt-5.4-mini", True),
        ("openai", "GPT-5.4-mini-2026-03-17", True),
        ("openai_responses", "gpt-5.4-mini", True),
        ("anthropic", "claude-opus-5", True),
        ("openai", "our-own-model", False),
        ("elsewhere", "gpt-5.4-mini", False),
        ("openai", "text-embedding-3-small", False),
    ],
)
def test_a_price_is_known_by_provider_and_id(provider, model, is_known):
    assert (known_prices(provider, model) is not None) == is_known


def test_a_long_request_costs_what_long_ones_cost():
    price = Price(**known_prices("openai", "gpt-5.4"))

    short = cost_of(Usage(input_tokens=100_000, output_tokens=1_000), price)
    long = cost_of(Usage(input_tokens=300_000, output_tokens=1_000), price)

    assert short == pytest.approx(0.25 + 0.015)
    assert long == pytest.approx(1.5 + 0.0225)
    assert known_window("openai", "gpt-5.4") == 1_050_000


def test_a_check_without_a_bound_on_cost_does_not_read_the_prices(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("name: a\nmodel: {provider: openai, model: gpt-5.4-mini}\n")
    program = (
        "import sys; from agentspec.api.check import check; from agentspec.spec import catalogue; check(sys.argv[1]);"
        "print(catalogue._models.cache_info().currsize)"
    )

    read = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)

    assert read.stdout == "0\n"
