"""How a report shows itself in a notebook: the page's content with its style, without script, nothing fetched."""

from __future__ import annotations

from goldproof.report.html import html_fragment

__all__ = ["html_fragment"]
