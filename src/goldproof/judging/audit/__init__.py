"""Audit: can data be solved without understanding? Leaks, shortcuts, labels, size and balance, each with its evidence."""
