"""ports: what a run needs from the outside, as Protocols: the door for adapters. No code.

An adapter never lets a library's exception out: the world's failures are values (`Failure`, `Output` with an error).
Cancellation is asyncio's own: an adapter cleans up in `finally` and re-raises `CancelledError`.
"""

from agentspec.compose.provider_tools import ProviderTool
from agentspec.core.messages import (
    AssistantMessage,
    Failure,
    Picture,
    Reply,
    SystemMessage,
    ToolCall,
    ToolError,
    ToolMessage,
    ToolResult,
    Usage,
    UserMessage,
)
from agentspec.core.transcript import Transcript
from agentspec.ports.models import Delta, Model, ModelRequest, ModelSettings, Provider, ToolSchema
from agentspec.ports.stores import Artifacts, Journal, JournalRecord
from agentspec.ports.surroundings import Clock, Respondent
from agentspec.ports.tools import Instant, Invocation, Output, Restorable, Tool

__all__ = [
    "Artifacts",
    "AssistantMessage",
    "Clock",
    "Delta",
    "Failure",
    "Instant",
    "Invocation",
    "Journal",
    "JournalRecord",
    "Model",
    "ModelRequest",
    "ModelSettings",
    "Output",
    "Picture",
    "Provider",
    "ProviderTool",
    "Reply",
    "Respondent",
    "Restorable",
    "SystemMessage",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolMessage",
    "ToolResult",
    "ToolSchema",
    "Transcript",
    "Usage",
    "UserMessage",
]
