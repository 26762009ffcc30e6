"""Bytes to columns: one module for each format of files; none gives a column a meaning."""
