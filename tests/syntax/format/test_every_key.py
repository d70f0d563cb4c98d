"""Whatever key of the language stands in a document, both spellings have a place for it."""

import json
import random

from agentspec.syntax import yaml
from agentspec.syntax.tree import Parsed
from agentspec.text.source import Source
from tests.spec.every_key import Author, whole_language
from tests.syntax.format.laws import check_laws


def parsed(document: object) -> Parsed:
    found = yaml.parse(Source("x.yaml", json.dumps(document, ensure_ascii=False)))
    assert found.diagnostics == []
    return found


def test_every_key_is_converted_both_ways():
    documents = list(whole_language(Author(random.Random(1))))

    for _, document in documents:
        check_laws(parsed(document))
