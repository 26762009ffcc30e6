"""Checkpoints: answers at several steps of training; does development guide to test, and how much of a score is luck.

`agreement` asks it of any sets, for `score`; the rest is zero-shot transfer over runs, checkpoints and languages.
"""
