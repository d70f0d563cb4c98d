"""models: the command `agentspec models`: what is known of models, and which providers are configured here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import click

from agentspec.api.model_list import list_models
from agentspec.cli.runs import form_options
from agentspec.cli.terminal.say import print_json
from agentspec.text.visible import one_line

PRICES = (("input", "in"), ("output", "out"), ("cached_input", "cached"))
WIDEST = 40  # of the column of names; a longer one moves only its own line


@click.command("models")
@click.argument("words", nargs=-1, metavar="[PROVIDER | PROVIDER:PART | PART]...")
@form_options
def command(words: tuple[str, ...], form: str, *, as_json: bool) -> None:
    """List models with their windows, their longest answers and their prices in dollars per million tokens.

    A spec overrides what the catalogue says: `model.prices`, `model.context_window`. No server is asked.

    \b
    examples:
      agentspec models anthropic
      agentspec models openai:gpt-5 --json
    """
    found = list_models(words, os.environ)
    if as_json or form == "json":
        print_json(found)
        return
    for line in _lines(found):
        print(one_line(line))


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    models = found["models"]
    for provider in found["providers"]:
        state = f"configured by `{provider['configured_by']}`" if provider["configured"] else "not configured"
        yield f"{provider['name']}: {state}"
        own = [each for each in models if each["provider"] == provider["name"]]
        width = min(WIDEST, max((len(each["id"]) for each in own), default=0))
        for each in own:
            yield f"  {each['id']:{width}}  {', '.join(_facts(each))}"
    count = "1 model" if len(models) == 1 else f"{len(models)} models"
    yield f"{count}, as of {found['updated']}; prices in dollars per million tokens"


def _facts(model: Mapping[str, Any]) -> Iterator[str]:
    if model["context_window"]:
        yield f"window {model['context_window']}"
    if model["max_output_tokens"]:
        yield f"answer {model['max_output_tokens']}"
    prices = model["prices"] or {}
    told = [f"{prices[name]:g} {word}" for name, word in PRICES if name in prices]
    yield " / ".join(told) if told else "no price known"
    if model["lacks"]:
        yield f"no {' and no '.join(model['lacks'])}"
    if model["last_day"]:
        yield f"until {model['last_day']}"
    if model["instead"]:
        yield f"then {model['instead']}"
