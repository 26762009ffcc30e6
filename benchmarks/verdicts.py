"""Intervals, verdicts and advice on the designs of `benchmarks/designs.py`, as `score` and `compare` give them.

    python benchmarks/verdicts.py [--repetitions 2000] [--processes 2]      writes docs/validation/statistics.md

Everything goes through the functions that the commands call, at their defaults. The designs were written down before
the methods; what fails stands on the page too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import designs
from designs import Design, Drawn
from goldproof.data.answers import Answers
from goldproof.judging.checkpoints.agreement import last_steps
from goldproof.judging.collapse import collapse_of, without_collapsed
from goldproof.judging.compare import compare_answers
from goldproof.judging.differences import Judging, compare_pair, differences_of
from goldproof.judging.gate import Margins
from goldproof.judging.metrics import mean_score
from goldproof.judging.score import Settings
from goldproof.statistics.intervals import t_quantile
from goldproof.statistics.planning import needed

PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation" / "statistics.md"
MARGIN = Margins().tie
MOST_ITEMS, MOST_RUNS = 60_000, 200  # of a followed advice, that it can be simulated


@dataclass(frozen=True)
class Outcome:
    """What came of one design: the counted share, what else is told of it, and the repetitions."""

    name: str
    share: float
    repetitions: int
    beside: tuple[str, ...] = ()

    @property
    def error(self) -> float:
        """The Monte-Carlo error of the share."""
        return float(np.sqrt(self.share * (1 - self.share) / self.repetitions))

    def line(self, *more: str) -> str:
        return f"| {' | '.join([self.name, f'{100 * self.share:.1f} ± {100 * self.error:.1f}', *self.beside, *more])} |"


# ----- from draws to Answers ----------------------------------------------------------------------------------------


def answers_of(drawn: Drawn, runs: np.ndarray, where: dict[str, str] | None = None) -> Answers:
    """Runs of a draw as Answers."""
    n_runs, n = runs.shape
    labels, names = ("no", "yes"), tuple(str(i) for i in range(n_runs))
    return Answers(
        where or {}, None, "classification", labels, np.arange(n), drawn.gold, runs, names, clusters=drawn.clusters
    )


def with_steps(drawn: Drawn) -> list[Answers]:
    """Runs of a draw at the steps at which they ended, and all of them at an early step, where they knew nothing."""
    assert drawn.steps is not None
    everything = answers_of(drawn, drawn.a)
    early = Answers(
        {}, 1, "classification", everything.labels, everything.ids, drawn.gold, 0 * drawn.a, everything.run_names
    )
    ends = []
    for step in np.unique(drawn.steps).tolist():
        here = np.flatnonzero(drawn.steps == step)
        names = tuple(everything.run_names[i] for i in here)
        ends.append(
            Answers({}, step, "classification", everything.labels, everything.ids, drawn.gold, drawn.a[here], names)
        )
    return [early, *ends]


def judging(metric: str = "accuracy", **settings: object) -> Judging:
    return Judging(metric, Settings(**settings), Margins())  # type: ignore[arg-type]


def kind_of(drawn: Drawn, how: Judging) -> tuple[str, str]:
    """The verdict of `compare` in one word, and its scope."""
    assert drawn.b is not None
    pair = answers_of(drawn, drawn.a), answers_of(drawn, drawn.b)
    verdict = differences_of([compare_pair(pair, how)], how)[0].verdict
    return verdict.kind, verdict.scope


# ----- what is asked of a design ------------------------------------------------------------------------------------


def coverage(design: Design, repetitions: int, seed: int) -> Outcome:
    """How often the interval of `score` holds the true score, its mean width, and that of a t interval."""
    rng = np.random.default_rng(seed)
    covered, widths, plain = 0, 0.0, 0.0
    for _ in range(repetitions):
        drawn = design.draw(rng)
        (answers,) = last_steps(with_steps(drawn)) if drawn.steps is not None else [answers_of(drawn, drawn.a)]
        kept = without_collapsed(answers, collapse_of(answers))
        found = mean_score(kept, design.metric)
        covered += found.low <= drawn.truth <= found.high
        widths += found.high - found.low
        plain += t_width(drawn)
    beside = (f"{100 * widths / repetitions:.1f}", f"{100 * plain / repetitions:.1f}")
    return Outcome(design.name, covered / repetitions, repetitions, beside)


def t_width(drawn: Drawn) -> float:
    """The width of a t interval of accuracy over the runs' scores, or over the items of one run."""
    right = (drawn.a == drawn.gold).astype(float)
    values = right.mean(axis=1) if len(right) > 1 else right[0]
    return float(2 * t_quantile(0.95, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))


def false_verdicts(design: Design, repetitions: int, seed: int) -> Outcome:
    """How often `compare` says better or worse where that is false at the scope that it states.

    Of systems it is false where these very runs, on all items like these, differ the other way or not at all.
    """
    rng = np.random.default_rng(seed)
    false = said = 0
    how = judging(design.metric, seed_sd=known_spread(design.name))
    scopes = set()
    for _ in range(repetitions):
        drawn = design.draw(rng)
        kind, scope = kind_of(drawn, how)
        scopes.add(scope)
        if kind in ("better", "worse"):
            said += 1
            true = drawn.systems if scope == "systems" else drawn.truth
            false += not (true > 0 if kind == "better" else true < 0)
    (scope,) = scopes
    return Outcome(design.name, false / repetitions, repetitions, (scope, f"{100 * said / repetitions:.1f}"))


def known_spread(name: str) -> float | None:
    """The spread of the scores of runs on 1,000 items in `ONE_EACH_KNOWN`: over skills, and item by item."""
    if not name.endswith("known"):
        return None
    points = float(name.split(" points known")[0].split()[-1]) * designs.POINT
    return float(np.sqrt(points**2 + item_noise() / 1000))


def item_noise() -> float:
    """The mean variance of an item's answer over runs of one skill, p(1 − p), by simulation."""
    rng, world = np.random.default_rng(1), designs.Logistic(designs.skill_for(0.8))
    chance = 1 / (1 + np.exp(-(world.skill + world.item * rng.normal(size=1_000_000))))
    return float((chance * (1 - chance)).mean())


def languages(n_runs: int, repetitions: int, seed: int) -> Outcome:
    """How often any of 15 languages without a difference is called better or worse."""
    rng = np.random.default_rng(seed)
    any_false = alone = 0
    for _ in range(repetitions):
        drawn = designs.languages_null(n_runs, 300, rng)
        sides = [
            [
                answers_of(each, runs, {"language": str(i)})
                for i, each in enumerate(drawn)
                for runs in [getattr(each, side)]
            ]
            for side in ("a", "b")
        ]
        found = compare_answers(sides[0], sides[1], ("A", "B"), Settings(), Margins())
        any_false += any(each.verdict.kind in ("better", "worse") for each in found.sets)
        alone += any(each.p_value < 0.05 for each in found.sets)
    name = f"15 languages, {n_runs} {'run' if n_runs == 1 else 'runs'} a side, any"
    scope = "systems" if n_runs == 1 else "recipes"
    return Outcome(name, any_false / repetitions, repetitions, (scope, f"{100 * alone / repetitions:.1f} unadjusted"))


def looking(looks: int, repetitions: int, seed: int) -> Outcome:
    """How often somebody who adds runs until the verdict is there finds one where there is no difference."""
    rng = np.random.default_rng(seed)
    how = judging(looks=looks)
    false = 0
    most = max(designs.LOOKS)
    for _ in range(repetitions):
        drawn = designs.same_recipe(most, most, 1.0, 500, rng)
        assert drawn.b is not None
        for n in designs.LOOKS:
            part = Drawn(drawn.gold, drawn.a[:n], 0.0, drawn.b[:n])
            if kind_of(part, how)[0] in ("better", "worse"):
                false += 1
                break
    said = f"looking after {', '.join(str(n) for n in designs.LOOKS)} runs a side"
    plan = "no plan" if looks == 1 else f"`--looks {looks}`"
    return Outcome(f"{said}, {plan}", false / repetitions, repetitions, ("recipes", ""))


def following(pilot: designs.Pilot, pilots: int, repetitions: int, seed: int) -> tuple[str, float, float, str]:
    """The power of experiments planned by the advice of pilots: mean, 10th percentile, and what was advised."""
    rng = np.random.default_rng(seed)
    how = judging()
    powers, advised = [], []
    while len(powers) < pilots:
        drawn = pilot.draw(pilot.n_runs, pilot.n_items, rng)
        assert drawn.b is not None
        compared = compare_pair((answers_of(drawn, drawn.a), answers_of(drawn, drawn.b)), how)
        if differences_of([compared], how)[0].verdict.kind != "undecided":
            continue  # no advice is given
        more = needed(compared.result, MARGIN, pilot.n_runs)
        n_runs, n_items = pilot.n_runs, pilot.n_items
        if more.items is not None and (more.runs is None or more.items <= MOST_ITEMS):
            n_items = min(n_items + more.items, MOST_ITEMS)
        elif more.runs is not None:
            n_runs = min(n_runs + more.runs, MOST_RUNS)
        advised.append((n_items, n_runs))
        powers.append(np.mean([_shows(pilot.draw(n_runs, n_items, rng)) for _ in range(repetitions)]))
    items, runs = np.median(np.array(advised), axis=0).tolist()
    return pilot.name, float(np.mean(powers)), float(np.quantile(powers, 0.1)), f"{items:,.0f} items × {runs:,.0f} runs"


def _shows(drawn: Drawn) -> bool:
    assert drawn.b is not None
    how = judging()
    pair = answers_of(drawn, drawn.a), answers_of(drawn, drawn.b)
    difference = compare_pair(pair, how).result.difference
    return difference.low > 0
