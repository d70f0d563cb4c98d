"""Three readers of one schema agree: the structural check, the models and a JSON Schema validator."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.errors import SpecInvalid
from agentspec.spec import read
from agentspec.spec.base import Record
from agentspec.spec.effective import effective
from agentspec.spec.schema import load
from agentspec.spec.shape import check_shape
from tests.spec.documents import changed, documents
from tests.spec.trees import tree

READERS = {
    "agent": read.read_agent,
    "preset": read.read_preset,
    "library": read.read_library,
    "scenario": read.read_scenario,
}
VALIDATOR = jsonschema.Draft202012Validator(load())
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))
KINDS = st.sampled_from(sorted(READERS))


def reads(kind: str, document: Any) -> bool:
    try:
        READERS[kind](document)
    except SpecInvalid:
        return False
    return True


def agree(kind: str, document: Any) -> None:
    findings = check_shape(tree(document), kind, partial=False)

    assert (findings == []) == reads(kind, document), (document, findings)
    assert (findings == []) == VALIDATOR.is_valid(document), (document, findings)


@given(st.data(), KINDS)
@QUICK
def test_what_the_schema_allows_has_no_finding(data: st.DataObject, kind: str):
    document = data.draw(documents(kind))

    findings = check_shape(tree(document), kind)

    assert findings == [], document
    assert reads(kind, document)
    assert list(VALIDATOR.iter_errors(document)) == []


@given(st.data(), KINDS)
@QUICK
def test_a_changed_document_is_refused_by_all_or_by_none(data: st.DataObject, kind: str):
    agree(kind, data.draw(changed(kind)))


@pytest.mark.slow
@given(st.data(), KINDS)
@LONG
def test_many_changed_documents_are_refused_by_all_or_by_none(data: st.DataObject, kind: str):
    agree(kind, data.draw(changed(kind)))


@given(st.data(), KINDS)
@QUICK
def test_the_quick_reader_gives_what_the_models_give(data: st.DataObject, kind: str):
    document = data.draw(documents(kind))

    assert effective(document, kind) == without_unset(READERS[kind](document))


def without_unset(value: Any) -> Any:
    """The values of a record by the names in the spec; keys that hold nothing are left out, as in the quick reader."""
    match value:
        case Record():
            fields = type(value).model_fields
            pairs = ((fields[name].alias or name, getattr(value, name), name) for name in fields)
            return {
                key: without_unset(item)
                for key, item, name in pairs
                if item is not None or name in value.model_fields_set
            }
        case tuple() | list():
            return [without_unset(item) for item in value]
        case dict():
            return {name: without_unset(item) for name, item in value.items()}
        case _:
            return value
