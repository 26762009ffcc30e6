"""Assay tells how much of an NLU score is gold.

Importing this package is light: neither torch nor ray is loaded, and each public name is imported when first used.
"""

from __future__ import annotations

__version__ = "0.1.0"
