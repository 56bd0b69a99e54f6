"""The transcript: entries, their JSON, the rules of calls and results, and the border for all text."""

from agents.transcript.entries import (
    AssistantTextEntry,
    Entry,
    InputEntry,
    Part,
    ReasoningEntry,
    ToolCallEntry,
    ToolResultEntry,
    UnreadableEntry,
    entry_from_dict,
    entry_from_json,
    entry_to_dict,
    entry_to_json,
    json_text,
)
from agents.transcript.pairing import (
    INTERRUPTED_RESULT,
    drop_dangling_tool_calls,
    make_whole,
    pair_calls,
    pending_tool_calls,
    unpaired_positions,
    whole_arguments,
)
from agents.transcript.text import TextCleaner, clean_json, clean_text

__all__ = [
    "INTERRUPTED_RESULT",
    "AssistantTextEntry",
    "Entry",
    "InputEntry",
    "Part",
    "ReasoningEntry",
    "TextCleaner",
    "ToolCallEntry",
    "ToolResultEntry",
    "UnreadableEntry",
    "clean_json",
    "clean_text",
    "drop_dangling_tool_calls",
    "entry_from_dict",
    "entry_from_json",
    "entry_to_dict",
    "entry_to_json",
    "json_text",
    "make_whole",
    "pair_calls",
    "pending_tool_calls",
    "unpaired_positions",
    "whole_arguments",
]
