"""Marks which linguistic features a text shows, by rules over taggers and word lists; it judges form, not meaning."""
