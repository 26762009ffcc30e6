"""The sentences of an audit: the answer, what each light means, and what was tried. They claim no understanding."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldproof.judging.audit import questions
from goldproof.judging.audit.lights import Gauge, Light
from goldproof.judging.audit.noise import DIFFERING
from goldproof.report.numbers import count, format_number, percent, points
from goldproof.statistics.estimate import Estimate

if TYPE_CHECKING:
    from goldproof.judging.audit.audit import Audit
    from goldproof.measures.shortcuts.judged import JudgedShortcuts

TITLES = {
    "leaks": "Leaks",
    "shortcuts": "Shortcuts",
    "labels": "Labels",
    "size": "Size",
    "balance": "Balance",
}


def number(value: float, gauge: Gauge) -> str:
    """A value of a measure with its unit."""
    return f"{format_number(value, gauge.digits, gauge.unit)} {gauge.unit}".rstrip()


def answer(audit: Audit) -> str:
    """The answer in one sentence."""
    light, found = audit.light("shortcuts"), audit.shortcuts
    if isinstance(found, str):
        return f"Undecided: {found}."
    best, tried = found.judged.best, f"{len(found.judged.scores)} shortcuts that were tried"
    far = _far(found.judged, best.share.value)
    if light.colour == "red":
        return f"In part: of the {tried}, “{best.name}” gets {far} without any understanding."
    if light.colour == "green":
        assert light.estimate is not None
        most = _far(found.judged, light.estimate.high)
        return f"Not by the {tried}: none of them gets more than {most}."
    if found.judged.above:
        name = found.judged.above[0].name
        return f"Perhaps a little: of the {tried}, “{name}” is credibly above the floor and gets {far}."
    assert light.estimate is not None
    most = _far(found.judged, light.estimate.high)
    return f"Undecided: none of the {tried} is shown to be above the floor, but up to {most} fits the data."


def _far(judged: JudgedShortcuts, share: float) -> str:
    if judged.n_classes:
        return f"{percent(max(share, 0.0))} of the way from the most frequent label to perfect"
    return f"{percent(max(share, 0.0))} of the variance of the scores"


def light_sentence(audit: Audit, light: Light) -> str:
    """What a light says, with what it rests on."""
    title = TITLES[light.name]
    if light.gauge is None or light.estimate is None:
        return f"{title}: not judged, because {light.reason}."
    limit = number(light.gauge.threshold, light.gauge)
    verdicts = {
        "red": ("credibly above", "above"),
        "green": ("credibly below", "below"),
        "grey": ("neither credibly above nor below", "partly above"),
    }
    said = verdicts[light.colour][0 if light.gauge.is_sampled else 1]
    also = [f"; {_fact(audit, replace(light, gauge=one, estimate=value))} too" for one, value in light.also]
    if light.gauge.of == questions.SHOWN and light.estimate.low >= 1:
        return f"{title}: {_fact(audit, light)}."
    return f"{title}: {_fact(audit, light)}; that is {said} {limit}{''.join(also)}."


def _fact(audit: Audit, light: Light) -> str:
    assert light.gauge is not None
    assert light.estimate is not None
    of, value = light.gauge.of, number(light.estimate.value, light.gauge)
    if of == questions.COPIED:
        leaked = questions.telling_copies(audit.copies, audit.material.judged)
        contrasts = int(audit.copies.leaked[audit.material.judged].sum() - leaked.sum())
        more = f"; {count(contrasts)} more have a near copy with another label" if contrasts else ""
        rows = f"{count(int(leaked.sum()))} of {count(len(leaked))} test rows"
        return f"{rows} ({value}) have a copy in an earlier split{more}"
    if of in (questions.WAY, questions.EXPLAINED):
        assert not isinstance(audit.shortcuts, str)
        judged = audit.shortcuts.judged
        named = f" ({judged.best.rule})" if judged.best.name == "one word" else ""
        far = _far(judged, judged.best.share.value)
        return f"the best of {len(judged.scores)}, “{judged.best.name}”{named}, gets {far}"
    if of == questions.SHOWN:
        return _shown(audit.noise.whole.n, light.estimate)
    if of == questions.EVEN:
        assert not isinstance(audit.balance, str)
        share = percent(audit.balance.share(audit.balance.judged, audit.balance.majority))
        always = f"always answering {audit.balance.majority!r} is right on {share} of test"
        return f"{always}, {value} of the way from guessing evenly to perfect"
    if of == questions.DRIFT:
        return f"the share of a label differs by up to {value} between train and test"
    return f"an estimated {value} of the labels are wrong"


def _shown(n: int, estimate: Estimate) -> str:
    """What so many items can show, from the best case to the worst; a difference of 1 or more is none."""
    items = f"{count(n)} {'item' if n == 1 else 'items'}"
    if estimate.low >= 1:
        most = percent(DIFFERING[-1], 0)
        return (
            f"{items} show no difference between two models with 80 % power if they differ in up to {most} of answers"
        )
    low, high = (points(end) if end < 1 else "none at all" for end in (estimate.low, estimate.high))
    size = f"is {low}" if low == high else f"lies between {low} and {high}"
    return f"the smallest difference that {items} show with 80 % power {size}"


def tried_sentence(judged: JudgedShortcuts) -> str:
    """What was tried, and what was found above the floor."""
    names = [each.name for each in judged.scores]
    above = [each.name for each in judged.above]
    found = f"credibly above the floor: {', '.join(above)}" if above else "none is shown to be above the floor"
    return f"Tried: {', '.join(names)}; {found}."


def exchange_sentence(judged: JudgedShortcuts, shared: str) -> str:
    """How gold was exchanged for the one test over all shortcuts."""
    how = {
        "items": "the gold labels of single items were exchanged at random",
        "clusters": f"the gold labels of whole clusters of equal size were exchanged (items share {shared})",
        "within clusters": (
            "gold labels were exchanged within clusters, because most clusters hold several labels (items share "
            f"{shared})"
        ),
    }[judged.exchanged]
    folds = (
        f" Shortcuts were cross-validated in {judged.folds} parts, not learned on a separate split."
        if judged.folds
        else ""
    )
    return (
        f"One test over all shortcuts (Westfall and Young): their answers stay, and {how} {judged.draws:,} times; a "
        f"p-value is the chance that the best of all would look as good if the gold labels meant nothing.{folds}"
    )
