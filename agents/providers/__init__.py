"""Providers: the protocol, and one module per way to reach a model, imported when first asked for."""

from agents.providers.base import ModelRequest, Provider, ToolSpec, provider_for, register_provider

__all__ = ["ModelRequest", "Provider", "ToolSpec", "provider_for", "register_provider"]
