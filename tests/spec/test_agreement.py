"""Three readers of one schema agree: the structural check, the models and a JSON Schema validator."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.errors import SpecInvalid
from agentspec.spec import read
from agentspec.spec.schema import load
from agentspec.spec.structure.shape import check_shape
from tests.spec.documents import changed, documents
from tests.spec.trees import tree

READERS = {
    "agent": read.read_agent,
    "preset": read.read_preset,
    "library": read.read_library,
    "scenario": read.read_scenario,
}
VALIDATOR = jsonschema.Draft202012Validator(load())
QUICK = settings(suppress_health_check=list(HealthCheck))
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
