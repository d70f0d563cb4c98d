"""rank: order short texts by how well they fit a few words (BM25). The same words and texts give the same order.

Okapi BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the usual k1 and b.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

K1 = 1.2
B = 0.75
FUSION = 60  # of reciprocal rank fusion (Cormack, Clarke, Buettcher, 2009): how little the first places stand out
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Words that are in every request and tell nothing; other languages lose nothing by them.
_COMMON = (
    "a an and are as at be by can do does for from have how i in is it me my of on or please that the this to use we "
    "what when which with you your"
)
COMMON = frozenset(_COMMON.split())


def words_of(text: str) -> list[str]:
    """The words of a text in their simplest form; names are taken apart.

    >>> words_of("Please list createdFiles of read_file")
    ['list', 'created', 'file', 'read', 'file']
    """
    found = (word.casefold() for word in _WORD.findall(_HUMP.sub(" ", text)))
    return [_stem(word) for word in found if word not in COMMON]


def _stem(word: str) -> str:
    """Without the English plural: cheap, and wrong only where it does no harm.

    >>> [_stem(word) for word in ("files", "queries", "class", "is")]
    ['file', 'query', 'class', 'is']
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


class Index:
    """Texts, each as its words, that can be ranked again and again."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(document) for document in documents]
        self._lengths = [len(document) for document in documents]
        self._mean = sum(self._lengths) / len(documents) if documents else 0.0
        having: Counter[str] = Counter()
        for counts in self._counts:
            having.update(counts.keys())
        total = len(documents)
        self._weights = {word: math.log(1 + (total - n + 0.5) / (n + 0.5)) for word, n in having.items()}

    def scores(self, query: Iterable[str]) -> list[float]:
        """How well each text fits the words; 0 where it has none of them.

        >>> Index([["read", "file"], ["send", "mail"]]).scores(["mail"])[0]
        0.0
        """
        words = [word for word in dict.fromkeys(query) if word in self._weights]
        return [self._score(words, at) for at in range(len(self._counts))]

    def _score(self, words: list[str], at: int) -> float:
        counts, length = self._counts[at], self._lengths[at]
        norm = K1 * (1 - B + B * length / self._mean) if self._mean else K1
        return sum(self._weights[word] * counts[word] * (K1 + 1) / (counts[word] + norm) for word in words)


def ordered(scores: Sequence[float]) -> list[int]:
    """The places of those that fit at all, the best first; of equals the one that stands first.

    >>> ordered([0.0, 1.0, 2.0, 1.0])
    [2, 1, 3]
    """
    return sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at))


def fused(*rankings: Sequence[float]) -> list[float]:
    """One score out of several rankings of the same texts, by the places that they give.

    >>> [round(score, 4) for score in fused([1.0, 0.0], [0.5, 0.2])]
    [0.0328, 0.0161]
    """
    scores = [0.0] * len(rankings[0])
    for ranking in rankings:
        for place, at in enumerate(ordered(ranking), 1):
            scores[at] += 1 / (FUSION + place)
    return scores
