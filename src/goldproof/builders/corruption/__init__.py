"""Texts with words of some classes removed, and the controls that such a removal needs beside it."""
