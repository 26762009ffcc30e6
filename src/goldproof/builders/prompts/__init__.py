"""Prompts as data: templates with the words that stand for labels, built in or a file of one's own, their variations,
and examples drawn by seed. No model is asked here.
"""
