"""Data made from data: the proved logic corpus, probing tasks, corrupted texts, word classes, marked features."""
