"""Data made from data: proved logic, probing tasks, corrupted texts, entailment, word classes, marked features."""
