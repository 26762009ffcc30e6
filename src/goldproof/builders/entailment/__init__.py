"""Entailment corpora and diagnostics by language, made ready: two labels, checked categories."""
