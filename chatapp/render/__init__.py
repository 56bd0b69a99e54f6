"""Markdown → safe HTML, whole or block by block while it is being written.

Pure: no Django, and no words of any language, since what it makes is stored.
"""

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
