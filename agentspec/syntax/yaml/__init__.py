"""yaml: the YAML spelling: text to document tree."""

from agentspec.syntax.yaml.document import parse

__all__ = ["parse"]
