"""The data that comes with agentspec is found where it is."""

import pytest

from agentspec.errors import InternalError
from agentspec.resources import resource


def test_a_folder_and_a_file_below_it_are_found() -> None:
    assert resource("stdlib", "presets").is_dir()
    assert resource("stdlib", "presets", "audit.agent").is_file()
    assert not resource("stdlib", "presets", "nothing.yaml").exists()


def test_an_installation_that_lacks_a_folder_says_so() -> None:
    with pytest.raises(InternalError, match="this installation lacks its `nothing` folder"):
        resource("nothing", "below")
