"""Tools: what they are (base), and one tool a module."""

from agents.tools.base import RunContext, Tool, tool

__all__ = ["RunContext", "Tool", "tool"]
