"""A folder to run in, and a zygote for the whole session."""

import signal

import pytest

from tests.durability.place import Place, Zygote

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests that are run under `nohup` hand an ignored signal on


@pytest.fixture(scope="session")
def zygote():
    forks = Zygote()
    yield forks
    forks.close()


@pytest.fixture
def place(tmp_path, zygote):
    return Place(tmp_path, zygote)


@pytest.fixture
def places(tmp_path, zygote):
    """Make as many folders as asked for."""

    def make(name: str) -> Place:
        folder = tmp_path / name
        folder.mkdir()
        return Place(folder, zygote)

    return make
