"""Pages of results, as notebooks show them."""

from __future__ import annotations

import html

__all__ = ["framed"]


def framed(page: str) -> str:
    """Put a page into a frame of its own, so that its style and its keys stay with it."""
    style = "width: 100%; height: 42rem; border: 0"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{html.escape(page)}"></iframe>'
