"""describe and defaults: what a key is, what may stand there, and what holds without it."""

from __future__ import annotations

import pytest

from agentspec.spec.defaults import default_of, defaults
from agentspec.spec.describe import KeyDoc, all_keys, describe
from agentspec.spec.read import read_agent


def test_a_key_is_described_in_words():
    assert describe(("execution", "tool_timeout")) == KeyDoc(
        path="execution.tool_timeout",
        doc="How long one call may take.",
        type="a duration such as `30s`",
        default="120s",
        annotation={"kind": "duration", "positive": True},
    )


def test_a_key_of_a_named_tool_is_found():
    found = describe(("capability", "tools", "calc", "http", "method"))

    assert found is not None
    assert found.words == ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
    assert found.default == "GET"


def test_a_key_of_a_rule_is_found_by_its_index():
    found = describe(("execution", "loop_control", 3, "stop"))

    assert found is not None
    assert (found.path, found.type) == ("execution.loop_control[3].stop", "a status in lower case")


def test_a_mapping_tells_its_keys_and_whether_a_key_is_needed():
    http = describe(("capability", "tools", "t", "http"))
    url = describe(("capability", "tools", "t", "http", "url"))

    assert http is not None
    assert url is not None
    assert http.keys == ("method", "url", "headers", "query", "body", "json")
    assert (http.required, url.required) == (False, True)


def test_a_default_that_is_no_value_is_told_in_words():
    found = describe(("execution", "max_nudges"))

    assert found is not None
    assert found.default == "the profile's"


@pytest.mark.parametrize(
    "path", [("execution", "nonsense"), ("name", "x"), ("execution", 0), ("model", "options", "x")]
)
def test_what_is_no_key_has_no_description(path):
    assert describe(path) is None


def test_all_keys_are_patterns_and_each_is_told_once():
    paths = [doc.path for doc in all_keys()]

    assert len(paths) == len(set(paths))
    assert {"name", "execution.loop_control[].when", "capability.tools.*.expr", "inputs.*.items"} <= set(paths)


def test_a_default_is_what_an_author_would_write():
    assert default_of("execution.tool_timeout") == "120s"
    assert default_of("model.retry") == {
        "max_attempts": 3,
        "base": "500ms",
        "max": "30s",
        "max_wait": "120s",
        "jitter": True,
    }
    assert default_of("model.model") is None
    assert default_of("no.such.key") is None


def test_a_default_that_is_changed_by_its_reader_stays_what_it_is():
    default_of("model.retry")["max_attempts"] = 99

    assert default_of("model.retry.max_attempts") == 3


def test_the_defaults_are_a_document_that_says_what_its_absence_says():
    assert read_agent({"name": "a", **defaults()}).model_dump() == read_agent({"name": "a"}).model_dump()
