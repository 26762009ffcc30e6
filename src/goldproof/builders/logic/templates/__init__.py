"""The templates of each task: ours, whose contrasts close the leaks of the published corpus."""

from __future__ import annotations

from goldproof.builders.logic.templates import comparison, coordination, counting, description, negation, quantifiers
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template

TEMPLATES: tuple[Template, ...] = (
    *negation.TEMPLATES,
    *coordination.TEMPLATES,
    *quantifiers.TEMPLATES,
    *description.TEMPLATES,
    *comparison.TEMPLATES,
    *counting.TEMPLATES,
)

__all__ = ["TEMPLATES", "Contrast", "LogicTask", "Template"]
