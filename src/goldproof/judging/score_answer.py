"""What `score` answers: how far the score holds, for what, and the findings behind it. It makes no tables."""

from __future__ import annotations

import math

import numpy as np

from goldproof.judging.collapse import about_collapse, take_runs
from goldproof.judging.metric_numbers import score_format, shown, unit
from goldproof.judging.metrics import mean_score, title_of
from goldproof.judging.score import Scores, SetScore, is_beyond_churn
from goldproof.judging.tags import UNTESTED
from goldproof.report.chart_parts import Caption
from goldproof.report.names import some
from goldproof.report.numbers import count, estimate_text, format_number, percent
from goldproof.report.overview import MOST_ROWS, Against, OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Column, Figure
from goldproof.statistics.estimate import Estimate

CHANCE = {"mcc": 0.0, "pearson": 0.0, "spearman": 0.0}  # what predictions that know nothing about gold get
MOST_FINDINGS = 5


def metric_column(metric: str, key: str | None = None, title: str | None = None) -> Column:
    """The column of a metric: percent for shares, three digits for correlations."""
    form = score_format(metric)
    return Column(key or metric, title or title_of(metric), digits=form.digits, unit=form.unit)


def lower_name(metric: str) -> str:
    """The name of a metric inside a sentence; an abbreviation stays as it is.

    >>> lower_name("accuracy"), lower_name("mcc"), lower_name("pearson")
    ('accuracy', 'MCC', "Pearson's correlation")
    """
    name = title_of(metric)
    if metric in ("pearson", "spearman"):
        return f"{name}'s correlation"
    return name[0].lower() + name[1:] if name[1:2].islower() else name


def with_article(name: str) -> str:
    """A name with its article; a name in the genitive loses its 's.

    >>> with_article("accuracy"), with_article("span F1"), with_article("MCC"), with_article("F1")
    ('an accuracy', 'a span F1', 'an MCC', 'an F1')
    >>> with_article("Pearson's correlation")
    'a Pearson correlation'
    """
    name = name.replace("'s ", " ")
    is_spelled = name[:1].isupper() and not name[1:2].islower()
    return f"{'an' if name[:1] in ('AEFHILMNORSX' if is_spelled else 'aeiouAEIOU') else 'a'} {name}"


def score_question(scores: Scores) -> str:
    """The title of the report."""
    first = scores.sets[0]
    if len(scores.sets) > 1:
        return f"How far does the {lower_name(scores.metric)} hold in each of {len(scores.sets)} sets?"
    if not math.isfinite(first.estimates[scores.metric].value):
        return f"What is the {lower_name(scores.metric)}?"
    where = f" of {first.name()}" if first.where else ""
    return f"How far does the {lower_name(scores.metric)}{where} hold?"


def score_answer(scores: Scores) -> Answer:
    """The first screen without its chart."""
    if len(scores.sets) > 1:
        return _answer_of_sets(scores)
    first = scores.sets[0]
    estimate = first.estimates[scores.metric]
    notes = about_collapse(scores.notes)
    if not math.isfinite(estimate.low):
        said = f": it is {_number(estimate.value, scores)}" if math.isfinite(estimate.value) else ""
        return Answer("open", "Undecided", f"{estimate.method}{said}.", _takes(scores), notes)
    size = f"on {count(first.n_items)} items{_runs(first)}"
    if first.answers is not None and first.answers.bounds is not None and first.answers.bounds.of_means:
        size = f"over {count(first.n_items)} draws of training examples"
    head = f"From {_bare(estimate.low, scores)} to {_number(estimate.high, scores)} for {_scope(first)}"
    score = f"{lower_name(scores.metric)} is {_number(estimate.value, scores)}"
    text = f"{score} {size} ({100 * estimate.level:g} % interval)."
    return Answer("measured", head, text, _takes(scores), notes)


def _answer_of_sets(scores: Scores) -> Answer:
    known = [each for each in scores.sets if math.isfinite(each.estimates[scores.metric].value)]
    if not known:
        return Answer("open", "Undecided", "no set has a score.", "", about_collapse(scores.notes))
    ranked = sorted(known, key=lambda each: each.estimates[scores.metric].value)
    low, high = (f"{_said(each, scores)} ({each.name()})" for each in (ranked[0], ranked[-1]))
    scopes = list(dict.fromkeys(_scope(each) for each in scores.sets))
    scope = scopes[0] if len(scopes) == 1 else "what the runs of its set allow"
    text = f"{lower_name(scores.metric)} ranges from {low} to {high}; each interval is for {scope}."
    return Answer("measured", "", f"{text[0].upper()}{text[1:]}", _takes(scores), about_collapse(scores.notes))


def _scope(each: SetScore) -> str:
    """What the score is about, in half a sentence."""
    scope, _, _ = each.about.partition(";")
    return scope.removeprefix("the recipe: ")


def _runs(each: SetScore) -> str:
    n = len(each.run_names)
    if n > 1 and not each.is_scored_by_run:
        return f", from {n} answers to each"
    return f", the mean of {n} runs" if n > 1 else ", one run" if n else ""


def _number(value: float, scores: Scores) -> str:
    form = score_format(scores.metric)
    return f"{format_number(value, form.digits, form.unit)} {form.unit}".rstrip()


def _bare(value: float, scores: Scores) -> str:
    form = score_format(scores.metric)
    return format_number(value, form.digits, form.unit)


def _said(each: SetScore, scores: Scores) -> str:
    form = score_format(scores.metric)
    return estimate_text(each.estimates[scores.metric], form.digits, form.unit)


def _takes(scores: Scores) -> str:
    """What it would take to say more: other runs where there is one, else a rival that differs enough."""
    single = [each for each in scores.sets if each.scope == "systems"]
    if single:
        _, _, limit = single[0].about.partition("; ")
        return f"{limit[0].upper()}{limit[1:]}: to claim more, give the answers of several." if limit else ""
    return _rival(scores)


def _rival(scores: Scores) -> str:
    first = scores.sets[0]
    if not first.detectable < math.inf or (first.collapse is not None and first.collapse.is_whole):
        return ""
    least = f"{shown(first.detectable, scores.metric)}{unit(scores.metric)}"
    of = f" ({first.name()})" if len(scores.sets) > 1 else ""
    if is_beyond_churn(first, scores.metric):
        assert first.churn is not None
        return (
            f"A rival that differs from this model in {percent(first.churn)} of answers{of}, as two of its runs do, "
            f"cannot show a difference (80 % power): that takes at least {least}, more than the share of answers that "
            "differ."
        )
    return f"A rival must differ by about {least}{of} for the difference to show (80 % power)."


def score_findings(scores: Scores) -> list[str | Claim]:
    """The findings: against the floor, between runs, by category, of the probabilities, and what a rival needs."""
    found = [*_floor(scores), *_spread(scores), *_categories(scores), *_confidence(scores), *_detectable(scores)]
    return [*found[:MOST_FINDINGS]]


def _floor(scores: Scores) -> list[Claim]:
    """Whether the score is above what needs no text: the most frequent label, or chance."""
    of_labels = scores.metric == "accuracy" and scores.task == "classification"
    if not of_labels and scores.metric not in CHANCE:
        return []
    tested = [each for each in scores.sets if math.isfinite(each.estimates[scores.metric].low)]
    tested = [each for each in tested if each.collapse is None or each.collapse.n < len(each.collapse.collapsed)]
    if not tested:
        return []
    below = [each for each in tested if each.estimates[scores.metric].low <= _level(each, scores)]
    what = "the score of always answering the most frequent label" if of_labels else "0, which is chance"
    form = score_format(scores.metric)
    if len(tested) == 1:
        estimate = tested[0].estimates[scores.metric]
        level = f" ({_number(tested[0].floor, scores)})" if of_labels else ""
        is_above = "is not shown to be above" if below else "is above"
        text = f"{title_of(scores.metric)} of {_said(tested[0], scores)} {is_above} {what}{level}."
        return [Claim(text, "not shown" if below else "shown", estimate, form.digits, form.unit, place="scores")]
    if not below:
        text = f"{title_of(scores.metric)} is above {what} in each of {len(tested)} sets."
        return [Claim(text, "shown", place="scores")]
    text = f"{title_of(scores.metric)} is not shown to be above {what} in {some([each.name() for each in below])}."
    return [Claim(text, "not shown", place="scores")]


def _level(each: SetScore, scores: Scores) -> float:
    return CHANCE.get(scores.metric, each.floor)


def _spread(scores: Scores) -> list[Claim]:
    several = [each for each in scores.sets if each.is_scored_by_run]
    if not several:
        return []
    widest = max(several, key=lambda each: float(np.ptp(each.run_scores)))
    moved = f"{shown(float(np.ptp(widest.run_scores)), scores.metric)}{unit(scores.metric)}"
    where = f" ({widest.name()})" if len(scores.sets) > 1 else ""
    n, lowest, highest = len(widest.run_names), widest.run_scores.min(), widest.run_scores.max()
    ends = f"from {_bare(float(lowest), scores)} to {_number(float(highest), scores)}"
    text = f"Over {n} runs {lower_name(scores.metric)} varies by {moved}{where}, {ends}."
    if _bare(float(lowest), scores) == _bare(float(highest), scores):
        text = f"All {n} runs have the same {lower_name(scores.metric)}{where}, {_number(float(highest), scores)}."
    parts = sampling_text(widest)
    return [Claim(text, place="runs"), *([Claim(f"{parts}{where}.", place="runs")] if parts else [])]


def sampling_text(each: SetScore) -> str:
    """How the variance of the mean over repeats divides into answers drawn anew and items; empty where it does not."""
    share = each.sampling_share
    if share is None or math.isnan(share) or not each.is_scored_by_run:
        return ""
    anew, items = percent(share, 0), percent(1 - share, 0)
    return (
        f"Of the variance of the mean, {anew} comes from answers that differ when asked again and {items} from which "
        "items were asked"
    )


def _categories(scores: Scores) -> list[Claim]:
    tested = [tag for tag in scores.tags if tag.verdict not in UNTESTED]
    if not tested:
        return []
    names = {verdict: [tag.tag for tag in tested if tag.verdict == verdict] for verdict in {t.verdict for t in tested}}
    above, below = names.get("above chance", []), names.get("below chance", [])
    unclear = names.get("not distinguishable from chance", [])
    if not unclear and not below:
        every = f"Each of the {len(tested)} categories" if len(tested) > 1 else "The category"
        runs = " in these runs" if any(len(each.run_names) > 1 for each in scores.sets) else ""
        return [Claim(f"{every} that could be tested is above chance{runs}.", "shown", place="categories")]
    parts = [f"{some(below)} {'is' if len(below) == 1 else 'are'} below chance"] if below else []
    parts += [f"{some(unclear)} cannot be distinguished from chance"] if unclear else []
    rest = f"; the other {len(above)} of {len(tested)} are above it" if above else ""
    return [Claim(f"{' and '.join(parts)}{rest}.", "not shown" if unclear else "shown", place="categories")]


def _confidence(scores: Scores) -> list[Claim]:
    known = [each for each in scores.sets if each.calibration is not None]
    if not known:
        return []
    worst = max(known, key=lambda each: abs(each.calibration.excess.value) if each.calibration else 0.0)
    assert worst.calibration is not None
    excess = worst.calibration.excess
    where = f" ({worst.name()})" if len(scores.sets) > 1 else ""
    size = _points(excess)
    if excess.low > 0 or excess.high < 0:
        side = "more" if excess.low > 0 else "less"
        text = f"The model is {side} confident than it is right, by {size}{where}."
        return [Claim(text, "shown", excess, 1, "points", place="calibration")]
    text = f"Confidence and accuracy are not shown to differ: {size}{where}."
    return [Claim(text, "not shown", excess, 1, "points", place="calibration")]


def _points(excess: Estimate) -> str:
    if excess.high < 0:
        excess = Estimate(-excess.value, -excess.high, -excess.low, excess.method, excess.n, excess.level)
    return estimate_text(excess, 1, "points")


def _detectable(scores: Scores) -> list[Claim]:
    rival = _rival(scores)
    is_said = rival == _takes(scores)
    agreed = [
        Claim(
            f"Development and test scores move the same way in at least {percent(worst.estimate.value, 0)} of pairs "
            "of checkpoints.",
            "stated",
            place="agreement",
        )
        for worst in sorted(scores.agreement, key=lambda found: found.estimate.value)[:1]
        if math.isfinite(worst.estimate.value)
    ]
    return [*agreed, *([Claim(rival, place="scores")] if rival and not is_said else [])]


def score_figure(scores: Scores) -> Figure:
    """The chart of the first screen: each set with its interval and its single runs, beside what needs no text."""
    column = metric_column(scores.metric)
    several = len(scores.sets) > 1
    readings = _run_readings(scores) if runs_in_sight(scores) else [_set_reading(each, scores) for each in scores.sets]
    of_labels = scores.metric == "accuracy" and scores.task == "classification"
    floors = {each.floor for each in scores.sets if math.isfinite(each.floor)} if of_labels else set()
    if len(floors) == 1:
        readings.append(OverviewRow("most frequent label", floors.pop(), look="baseline"))
    chance = CHANCE.get(scores.metric)
    against = Against() if chance is None else Against([chance], text="Dashed: chance.")
    title = f"{title_of(scores.metric)} of {len(scores.sets)} sets" if several else title_of(scores.metric)
    if runs_in_sight(scores):
        title = f"{title} of each run"
    return overview(readings, column, caption=Caption("answer", f"{title}, with intervals"), against=against)


def runs_in_sight(scores: Scores) -> bool:
    """Whether the first chart has a row for each run: there is one set, and its runs are few."""
    first = scores.sets[0]
    return (
        len(scores.sets) == 1
        and first.answers is not None
        and first.is_scored_by_run
        and len(first.run_names) <= MOST_ROWS - 2
    )


def _run_readings(scores: Scores) -> list[OverviewRow]:
    first = scores.sets[0]
    mean = OverviewRow(f"mean of {len(first.run_names)} runs", first.estimates[scores.metric])
    names = [f"run {name}" for name in first.run_names]
    return [mean, *map(OverviewRow, names, run_estimates(first, scores))]


def run_estimates(each: SetScore, scores: Scores) -> list[Estimate | float]:
    """The score of each run, with its interval over items where the items are at hand."""
    if each.answers is None:
        return [float(value) for value in each.run_scores]
    alone = (take_runs(each.answers, np.array([run])) for run in range(each.answers.n_runs))
    return [mean_score(answers, scores.metric, scores.settings.level) for answers in alone]


def _set_reading(each: SetScore, scores: Scores) -> OverviewRow:
    n = len(each.run_names)
    alone = f"mean of {n} runs" if each.is_scored_by_run else "score"
    runs = [float(value) for value in each.run_scores] if each.is_scored_by_run else ()
    return OverviewRow(each.name() if each.where else alone, each.estimates[scores.metric], runs)
