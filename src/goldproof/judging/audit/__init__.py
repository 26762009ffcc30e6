"""Audit: whether data can be solved without understanding: leaks, shortcuts, labels, size, balance, with evidence."""
