"""What a vendor refuses: the checks of a chat completions request, at least as strict as any real server."""

import json
import re
from collections.abc import Iterator
from typing import Any

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ROLES = {"system", "developer", "user", "assistant", "tool"}
PARTS = {"text": "text", "image_url": "image_url", "file": "file", "input_audio": "input_audio"}
PARAMETERS = {
    "model", "messages", "stream", "stream_options", "tools", "tool_choice", "parallel_tool_calls",
    "response_format", "temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed", "user",
    "n", "presence_penalty", "frequency_penalty", "logit_bias", "reasoning_effort", "metadata", "store",
    "prompt_cache_key", "safety_identifier", "service_tier", "verbosity",
}  # fmt: skip


class Refusal(Exception):
    """The request is broken; the text says how, as the body of a 400 does."""


def check(body: Any) -> None:
    """Refusal unless a vendor would take this request."""
    _need(isinstance(body, dict), "the body must be a JSON object")
    for value in _strings(body):
        _need("\0" not in value, "NUL characters are not allowed")
        _need(not any("\ud800" <= char <= "\udfff" for char in value), "unpaired surrogates are not allowed")
    _need(isinstance(body.get("model"), str) and body["model"], "you must provide a model parameter")
    unknown = sorted(set(body) - PARAMETERS)
    _need(not unknown, f"unrecognized request arguments: {unknown}")
    _need("stream_options" not in body or body.get("stream") is True, "stream_options needs stream")
    _check_tools(body)
    messages = body.get("messages")
    _need(isinstance(messages, list) and messages, "messages must be a list that is not empty")
    for at, message in enumerate(messages):
        _check_message(message, f"messages[{at}]")
    _check_pairs(messages)
    _need(messages[-1]["role"] in ("user", "tool"), "the last message must be of the user or a tool")


def _need(condition: Any, message: str) -> None:
    if not condition:
        raise Refusal(message)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _check_tools(body: dict[str, Any]) -> None:
    if "tools" not in body:
        _need("tool_choice" not in body, "tool_choice is only allowed when tools are specified")
        _need(
            "parallel_tool_calls" not in body, "parallel_tool_calls is only allowed when tools are specified"
        )
        return
    tools = body["tools"]
    _need(isinstance(tools, list) and tools, "tools must be a list that is not empty")
    names = [_tool_name(tool, f"tools[{at}]") for at, tool in enumerate(tools)]
    _need(len(set(names)) == len(names), "tool names must be unique")


def _tool_name(tool: Any, where: str) -> str:
    _need(isinstance(tool, dict) and tool.get("type") == "function", f"{where}: unknown type of tool")
    function = tool.get("function")
    _need(isinstance(function, dict), f"{where}: no function")
    name = function.get("name")
    _need(isinstance(name, str) and NAME.fullmatch(name), f"{where}: invalid name")
    _need(isinstance(function.get("description", ""), str), f"{where}: invalid description")
    parameters = function.get("parameters", {"type": "object"})
    _need(
        isinstance(parameters, dict) and parameters.get("type") == "object",
        f"{where}: parameters: not an object",
    )
    return str(name)


def _check_message(message: Any, where: str) -> None:
    _need(isinstance(message, dict), f"{where}: not an object")
    role = message.get("role")
    _need(role in ROLES, f"{where}: unknown role {role!r}")
    if role == "assistant":
        _check_assistant(message, where)
    elif role == "tool":
        _need(
            isinstance(message.get("tool_call_id"), str) and message["tool_call_id"],
            f"{where}: no tool_call_id",
        )
        _need(isinstance(message.get("content"), str | list), f"{where}: a tool message needs content")
        if isinstance(message["content"], list):
            _check_parts(message["content"], where)
    else:
        _need("tool_calls" not in message, f"{where}: only an assistant calls tools")
        _check_content(message.get("content"), where)


def _check_assistant(message: dict[str, Any], where: str) -> None:
    unknown = sorted(set(message) - {"role", "content", "tool_calls", "name", "refusal"})
    _need(not unknown, f"{where}: unknown fields {unknown}")
    if "tool_calls" in message:
        calls = message["tool_calls"]
        _need(isinstance(calls, list) and calls, f"{where}: tool_calls must not be empty")
        for call in calls:
            _check_call(call, where)
        ids = [call["id"] for call in calls]
        _need(len(set(ids)) == len(ids), f"{where}: call ids must be unique")
        if message.get("content") is None:
            return
    _check_content(message.get("content"), where)


def _check_call(call: Any, where: str) -> None:
    _need(isinstance(call, dict) and call.get("type") == "function", f"{where}: unknown type of tool call")
    call_id = call.get("id")
    _need(isinstance(call_id, str) and 0 < len(call_id) <= 40, f"{where}: no id of 1 to 40 characters")
    function = call.get("function")
    _need(isinstance(function, dict), f"{where}: a tool call needs a function")
    name, arguments = function.get("name"), function.get("arguments")
    _need(isinstance(name, str) and NAME.fullmatch(name), f"{where}: invalid function name")
    _need(isinstance(arguments, str), f"{where}: arguments must be a string")
    try:
        parsed = json.loads(arguments, parse_constant=_no_constant)
    except ValueError:
        parsed = None
    _need(isinstance(parsed, dict), f"{where}: arguments are not a JSON object: {arguments[:80]!r}")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _check_content(content: Any, where: str) -> None:
    if isinstance(content, str):
        _need(content.strip(), f"{where}: content must not be empty")
    else:
        _need(isinstance(content, list) and content, f"{where}: content must not be empty")
        _check_parts(content, where)


def _check_parts(parts: list[Any], where: str) -> None:
    for part in parts:
        _need(isinstance(part, dict), f"{where}: a part must be an object")
        field = PARTS.get(part.get("type"))
        _need(field is not None and field in part, f"{where}: unknown or empty part")
        if field == "text":
            _need(
                isinstance(part["text"], str) and part["text"].strip(),
                f"{where}: a text part must not be empty",
            )
        elif field == "image_url":
            _need(
                isinstance(part["image_url"], dict) and part["image_url"].get("url"), f"{where}: no image url"
            )


def _check_pairs(messages: list[dict[str, Any]]) -> None:
    """Every call is followed by exactly its result, before anything else; no result without its call."""
    waiting: set[str] = set()
    known: set[str] = set()
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            _need(call_id in waiting, f"messages[{at}]: tool result {call_id!r} has no preceding tool call")
            waiting.discard(call_id)
            continue
        _need(not waiting, f"messages[{at}]: tool calls without results: {sorted(waiting)}")
        waiting = {call["id"] for call in message.get("tool_calls", ())}
        _need(not waiting & known, f"messages[{at}]: call ids must be unique: {sorted(waiting & known)}")
        known |= waiting
    _need(not waiting, f"tool calls without results: {sorted(waiting)}")
