"""Markdown → safe HTML, whole or block by block while it is being written. Pure: no Django, no words of any language."""

from chatapp.render.blocks import RENDERER_VERSION, render_blocks, render_markdown
from chatapp.render.shape import OpenBlock
from chatapp.render.stream import BlockStream, BlockUpdate, render_partial

__all__ = [
    "RENDERER_VERSION",
    "BlockStream",
    "BlockUpdate",
    "OpenBlock",
    "render_blocks",
    "render_markdown",
    "render_partial",
]
