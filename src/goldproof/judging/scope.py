"""Scope: what a verdict is about, in one word and in a sentence: these systems as they are, or their recipes.

A recipe is what makes a system: trained again, prompted again, drawn again. One run of it says nothing about another.
"""

from __future__ import annotations

from goldproof.data.answers import Answers, RunKind
from goldproof.statistics.comparison import Scope

AGAIN: dict[RunKind, str] = {
    "seed": "training",
    "prompt": "prompt",
    "examples": "draw of examples",
    "repeat": "repetition",
    "step": "checkpoint",
}


OF_DRAWS = "with other draws of training examples, on these very test items"


def scope_of_answers(answers: Answers) -> tuple[Scope, str]:
    """What the score of these answers is about."""
    if answers.bounds is not None and answers.bounds.of_means:
        return "systems", f"this system {OF_DRAWS}"
    return scope_of_score(answers.n_runs, answers.run_kind)


def scope_of_score(n_runs: int, run_kind: RunKind = "seed") -> tuple[Scope, str]:
    """What the score of so many runs is about.

    >>> scope_of_score(1)
    ('systems', 'this system on items like these; one training says nothing about another')
    >>> scope_of_score(5)[1]
    'the recipe: another training, on items like these'
    """
    again = AGAIN[run_kind]
    if run_kind == "repeat":
        return "systems", f"this system{', asked again,' if n_runs > 1 else ''} on items like these"
    if n_runs < 2:
        return "systems", f"this system on items like these; one {again} says nothing about another"
    return "recipes", f"the recipe: another {again}, on items like these"


def scope_of_difference(scope: Scope, a: Answers, b: Answers, seed_sd: float | None, unit: str) -> str:
    """What a comparison of A and B is about, in words; `unit` is how a spread over seeds is printed."""
    again = AGAIN[a.run_kind]
    if a.bounds is not None and a.bounds.of_means:
        return f"these two systems {OF_DRAWS}"
    if scope == "systems":
        if seed_sd == 0 or a.run_kind == b.run_kind == "repeat":
            return "these two systems as they are, on items like these"
        return f"this A and this B, on items like these; one {again} on each side says nothing about another {again}"
    if seed_sd:
        return f"the recipes, on items like these; a spread of {unit} over {again}s is taken as known"
    if min(a.n_runs, b.n_runs) > 1:
        return f"the recipes: other {again}s of A and B, on items like these"
    one, many, n = ("B", "A", a.n_runs) if a.n_runs > b.n_runs else ("A", "B", b.n_runs)
    return f"the recipes, on items like these; {one}'s single {again} is assumed to vary as {many}'s {n} do"
