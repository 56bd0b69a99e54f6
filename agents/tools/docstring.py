"""Reads what a docstring says of a function and of its parameters (Google's "Args:" and Sphinx's
":param:")."""

from __future__ import annotations

import inspect
import re

_SECTION = re.compile(
    r"^(args|arguments|parameters|returns?|raises|yields?|examples?|notes?):\s*$", re.IGNORECASE
)
_GOOGLE = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_SPHINX = re.compile(r"^:param\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)$")
_SPHINX_ANY = re.compile(r"^:\w+[^:]*:")


def read_docstring(function: object) -> tuple[str, dict[str, str]]:
    """The description (all before the first section), and the text of each parameter that has one."""
    lines = (inspect.getdoc(function) or "").splitlines()
    end = next((at for at, line in enumerate(lines) if _ends_description(line)), len(lines))
    return "\n".join(lines[:end]).strip(), _sphinx(lines[end:]) | _google(lines[end:])


def _ends_description(line: str) -> bool:
    return bool(_SECTION.match(line) or _SPHINX_ANY.match(line))


def _google(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name, indent = "", 0
    for line in _arguments_section(lines):
        depth = len(line) - len(line.lstrip())
        match = _GOOGLE.match(line.strip()) if not name or depth <= indent else None
        if match:
            name, indent = match[1], depth
            found[name] = match[2].strip()
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _arguments_section(lines: list[str]) -> list[str]:
    section: list[str] = []
    inside = False
    for line in lines:
        if match := _SECTION.match(line):
            inside = match[1].lower() in ("args", "arguments", "parameters")
        elif inside:
            section.append(line)
    return section


def _sphinx(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        if match := _SPHINX.match(line):
            name = match[1]
            found[name] = match[2].strip()
        elif _SPHINX_ANY.match(line) or not line.strip():
            name = ""
        elif name:
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found
