"""format: document trees to text, one form in each spelling, with their comments; what is given reads back the same."""

from agentspec.syntax.format.rewrite import Form, convert, form_of, format_text
from agentspec.syntax.format.values import text_of

__all__ = ["Form", "convert", "form_of", "format_text", "text_of"]
