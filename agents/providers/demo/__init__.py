"""`demo`: for want of a model. It answers by rules, streams as a model does, and uses real tools."""

from __future__ import annotations

from functools import cache

from agents.providers.demo.provider import DemoProvider

__all__ = ["DemoProvider", "provider"]


@cache
def provider(vendor: str) -> DemoProvider:
    """The factory that `provider_for("demo")` asks: one instance per process."""
    return DemoProvider()
