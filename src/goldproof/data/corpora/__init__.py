"""Corpora that have a name: the catalog, where each comes from, and reading them as jobs."""
