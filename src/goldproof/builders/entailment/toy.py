"""Generated entailment pairs and diagnostics in toy languages, so that studies run with no corpus at hand.

A hypothesis repeats its premise; a negation in it makes it wrong. The diagnostics have the 33 categories with mirrored
twins, and how far a category obeys that rule differs, so that some are above chance, some below, some neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from goldproof.builders.entailment.categories import TAGS
from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.jobs import step

LEXICON: dict[str, tuple[str, str, str, str]] = {
    "en": ("Anna Boris Carl Dora Emil Fay", "sees hears knows helps", "today here often alone", "never"),
    "ru": ("Анна Борис Вера Глеб Дина Егор", "видит слышит знает ждёт", "сегодня тут часто тихо", "никогда"),
    "fr": ("Anne Bruno Claire Denis Émile Flore", "voit entend connaît aide", "ici souvent seul demain", "jamais"),
    "de": ("Anna Bernd Clara Dirk Emil Frieda", "sieht hört kennt ruft", "heute hier oft allein", "niemals"),
    "sv": ("Anna Bo Cissi David Elin Fredrik", "ser hör känner hjälper", "idag här ofta ensam", "aldrig"),
}
_STRENGTHS = (0.95, 0.5, 0.1, 0.8)  # the share of rows that obey the rule, category after category


@step(version=1, name="goldproof.stability.generate_entailment", size=lambda given: given["n"], paced_by=())
def generate_entailment(language: str, n: int, seed: int, noise: float = 0.1, three_way: bool = False) -> Dataset:
    """So many pairs; a share `noise` of the labels is wrong."""
    rng = np.random.default_rng([seed, n, len(language)])
    rows = []
    for premise, hypothesis, negated in _pairs(language, n, rng):
        wrong = bool(negated) ^ bool(rng.random() < noise)
        no = ("neutral", "contradiction")[int(rng.integers(2))] if three_way else "not_entailment"
        rows.append({"text": premise, "pair": hypothesis, "label": no if wrong else "entailment"})
    return Dataset.from_rows(f"generated-{language}", rows, split="train", language=language)


@step(version=1, name="goldproof.stability.generate_diagnostics")
def generate_diagnostics(language: str, n_pairs: int, seed: int) -> Dataset:
    """So many pairs of each category and their mirrored twins; every fifth pair has two categories."""
    rows: list[dict[str, Any]] = []
    for place, tag in enumerate(TAGS):
        # The same draws in every language: row i is the same item in each.
        rng = np.random.default_rng([seed, place])
        for number, (premise, hypothesis, negated) in enumerate(_pairs(language, n_pairs, rng)):
            obeys = rng.random() < _STRENGTHS[place % len(_STRENGTHS)]
            label = "not_entailment" if bool(negated) == bool(obeys) else "entailment"
            tags = [tag] if number % 5 else [tag, TAGS[(place + 7) % len(TAGS)]]
            for text, pair in ((premise, hypothesis), (hypothesis, premise)):
                rows.append({"text": text, "pair": pair, "label": label, "tags": tags})
    return Dataset.from_rows(f"generated-diagnostics-{language}", rows, language=language)


def _pairs(language: str, n: int, rng: np.random.Generator) -> Iterator[tuple[str, str, bool]]:
    if language not in LEXICON:
        raise UsageError(f"there is no toy language {language!r}; there are: {', '.join(LEXICON)}")
    names, verbs, places, never = (words.split() for words in LEXICON[language])
    for _ in range(n):
        one, other = rng.choice(len(names), 2, replace=False)
        what = f"{verbs[rng.integers(len(verbs))]} {names[other]}"
        negated = bool(rng.random() < 0.5)
        hypothesis = f"{names[one]} {never[0]} {what}." if negated else f"{names[one]} {what}."
        yield f"{names[one]} {what} {places[rng.integers(len(places))]}.", hypothesis, negated
