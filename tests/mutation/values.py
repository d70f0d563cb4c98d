"""values: wrong types, units, numbers, empty values, swapped bounds."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from agentspec.spec.schema import MARK, Node, form
from agentspec.syntax.tree import Mapping, Scalar
from agentspec.text.source import Span
from tests.mutation.defect import Change, Kind, at, edited, put, slip
from tests.mutation.names import inside
from tests.mutation.sites import Key, Sites, Value, annotation

UNITS = {"ms": "msec", "s": "sec", "m": "mins", "h": "hours", "KiB": "kib", "MB": "mb", "B": "bytes"}
BOUNDS = (  # the smaller one, the greater one, what is said of them, and where
    (("execution", "iteration_budget"), "initial", "max", "AS501"),
    (("context", "compaction"), "target", "threshold", "AS706"),
)


def _plain_scalars(sites: Sites) -> Iterator[tuple[Key, Scalar]]:
    """Keys with a scalar on their own line. The verb of a rule says `true` without writing it."""
    for key in sites.keys:
        value = key.entry.value
        if (
            isinstance(value, Scalar)
            and value.anchor is None
            and value.span != key.entry.key.span
            and "\n" not in value.span.text
            and value.span.text[:1] not in ("", "|", ">")
        ):
            yield key, value


def word_for_number(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key, value in _plain_scalars(sites):
        is_number = isinstance(value.value, int | float) and not isinstance(value.value, bool)
        if is_number and key.form.number is not None and not key.form.texts:
            yield at(sites.text, value.span, "many", "AS201")


def word_for_boolean(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key, value in _plain_scalars(sites):
        if isinstance(value.value, bool) and key.form.boolean is not None and not key.form.texts:
            yield at(sites.text, value.span, "maybe", "AS201")


def yes_for_true(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key, value in _plain_scalars(sites):
        if isinstance(value.value, bool) and key.form.boolean is not None and not key.form.texts:
            wrong = "yes" if value.value else "no"
            yield at(sites.text, value.span, wrong, "AS210", word=str(value.value).lower(), mends=True)


def quoted_boolean(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """`"true"` for `true`, `"3"` for `3`."""
    for key, value in _plain_scalars(sites):
        is_typed = key.form.number is not None or key.form.boolean is not None
        if isinstance(value.value, bool | int | float) and is_typed and not key.form.texts:
            right = value.span.text
            code = "AS210" if isinstance(value.value, bool) else "AS201"
            yield at(sites.text, value.span, f'"{right}"', code, word=right, mends=True)


def list_for_scalar(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key, value in _plain_scalars(sites):
        is_slot = value.style in ("plain", "expression") and not value.span.text.isalnum()  # otherwise in brackets
        if (
            key.form.sequence is None
            and key.form.free is None
            and _is_own_value(key)
            and not is_slot
            and _is_behind_colon(sites, key)
        ):
            yield at(sites.text, value.span, f"[{value.span.text}]", "AS201")


def _is_behind_colon(sites: Sites, key: Key) -> bool:
    return sites.text[key.entry.key.span.end :][:1] == ":"


def _is_own_value(key: Key) -> bool:
    return bool(key.form.texts or key.form.number or key.form.boolean) and key.path[-1] not in ("name", "extends")


def scalar_for_list(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """The one item of a list without its brackets."""
    for path, node, wanted, _ in sites.lists:
        is_single = len(node.items) == 1 and isinstance(node.items[0], Scalar) and node.flow
        if is_single and not _takes_scalars(wanted) and path and path[-1] not in ("run", "command"):
            item = node.items[0].span.text
            yield at(sites.text, node.span, item, "AS201", "AS411", word=f"[{item}]", mends=True)


def _takes_scalars(wanted: Node) -> bool:
    place = form(wanted)
    return bool(place.texts) or any(branch is not None for branch in (place.number, place.boolean, place.free))


def _flow_mappings(sites: Sites) -> Iterator[tuple[Key, Mapping]]:
    """Keys whose value is a mapping in braces behind a colon."""
    for key in sites.keys:
        value = key.entry.value
        if not isinstance(value, Mapping) or not value.flow or value.anchor is not None:
            continue
        if key.form.free is None and _is_behind_colon(sites, key):
            yield key, value


def scalar_for_mapping(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key, value in _flow_mappings(sites):
        takes = key.form
        if not (takes.texts or takes.number or takes.boolean) and len(key.path) > 1:
            yield at(sites.text, value.span, "plenty", "AS201")


def list_for_mapping(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key, value in _flow_mappings(sites):
        if key.form.sequence is None and "!final" not in sites.text:  # what is final is told instead, at its key
            yield at(sites.text, value.span, "[first, second]", "AS201")


def _quantities(sites: Sites) -> Iterator[tuple[Value, re.Match[str]]]:
    for value in sites.values:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([A-Za-z]+)", value.node.span.text)
        if found and (annotation(value.wanted, "duration") or annotation(value.wanted, "size")):
            yield value, found


def no_unit(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for value, found in _quantities(sites):
        yield at(sites.text, value.node.span, found[1], "AS202", help="units are")


def wrong_unit(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A unit as it is written elsewhere."""
    for value, found in _quantities(sites):
        if found[2] in UNITS:
            wrong = found[1] + UNITS[found[2]]
            yield at(sites.text, value.node.span, wrong, "AS203", word=found[0], mends=True)


def nonsense_unit(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for value, found in _quantities(sites):
        yield at(sites.text, value.node.span, f"{found[1]}zorks", "AS203", suggests=False)


def unit_of_another_measure(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A size where a duration is due, and the other way round."""
    for value, found in _quantities(sites):
        unit = "KiB" if annotation(value.wanted, "duration") else "s"
        yield at(sites.text, value.node.span, found[1] + unit, "AS203")


def negative_number(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key, value in _plain_scalars(sites):
        number = key.form.number
        least = None if number is None else number.get("minimum", number.get("exclusiveMinimum"))
        is_number = isinstance(value.value, int | float) and not isinstance(value.value, bool)
        if is_number and least is not None and least >= 0:
            yield at(sites.text, value.span, "-3", "AS205")


def number_too_great(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key, value in _plain_scalars(sites):
        number = key.form.number
        most = None if number is None else number.get("maximum", number.get("exclusiveMaximum"))
        if most is not None and isinstance(value.value, int | float) and not isinstance(value.value, bool):
            yield at(sites.text, value.span, str(int(most) + 1), "AS205")


def fraction(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A part of a turn, of a call."""
    for key, value in _plain_scalars(sites):
        is_integer = key.form.number is not None and key.form.number.get("type") == "integer" and not key.form.texts
        if is_integer and isinstance(value.value, int) and not isinstance(value.value, bool):
            yield at(sites.text, value.span, f"{value.value}.5", "AS201", "AS205")


def empty_value(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A key with nothing behind it, in a block of YAML."""
    for key, value in _plain_scalars(sites):
        if not key.holder.flow and _is_own_value(key) and key.form.free is None:
            span = Span(value.span.source, key.entry.key.span.end + 1, value.span.end)
            if sites.text[span.start - 1] == ":" and sites.text[span.end : span.end + 1] in ("\n", "\r", ""):
                yield Change(put(sites.text, span, ""), ("AS208",), span.start, span.start)


def empty_list(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for path, node, wanted, _ in sites.lists:
        sequence = form(wanted).sequence
        if node.flow and node.items and sequence is not None and sequence.get("minItems") and path[-1] != "extends":
            yield at(sites.text, node.span, "[]", "AS206")


def swapped_bounds(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """The smaller bound where the greater one belongs."""
    by_path = {key.path: key for key in sites.keys}
    for holder, low, high, code in BOUNDS:
        lesser, greater = by_path.get((*holder, low)), by_path.get((*holder, high))
        if lesser is None or greater is None or lesser.kind != "agent":
            continue
        one, other = lesser.entry.value.span, greater.entry.value.span
        text, moved = edited(sites.text, (one.start, one.end, other.text), (other.start, other.end, one.text))
        if one.text != other.text:
            yield Change(text, (code,), moved(one.start), moved(one.start) + len(other.text))


PLACES = {"root": "AS633", "repo": "AS633", "cwd": "AS633", "file": "AS711", "schema": "AS215"}


def lost_path(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A folder or a file by the name that it had before it was moved."""
    for value in sites.values:
        code = PLACES.get(str(value.path[-1]))
        is_path = (
            annotation(value.wanted, "path") and isinstance(value.node.value, str) and "${" not in value.node.value
        )
        if code and is_path and value.kind == "agent" and value.path[0] != "model":
            yield at(sites.text, value.node.span, "moved-away", code)


def misspelt_type(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """`strng`, `int`, `float`: the types of parameters and inputs."""
    for value in sites.values:
        kinds = [branch.get(MARK, {}).get("kind") for branch in value.form.texts]
        right = str(value.node.value)
        if (
            "type" in kinds
            and right in ("string", "integer", "number", "boolean", "object")
            and right in value.node.span.text
        ):
            wrong = slip(right, chance.choice((1, 1, 2)), chance)
            span = inside(value.node)
            quotes = (len(value.node.span.text) - len(span.text)) // 2
            change = at(sites.text, span, wrong, "AS212", word=right)
            yield change._replace(start=change.start - quotes, end=change.end + quotes)


VALUES = (
    Kind("word for a number", "values", word_for_number),
    Kind("word for a boolean", "values", word_for_boolean),
    Kind("yes or no", "values", yes_for_true),
    Kind("quotes around a number or a boolean", "values", quoted_boolean),
    Kind("list for a single value", "values", list_for_scalar),
    Kind("single value for a list", "values", scalar_for_list),
    Kind("word for a mapping", "values", scalar_for_mapping),
    Kind("list for a mapping", "values", list_for_mapping),
    Kind("no unit", "values", no_unit),
    Kind("unit as it is written elsewhere", "values", wrong_unit),
    Kind("unit that means nothing", "values", nonsense_unit),
    Kind("unit of another measure", "values", unit_of_another_measure),
    Kind("negative number", "values", negative_number),
    Kind("number above its maximum", "values", number_too_great),
    Kind("part of a whole number", "values", fraction),
    Kind("key without a value", "values", empty_value, "yaml"),
    Kind("empty list", "values", empty_list),
    Kind("bounds the wrong way round", "values", swapped_bounds),
    Kind("path that leads nowhere", "values", lost_path),
    Kind("misspelt type", "names", misspelt_type),
)
