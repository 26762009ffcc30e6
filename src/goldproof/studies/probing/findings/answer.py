"""What the study answers: which properties training put into the layers, and the findings behind it."""

from __future__ import annotations

from collections.abc import Sequence

from goldproof.report.chart_parts import Caption
from goldproof.report.names import of_several, some
from goldproof.report.numbers import count, estimate_text
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Column, Figure, ReplyKind
from goldproof.studies.probing.scores import LayerScores, ProbingFindings, Twins

QUESTION = "What do the layers know?"
GAIN = Column("gain", "Trained − random weights", 1, "points")
ACCURACY = Column("accuracy", "Best layer's accuracy", 1, "%")


def probing_answer(found: ProbingFindings) -> Answer:
    """The first screen."""
    if not found.own:
        return Answer("measured", "", "No model was probed: the report has only baselines and data.")
    every = _every(found)
    whole = [each for arm in found.own for each in found.of(_kind(found), arm)]
    notes = []
    if len(every) < len(whole):
        lost = "probes of all layers give one answer to nearly everything; no finding counts them."
        notes.append(of_several(len(whole) - len(every), len(whole), f"In {{}} cases the {lost}", "", f"The {lost}"))
    if not every:
        return Answer("open", "Undecided", "every probe gives one answer to nearly everything.", "", notes)
    if found.twins:
        return _beyond_random(found, notes)
    return _beyond_majority(found, every, notes)


def _kind(found: ProbingFindings) -> str:
    return found.config.probe.kinds[0]


def _every(found: ProbingFindings) -> list[LayerScores]:
    """The scores of the models themselves, without those whose probes all give one answer."""
    return [each for arm in found.own for each in found.of(_kind(found), arm) if not each.is_collapsed]


def _beyond_random(found: ProbingFindings, notes: Sequence[str]) -> Answer:
    better = _better(found)
    n, items = len(found.twins), _items([pair.model for pair in found.twins])
    takes = f"What is not shown may still be there: each task has {items} test items."
    figure = _twins_figure(found)
    if not better:
        text = f"on none of {n} tasks are the trained layers shown to say more than random weights do."
        text = "the trained layers are not shown to say more than random weights do." if n == 1 else text
        return Answer("open", "Nothing beyond random weights is shown", text, takes, notes, figure)
    names = some([case(found, pair.model) for pair in better])
    most = max(better, key=lambda pair: pair.difference.value)
    gain = f"by {estimate_text(most.difference, 1, 'points')}"
    if len(better) > 1:
        gain = f"by up to {estimate_text(most.difference, 1, 'points')} ({case(found, most.model)})"
    rest = f"; for the other {n - len(better)} this is not shown" if len(better) < n else ""
    kind: ReplyKind = "yes" if len(better) == n else "measured"
    text = (
        f"the trained layers are shown to say more about {'it' if len(better) == 1 else 'them'} than random weights "
        "do, "
    )
    return Answer(kind, names, f"{text}{gain}{rest}.", takes if rest else "", notes, figure)


def _better(found: ProbingFindings) -> list[Twins]:
    return [pair for pair in found.twins if pair.is_better(found.config.level)]


def _items(scored: Sequence[LayerScores]) -> str:
    counts = sorted({each.best.n for each in scored})
    return count(counts[0]) if len(counts) == 1 else f"{count(counts[0])} to {count(counts[-1])}"


def _beyond_majority(found: ProbingFindings, every: Sequence[LayerScores], notes: Sequence[str]) -> Answer:
    above = [each for each in every if each.above_majority]
    takes = "To see whether training put it there, compare with random weights: --set twins=true."
    readings = []
    for each in every:
        readings += [
            OverviewRow(case(found, each), each.best),
            OverviewRow(case(found, each), each.majority, look="baseline"),
        ]
    caption = Caption("answer", "The best layer on each task", "Squares: the majority class.", [e.key for e in every])
    figure = overview(readings, ACCURACY, caption=caption)
    if not above:
        text = f"on none of {len(every)} tasks is any layer shown to do better than the majority class."
        text = "no layer is shown to do better than the majority class." if len(every) == 1 else text
        return Answer("open", "Nothing is shown", text, takes, notes, figure)
    rest = f"; for the other {len(every) - len(above)} this is not shown" if len(above) < len(every) else ""
    text = f"a layer is shown to say more about {'it' if len(above) == 1 else 'them'} than the majority class{rest}."
    return Answer("measured", some([case(found, each) for each in above]), text, takes, notes, figure)


def _twins_figure(found: ProbingFindings) -> Figure:
    level = found.config.level
    readings = [
        OverviewRow(case(found, p.model), p.difference, look="better" if p.is_better(level) else "ours")
        for p in sorted(found.twins, key=lambda pair: -pair.difference.value)
    ]
    keys = [pair.model.key for pair in found.twins] + [pair.twin.key for pair in found.twins]
    caption = Caption("answer", "What training adds to random weights, by task", "Green: shown, over all tasks.", keys)
    return overview(readings, GAIN, caption=caption, against=Against([0.0], text="Dashed: nothing."))


def case(found: ProbingFindings, scored: LayerScores) -> str:
    """A task, and the model where there are several."""
    return scored.task + (f" of {scored.cell.arm.title}" if len(found.own) > 1 else "")


def probing_findings(found: ProbingFindings) -> list[str | Claim]:
    """The findings: above the majority class, a single best layer, what training adds, what needs no encoder."""
    every = _every(found) if found.own else []
    if not every:
        return []
    return [*_majority(found, every), *_single(every), *_most(found), *_baselines(found)]


def _in_each(every: Sequence[object]) -> str:
    return "In the one case" if len(every) == 1 else f"In each of {len(every)} cases"


def _majority(found: ProbingFindings, every: Sequence[LayerScores]) -> list[Claim]:
    low = [case(found, each) for each in every if not each.above_majority]
    if not low:
        return [Claim(f"{_in_each(every)} a layer is better than the majority class.", "shown", place="where")]
    none = "no layer is shown to do better than the majority class"
    text = of_several(len(low), len(every), f"In {{}} cases {none}: {some(low)}.", "", f"{none.capitalize()}.")
    return [Claim(text, "not shown", place="where")]


def _single(every: Sequence[LayerScores]) -> list[Claim]:
    alone = sum(len(each.tests.tied) == 1 for each in every)
    if alone == len(every):
        return [Claim(f"{_in_each(every)} one layer is shown to be the best.", "shown", place="where")]
    rest = "other layers cannot be distinguished from the best one: "
    text = of_several(len(every) - alone, len(every), f"In {{}} cases {rest}", "", rest.capitalize())
    return [Claim(f"{text}naming a single best layer claims too much.", "not shown", place="where")]


def _most(found: ProbingFindings) -> list[Claim]:
    better = _better(found)
    if not better:
        return []
    most = max(better, key=lambda pair: pair.difference.value)
    gain = estimate_text(most.difference, 1, "points")
    text = f"Training adds most to {case(found, most.model)}: {gain} over its random twin."
    return [Claim(text, "shown", most.difference, 1, "points", place="twins")]


def _baselines(found: ProbingFindings) -> list[Claim]:
    kind = _kind(found)
    gains = found.over_baselines(kind)
    if not gains:
        return []
    easy = [each.model.task for each in gains.values() if not each.is_better(found.config.level)]
    place = f"baselines-{kind}"
    if not easy:
        text = f"On each of {len(gains)} tasks the best model is better than every baseline without an encoder."
        text = "The best model is better than every baseline without an encoder." if len(gains) == 1 else text
        return [Claim(text, "shown", place=place)]
    not_shown = "the best model is not shown to be better than the best baseline without an encoder"
    several = f"On {{}} tasks {not_shown}: {some(easy)}."
    text = of_several(len(easy), len(gains), several, "", f"T{not_shown[1:]}.")
    return [Claim(text, "not shown", place=place)]
