"""`{% icon "copy" "icon-small" %}`. A page has more than a hundred of them: a tag, not an include."""

from __future__ import annotations

from functools import cache

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
@cache
def icon(name: str, classes: str = "") -> SafeString:
    """One of the sprite's pictures, without a meaning of its own: its button has a label."""
    sprite = static("chatapp/icons/lucide.svg")
    svg = '<svg class="icon{}" aria-hidden="true"><use href="{}#{}"></use></svg>'
    return format_html(svg, f" {classes}" if classes else "", sprite, name)
