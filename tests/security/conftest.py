"""What hostile corpora share: the program as tests call it."""

from tests.cli.conftest import agentspec

__all__ = ["agentspec"]
