"""Shortcuts: rules that see a part of the surface of texts only, learn it on train and answer test."""
