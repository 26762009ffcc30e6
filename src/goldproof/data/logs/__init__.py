"""Logs of evaluation harnesses, one reader each, found by what a file holds and not by its name."""
