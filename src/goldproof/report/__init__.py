"""A typed summary first; HTML, Markdown, LaTeX, CSV, JSON and figures are renderings of it."""
