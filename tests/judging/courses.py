"""Runs over checkpoints with known scores, as panels and as rows of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldproof.judging.transfer.panels import Panel, PanelParts, Panels, Scoring, make_panel, make_panels

LABELS = ("no", "yes")
ACCURACY = Scoring("accuracy", LABELS)


def exact_panel(language: str, split: str, scores: Any, n: int = 200, **more: Any) -> Panel:
    """A panel whose runs × checkpoints have exactly these scores: the first items are the right ones."""
    gold = np.arange(n) % 2
    right = np.arange(n) < np.round(np.asarray(scores)[..., None] * n)
    ids = np.array([f"{i:04}" for i in range(n)], object)
    return make_panel(language, split, ACCURACY, PanelParts(ids, gold, np.where(right, gold, 1 - gold), **more))


def noisy_panel(language: str, split: str, chances: Any, rng: np.random.Generator, n: int = 200) -> Panel:
    """A panel whose runs × checkpoints answer each item right with these probabilities."""
    gold = np.arange(n) % 2
    right = rng.random((*np.shape(chances), n)) < np.asarray(chances)[..., None]
    ids = np.array([f"{i:04}" for i in range(n)], object)
    return make_panel(language, split, ACCURACY, PanelParts(ids, gold, np.where(right, gold, 1 - gold)))


def experiment(panels: list[Panel], source: str = "en") -> Panels:
    n_runs, n_points = panels[0].scores.shape
    return make_panels(source, [str(run) for run in range(n_runs)], list(range(1, n_points + 1)), panels)


def rows_of(panels: Panels) -> list[dict[str, Any]]:
    """The rows of a file of predictions."""
    return [
        {
            "id": str(item),
            "run": run,
            "step": step,
            "language": panel.language,
            "split": panel.split,
            "gold": LABELS[panel.gold[i]],
            "prediction": LABELS[panel.answers[r, s, i]],
        }
        for panel in panels.sets.values()
        for r, run in enumerate(panels.run_names)
        for s, step in enumerate(panels.steps)
        for i, item in enumerate(panel.ids)
        if np.isfinite(panel.scores[r, s])
    ]
