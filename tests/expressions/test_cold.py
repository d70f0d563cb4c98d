"""What a first check loads: CEL only where an expression is not plain, and never what protobuf generates."""

import subprocess
import sys

import pytest

CHECK = "from agentspec.expressions.compile import check_expression as check; "
PLACES = "from agentspec.expressions.places import PLACES; "
TEMPLATE = "from agentspec.expressions.template import parse_template; "

PROGRAMS = [
    ("import agentspec.expressions.places", []),
    ("import agentspec.expressions.template", []),
    (TEMPLATE + PLACES + "parse_template('on ${inputs.branch}').check(PLACES['prompt'])", []),
    (CHECK + PLACES + "check('iteration >', PLACES['loop_control.when'])", []),
    (CHECK + PLACES + "check('iteration > 3 && size(turn.tool_names) > 0', PLACES['loop_control.when'])", []),
    (CHECK + PLACES + "check('iteration > 3.5', PLACES['loop_control.when'])", ["cel_expr_python", "google.protobuf"]),
    (
        CHECK + PLACES + "check('turn.tool_names.join(\",\") == \"\"', PLACES['loop_control.when'])",
        ["cel_expr_python", "google.protobuf"],
    ),
]
HEAVY = (
    "cel_expr_python",
    "google.protobuf",
    "google.protobuf.descriptor_pb2",
    "google.protobuf.struct_pb2",
    "google.protobuf.json_format",
    "cel_expr_python.ext",
    "agentspec.expressions.library",
    "decimal",
    "hashlib",
    "msgspec",
    "lark",
    "jsonschema",
    "pydantic",
)


@pytest.mark.parametrize(("program", "loaded"), PROGRAMS, ids=[row[0][-60:] for row in PROGRAMS])
def test_only_what_is_needed_is_loaded(program: str, loaded: list[str]) -> None:
    report = f"{program}\nimport sys; print(*(name for name in {HEAVY!r} if name in sys.modules))"

    given = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)

    assert given.stdout.split() == loaded
