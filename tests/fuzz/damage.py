"""damage: texts and bytes as they come out of a bad day: cut, doubled, swapped, with signs that mean something."""

from __future__ import annotations

import os
import random
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager

SIGNS = (
    *" \n\t:-#'\"[]{}(),&*!|>%@`?~.\\ab1=<+$;/\r\x00\x0b\x1f\x7f\x85\u2028\u200b\u202e\ufeffé😀\ud800",
    *(
        "- ",
        ": ",
        "\n  ",
        "\n\n",
        " #",
        "<<: *b",
        "&b ",
        "*b",
        "!final ",
        "!unset",
        "---\n",
        "...\n",
        "|\n",
        "\\u",
        "''",
    ),
    *(
        "${",
        "}",
        "{{",
        "&&",
        "||",
        "==",
        "=>",
        "->",
        "when ",
        '"""',
        "tool ",
        "agent ",
        "extends ",
        "??",
        "1e999",
        "-0",
    ),
    *(
        "null",
        "true",
        "NaN",
        "Infinity",
        "9" * 30,
        "[" * 40,
        "{" * 40,
        "a: " * 20,
        '{"a":',
        '\\"',
        "data: ",
        "\r\n\r\n",
    ),
    *(
        "[DONE]",
        "<tool_call>",
        "</tool_call>",
        "```json\n",
        "event: error\n",
        "0x",
        "1_000",
        "%YAML 1.1\n",
        "2024-02-30",
    ),
)
BYTES = (
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\n",
    b"\r",
    b"data: ",
    b"{",
    b"}",
    b'"',
)
# Each is other damage in the slow tests; with `FUZZ_TIMES=21` they check 150 000 files, and read more of all the rest.
SEEDS = range(4 * int(os.environ.get("FUZZ_TIMES", "1")))
MOST_CPU = 2.0  # seconds; a usual one takes 10 ms, and a busy machine gives a tenth of its processor away
MOST_MEMORY = 100 * 1024  # KiB that many texts may add


def damaged(text: str, others: list[str], chance: random.Random, longest: int = 4000) -> str:
    """The text with a few changes; some bring a part of another text."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5, 9))):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.choice((1, 1, 2, 5, 40)))
        match chance.randrange(6):
            case 0:
                text = text[:at] + chance.choice(SIGNS) + text[at:]
            case 1:
                text = text[:at] + text[end:]
            case 2:
                text = text[:at] + chance.choice(SIGNS) + text[end:]
            case 3:
                text = text[:at] + text[chance.randrange(len(text) + 1) :]
            case 4:
                text = text[:at] + text[at:end] * 3 + text[end:]
            case _:
                other = chance.choice(others)
                start = chance.randrange(len(other) + 1)
                text = text[:at] + other[start : start + 60] + text[at:]
    return text[:longest]


def damaged_bytes(content: bytes, chance: random.Random) -> bytes:
    """Bytes with a few flipped, lost, doubled or brought in."""
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at = chance.randrange(len(content) + 1)
        match chance.randrange(4):
            case 0:
                content = content[:at] + chance.choice(BYTES) + content[at:]
            case 1:
                content = content[:at] + content[at + chance.choice((1, 2, 9)) :]
            case 2:
                content = content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
            case _:
                content = content[:at] + content[at : at + 20] * 2 + content[at + 20 :]
    return content


@contextmanager
def quick(what: object) -> Iterator[None]:
    """Holds that what is done within takes no more than its time, on a busy machine too."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < MOST_CPU, what


@contextmanager
def lean() -> Iterator[None]:
    """Holds that what is done within takes no more than its memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY
