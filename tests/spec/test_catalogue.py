"""What is known of models beforehand."""

import subprocess
import sys

import pytest

from agentspec.core.limits.price import Price, cost_of
from agentspec.core.messages import Usage
from agentspec.spec import catalogue
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


@pytest.mark.parametrize("model", ["", "model: {provider: script}\n", "model: {temperature: 0, seed: 1}\n"])
def test_a_check_of_a_spec_that_names_no_model_does_not_read_the_catalogue(tmp_path, model):
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\n{model}")
    program = (
        "import sys; from agentspec.api.check import check; from agentspec.spec import catalogue; check(sys.argv[1]);"
        "print(catalogue._catalogue.cache_info().currsize)"
    )

    read = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)

    assert read.stdout == "0\n"


def test_what_a_model_lacks_is_known_and_nothing_is_said_of_others():
    assert catalogue.lacks("openai", "gpt-4o") == ("reasoning",)
    assert catalogue.lacks("openai", "gpt-5.4-mini") == ()
    assert catalogue.lacks("anthropic", "claude-opus-5") == ("sampling",)
    assert catalogue.longest_answer("openai", "gpt-4o") == 16384
    assert catalogue.last_day("openai", "gpt-4o") == "2027-01-14"
    assert catalogue.lacks("openai", "our-own-model") == ()
    assert catalogue.longest_answer("elsewhere", "gpt-4o") is None


def test_every_row_has_what_its_readers_ask_for():
    rows = [(provider, row) for provider, table in catalogue._models().items() for row in table]

    for provider, row in rows:
        assert row["match"], row
        assert all(kind in catalogue._TESTS for kind, _ in row["match"]), row
        assert set(row.get("lacks", ())) <= {"tools", "reasoning", "sampling"}, row
        assert row["output"] >= 0, (provider, row)
        assert row.get("window", 1) > 0, row
    assert len(rows) > 150


def test_a_model_that_has_ended_is_known_and_so_is_what_stands_in_its_place():
    for provider, ended in catalogue._catalogue()["ended"].items():
        rows = {row["id"]: row for row in catalogue.rows_of(provider)}
        for model, facts in ended.items():
            assert facts.items() <= rows[model].items()
            assert "ends" not in rows[facts.get("instead", "claude-haiku-4-5")]
