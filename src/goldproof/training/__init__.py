"""Fine-tuning: model, data and seed in, predictions at every checkpoint out.

Each public name is imported when first used; torch waits until something is trained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goldproof import lazy

if TYPE_CHECKING:
    from goldproof.models.examples import Examples
    from goldproof.training.finetune import Hooks, finetune_many
    from goldproof.training.recipe import EarlyStopping, Execution, Recipe, Seeds
    from goldproof.training.search import Between, draw_settings
    from goldproof.training.selection import best_outcome, best_point

__all__ = [
    "Between",
    "EarlyStopping",
    "Examples",
    "Execution",
    "Hooks",
    "Recipe",
    "Seeds",
    "best_outcome",
    "best_point",
    "draw_settings",
    "finetune_many",
]

_HOMES = {
    "goldproof.models.examples": ("Examples",),
    "goldproof.training.finetune": ("Hooks", "finetune_many"),
    "goldproof.training.recipe": ("EarlyStopping", "Execution", "Recipe", "Seeds"),
    "goldproof.training.search": ("Between", "draw_settings"),
    "goldproof.training.selection": ("best_outcome", "best_point"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    return lazy.find(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
