"""The templates of `closed2`: the names of the hypothesis meet only through names that the hypothesis does not say.

Both members of a contrast have the same text once every name that is not in the hypothesis is masked, and the names of
the hypothesis are as many sentences apart. So a rule has to see which sentence says what of which name, and to follow a
name from sentence to sentence; whatever reads words, lengths, overlap or the nearest sentence sees no difference.
"""

from __future__ import annotations

from goldproof.builders.logic.linked import comparison, coordination, counting, description, negation, quantifiers
from goldproof.builders.logic.templates.contrast import Template

TEMPLATES: tuple[Template, ...] = (
    *negation.TEMPLATES,
    *coordination.TEMPLATES,
    *quantifiers.TEMPLATES,
    *description.TEMPLATES,
    *comparison.TEMPLATES,
    *counting.TEMPLATES,
)

__all__ = ["TEMPLATES"]
