"""A folder in which everything that has a name is named, on a desk."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.lsp.desk import Desk
from tests.lsp.workspaces import WORKSPACE, put


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workspace") / "project"  # alone in its folder: siblings would be offered
    put(folder, WORKSPACE)
    return folder


@pytest.fixture(scope="module")
def desk(workspace: Path) -> Desk:
    desk = Desk()
    desk.folders = frozenset([str(workspace)])
    return desk
