"""dsl: the DSL spelling: text to document tree."""

from agentspec.syntax.dsl.document import parse

__all__ = ["parse"]
