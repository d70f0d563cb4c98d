"""context: the section that says what the model sees.

The recorded conversation is never changed by any of it; these are views.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agentspec.spec.base import Items, Maybe, Record, Some, key
from agentspec.spec.kinds import (
    Count,
    Expression,
    Free,
    Glob,
    Line,
    Mark,
    PathText,
    ProviderRef,
    Python,
    Size,
    Text,
    ToolRef,
    Whole,
    Yes,
)

PromptId = Annotated[str, Mark("reference", to="prompt")]
Amount = Annotated[float, Field(gt=0), Mark("amount")]
"""Up to 1 a share of what fits, above 1 a number of tokens."""


class FileText(Record):
    """A text that is loaded from a file."""

    file: PathText = key("The file, with `${…}` in it.")


class Called(Record):
    """A tool call of a seeded turn."""

    id: Line = key("Its id, which the result repeats.")
    name: Line = key("The tool.")
    arguments: Free = key("Its arguments.", {})


class Turn(Record):
    """A seeded message."""

    role: Literal["user", "assistant", "system", "tool_result"] = key("Who speaks.")
    content: Maybe[Text] = key("What is said.", None)
    images: Maybe[Some[PathText]] = key("Files of images that are shown with it: PNG, JPEG, GIF, WebP.", None)
    tool_calls: Maybe[Some[Called]] = key("Calls that the assistant makes.", None)
    call_id: Maybe[Line] = key("The call that a result answers.", None)


class Summarizer(Record):
    """The model that writes summaries."""

    provider: Maybe[ProviderRef] = key("Who is asked.", None, shown="the run's provider")
    model: Maybe[Line] = key("The model that is asked.", None, shown="the run's model")
    temperature: Maybe[Annotated[float, Field(ge=0, le=2)]] = key("Sampling temperature, 0 to 2.", None)
    max_output_tokens: Maybe[Count] = key("The longest summary.", None)
    options: Maybe[Free] = key("Passed through to the provider as they are.", None)


class CompactionPolicy(Record):
    """What a summary keeps and drops."""

    instructions: Maybe[Text] = key("What the summarizer is told.", None)
    mode: Maybe[Line] = key("A name for the way it works, for the record.", None)
    scope: Maybe[Literal["host", "model_visible", "summary", "transcript"]] = key(
        "Who gets to see the instructions.", None, shown="`host`"
    )
    preserve: Items[Line] = key("What must stay.", [])
    drop: Items[Line] = key("What may go.", [])
    extend_default_instructions: bool = key("Add to the built-in instructions instead of replacing.", default=True)
    author: Maybe[Line] = key("Whose policy it is, for the record.", None)


CompactionStrategy = Literal["none", "truncate", "summarize_middle", "summarize_all", "hybrid"]


class Compaction(Record):
    """How a long conversation is made to fit."""

    not_both = (("strategy", "python"),)

    strategy: CompactionStrategy = key("How it is done.", "hybrid")
    python: Maybe[Python] = key("A function that does it.", None)
    keep_first: Whole = key("Messages at the beginning that stay.", 0)
    keep_last: Whole = key("Messages at the end that stay.", 10)
    threshold: Maybe[Amount] = key(
        "From when; up to 1 a share of what fits beside the answer, above it tokens.", None, shown="0.7"
    )
    target: Maybe[Amount] = key("Down to what; only as much is taken as that needs.", None)
    summarizer: Maybe[Summarizer] = key("The model that writes summaries.", None, shown="the run's model")
    policy: Maybe[Line | CompactionPolicy] = key("What a summary keeps: a named policy, or one spelled out.", None)


class FilterRule(Record):
    """A rule for each message of the view; the first that matches decides."""

    one_of = ("drop", "keep", "replace", "python")

    when: Maybe[Annotated[str, Expression("context.filter.when")]] = key("The rule matches when it holds.", None)
    drop: Maybe[Yes] = key("Leave the message out.", None)
    keep: Maybe[Yes] = key("Keep it, and ask no later rule.", None)
    replace: Maybe[Text] = key("Show this instead.", None)
    python: Maybe[Python] = key("A function that decides.", None)
    reason: Maybe[Line] = key("Why, for the record.", None)


ProjectionName = Literal["clean_tool_repair", "squash_failed_calls", "summary_prefix", "reachability_gc"]


class Projection(Record):
    """A view of the conversation, with its options."""

    strategy: ProjectionName = key("How it is made.")
    keep_last: Whole = key("Messages at the end that stay as they are.", 0)
    root_window: Count = key("Recent messages whose references keep older results.", 8)
    min_chars: Whole = key("Results shorter than this stay.", 500)
    roots: Items[ToolRef] = key("Tools whose results always stay.", [])
    require_write_barrier: bool = key("Only results from before the last change may go.", default=False)


class Scratchpad(Record):
    """Notes that the model keeps and that are recited at the end of each request."""

    goals: Items[Line] = key("Goals at the start.", [])
    open_items: Items[Line] = key("Open items at the start.", [])
    facts: Items[Line] = key("Facts at the start.", [])
    refs: Items[Line] = key("References at the start.", [])
    deliverables: Items[Line] = key("What must be handed over before the run is done.", [])
    recite: bool = key("Whether it is recited.", default=True)
    reorganize_every: Count = key("Turns between two reorganisations.", 3)
    max_recent_messages: Maybe[Count] = key("Messages that a reorganisation looks at.", None)
    schema_retries: Whole = key("Tries after a reorganisation that cannot be read.", 1)
    max_size: Size = key("The most it can hold.", "16KiB")
    reorganizer: Maybe[Summarizer] = key("The model that reorganises.", None, shown="the run's model")


class Reminder(Record):
    """A text that the model hears again and again."""

    text: Text = key("What is said.")
    every: Count = key("Every so many turns.", 1)
    when: Maybe[Annotated[str, Expression("loop_control.when")]] = key("Only when it holds.", None)
    propagate: Literal["all", "session", "none"] = key("Whether children hear it too.", "session")


class Context(Record):
    """What the model sees."""

    system: Maybe[Text | FileText] = key("The system text.", None)
    prompts: Maybe[dict[PromptId, Text | FileText]] = key("Other wordings of built-in texts, by id.", None)
    history: Maybe[Some[Turn]] = key("Messages that a run begins with.", None)
    compaction: CompactionStrategy | Compaction = key("How a long conversation is made to fit.", "hybrid")
    projection: Maybe[ProjectionName | Projection | Some[FilterRule]] = key("A view of the conversation.", None)
    scratchpad: bool | Scratchpad = key("Notes that the model keeps.", default=False)
    working_files: Maybe[Some[Glob]] = key("Files that the work is about.", None)
    reminders: Items[Text | Reminder] = key("Texts that the model hears again and again.", [])
    timestamp_messages: bool = key("Whether messages carry their time.", default=False)
    instructions_files: Literal["auto", "off"] | Some[PathText] = key(
        "Files such as `AGENTS.md` that are read at the start.", "off"
    )
    filter: Maybe[Some[FilterRule]] = key("Rules for each message of the view.", None)
