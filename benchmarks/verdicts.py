"""Intervals, verdicts and advice on the designs of `benchmarks/designs.py`, as `score` and `compare` give them.

    python benchmarks/verdicts.py [--repetitions 2000] [--processes 2]      writes docs/validation/statistics.md

Everything goes through the functions that the commands call, at their defaults. The designs were written down before
the methods; what fails stands on the page too.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

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


def languages(sizes: tuple[int, int, int], repetitions: int, seed: int) -> Outcome:
    """How often any of many languages without a difference is called better or worse; languages, runs and items."""
    rng = np.random.default_rng(seed)
    any_false = alone = 0
    n_languages, n_runs, n_items = sizes
    for _ in range(repetitions):
        drawn = designs.languages_null(n_runs, n_items, rng, n_languages)
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
    name = f"{n_languages} languages, {n_runs} {'run' if n_runs == 1 else 'runs'} a side, any"
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


# ----- the page -----------------------------------------------------------------------------------------------------

COVERAGE = (*designs.CLUSTERED, *designs.ODD)
NULLS = (
    *designs.CLUSTERED_NULL,
    *designs.ODD_NULL,
    *designs.ONE_EACH,
    *designs.ONE_EACH_KNOWN,
    *designs.ONE_AGAINST_MANY,
    *designs.MANY_EACH,
)


def tasks(repetitions: int) -> list[tuple[str, Callable[[], Any]]]:
    """Everything that is simulated, by the table it belongs to; each with a seed of its own."""
    found: list[tuple[str, Callable[[], Any]]] = []
    for number, design in enumerate(COVERAGE):
        found.append(("coverage", partial(coverage, design, repetitions, 1000 + number)))
    for number, design in enumerate(NULLS):
        found.append(("null", partial(false_verdicts, design, repetitions, 2000 + number)))
    for number, sizes in enumerate(((15, 1, 300), (15, 3, 300))):
        found.append(("null", partial(languages, sizes, repetitions, 3000 + number)))
    for number, design in enumerate(designs.FRESH_COVERAGE):
        found.append(("fresh coverage", partial(coverage, design, repetitions, 6000 + number)))
    for number, design in enumerate(designs.FRESH_NULL):
        found.append(("fresh null", partial(false_verdicts, design, repetitions, 7000 + number)))
    for number, sizes in enumerate(designs.FRESH_LANGUAGES):
        found.append(("fresh null", partial(languages, sizes, repetitions, 8000 + number)))
    for number, looks in enumerate((1, len(designs.LOOKS))):
        found.append(("looks", partial(looking, looks, repetitions, 4000 + number)))
    for number, pilot in enumerate(designs.PILOTS):
        found.append(("advice", partial(following, pilot, max(repetitions // 10, 10), 50, 5000 + number)))
    for number, pilot in enumerate(designs.FRESH_PILOTS):
        found.append(("fresh advice", partial(following, pilot, max(repetitions // 10, 10), 50, 9000 + number)))
    return found


def call(task: Callable[[], Any]) -> Any:
    return task()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=PAGE)
    arguments = parser.parse_args()
    start = time.perf_counter()
    todo = tasks(arguments.repetitions)
    tables: dict[str, list[Any]] = {}
    with ProcessPoolExecutor(arguments.processes) as pool:
        for (table, _), outcome in zip(todo, pool.map(call, [task for _, task in todo]), strict=True):
            tables.setdefault(table, []).append(outcome)
            print(f"{time.perf_counter() - start:6.0f} s  {outcome}", flush=True)
    command = f"python benchmarks/verdicts.py --repetitions {arguments.repetitions}"
    arguments.out.write_text(page(tables, command), encoding="utf-8")


def page(tables: dict[str, list[Any]], command: str) -> str:
    """The whole page."""
    covered, nulls, looks = (tables[name] for name in ("coverage", "null", "looks"))
    return PROSE.format(
        command=command,
        python=platform.python_version(),
        numpy=np.__version__,
        repetitions=covered[0].repetitions,
        coverage=_coverage_lines(covered),
        coverage_mean=f"{100 * np.mean([each.share for each in covered]):.1f}",
        coverage_failed=_few_names([each.name for each in covered if each.share < 0.92]),
        nulls=_null_lines(nulls),
        null_mean=f"{100 * np.mean([each.share for each in nulls]):.1f}",
        null_failed=_few_names([each.name for each in nulls if each.share > 0.08]),
        looks="\n".join(each.line() for each in looks),
        advice=_advice_lines(tables["advice"]),
        fresh_coverage=_coverage_lines(tables["fresh coverage"]),
        fresh_nulls=_null_lines(tables["fresh null"]),
        fresh_advice=_advice_lines(tables["fresh advice"]),
        fresh_coverage_mean=f"{100 * np.mean([each.share for each in tables['fresh coverage']]):.1f}",
        fresh_null_mean=f"{100 * np.mean([each.share for each in tables['fresh null']]):.1f}",
    )


def _coverage_lines(outcomes: list[Outcome]) -> str:
    return "\n".join(each.line("yes" if each.share >= 0.92 else "NO") for each in outcomes)


def _null_lines(outcomes: list[Outcome]) -> str:
    return "\n".join(each.line("yes" if each.share <= 0.08 else "NO") for each in outcomes)


def _advice_lines(rows: list[Any]) -> str:
    return "\n".join(
        f"| {name} | {advised} | {100 * mean:.0f} | {100 * low:.0f} |" for name, mean, low, advised in rows
    )


def _few_names(names: list[str]) -> str:
    return "; ".join(names) if names else "none"


PROSE = """# Do intervals cover, and do verdicts hold, in the cases that users have?

Written by `{command}` (Python {python}, numpy {numpy}). The designs are in
`benchmarks/designs.py` and were committed before the methods they judge. A few choices, named in the last section,
were made after looking at some of them, so the last designs are new ones. Every number goes through the
functions that `score` and `compare` call, at their defaults. {repetitions:,} repetitions each; ± is the Monte-Carlo
error (one standard error). Seeds are fixed in the script. The worlds in which the forms of the intervals were first
chosen are on [another page](statistics-worlds.md), and experiments on real trainings on [a third](real-runs.md).

## Coverage of 95 % intervals of `score`

Wanted: each design at least 92 %, their mean at least 94 %. The mean is {coverage_mean} %; below 92 %:
{coverage_failed}. Widths are in points (of 100; MCC times 100). The t interval next to it is the usual one for
accuracy, over the runs' scores or over the items of one run. It ignores clusters and one of the two sources of chance,
which is why it is narrower. Where runs collapse, the score is that of a training that did not.

| design | coverage, % | mean width | a t interval's | at least 92 % |
|---|---|---|---|---|
{coverage}

## False verdicts of `compare` where there is no difference

Wanted: at most 6 % in the mean over the designs, none above 8 %. The mean is {null_mean} %; above 8 %: {null_failed}.
Whether a verdict is false depends on the scope it states. For *systems* it is false if these very runs, on all items
like these, differ the other way or not at all; for *recipes*, whenever it says better or worse. "Said" is how often it
says better or worse at all: with one run per side, two trainings of one recipe are different systems, and the verdict
does say so.

| design | false, % | scope | said, % | at most 8 % |
|---|---|---|---|---|
{nulls}

A known spread (`--seed-sd`) is added to the variance from the items. With one run per side it is not visible which part
of that variance is noise of the same trainings, so that part is counted twice, and the verdicts are cautious.

## Adding runs until there is a verdict

There is no difference, and runs are added until `compare` says better or worse: without a plan, and with `--looks`,
which holds each look to a stricter level (Bonferroni).

| design | false, % | scope | |
|---|---|---|---|
{looks}

## Following the advice

Pilots are run in worlds where B is truly better by the margin of 2 points. Undecided pilots give advice, and the
advice is followed with new data. Wanted: a power of 75 to 90 % on average, and at least 60 % for the 10th percentile
of pilots. With 3 runs per side (4 degrees of freedom) the advice is a range, and its upper end is followed. Advice
beyond 60,000 items or 200 runs per side is cut off there, so that it can be simulated.

| pilot | advised, median | mean power, % | 10th percentile, % |
|---|---|---|---|
{advice}

## Designs drawn up after the methods were settled

Some choices (below) were made after looking at the designs above. The designs here have other numbers of runs, items,
clusters and languages, and other accuracies and spreads; nothing was changed after they were run. Mean coverage
{fresh_coverage_mean} %, mean of false verdicts {fresh_null_mean} %.

| design | coverage, % | mean width | a t interval's | at least 92 % |
|---|---|---|---|---|
{fresh_coverage}

| design | false, % | scope | said, % | at most 8 % |
|---|---|---|---|---|
{fresh_nulls}

| pilot | advised, median | mean power, % | 10th percentile, % |
|---|---|---|---|
{fresh_advice}

## Which method, where there was a choice

- **Clusters of unequal size**: CR2 with Bell–McCaffrey's degrees of freedom for the item part, runs as before; where
  clusters are few, the null-imposed wild cluster bootstrap is shown as a second opinion.
- **One run against several**: the t test of one more run, s·√(1 + 1/n), with the items' part added (charging the
  interaction to items instead gave 11.5 % false verdicts with 3 runs in a pilot on these designs).
- **Several sets or categories**: single-step max-T over the correlation of their items; what runs add is treated as
  independent over sets. Taking it from the runs' own correlation gave 7.5 % with 3 runs, in a pilot of 200.
- **Advice**: for what runs add, the plan uses a bound that it stays below with 60 % assurance; plain estimates gave
  a power of 59 % with 3 runs per side in a pilot on these designs.
"""


if __name__ == "__main__":
    main()
