"""What each of the five lights is asked: its measures with their intervals, or the reason why it cannot be asked."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from goldproof.judging.audit.balance import Balance
from goldproof.judging.audit.lights import Gauge, LightQuestion, at_level
from goldproof.judging.audit.material import Material
from goldproof.judging.audit.noise import NoiseCard
from goldproof.judging.audit.settings import LightThresholds
from goldproof.measures.copies import Copies
from goldproof.measures.shortcuts.judged import JudgedShortcuts, way
from goldproof.measures.suspects import Suspects
from goldproof.statistics.estimate import Estimate

RECALL = 0.99  # of planted near copies, see docs/validation/audit.md
COPIED = "rows of test that have a copy in an earlier split that may tell their label"
WAY = "the way from the most frequent label to perfect that the best shortcut gets"
EXPLAINED = "the variance of the scores that the best shortcut explains"
WRONG = "labels that are wrong"
SHOWN = "the smallest difference between two models that can be shown"
EVEN = "the way from guessing evenly to perfect that the most frequent label gets"
DRIFT = "the largest difference of a label's share between train and test"


def questions_of(
    material: Material,
    copies: Copies,
    judged: JudgedShortcuts | str,
    suspects: Suspects | str,
    noise: NoiseCard,
    balance: Balance | str,
    thresholds: LightThresholds,
) -> tuple[LightQuestion, ...]:
    """The five questions in their order."""
    return (
        _leaks(material, copies, thresholds.leaks),
        _shortcuts(judged, thresholds.shortcuts),
        _labels(suspects, thresholds.labels),
        _size(material, noise, thresholds.size),
        _balance(balance, thresholds),
    )


def _leaks(material: Material, copies: Copies, threshold: float) -> LightQuestion:
    if len(material.splits) < 2:
        return LightQuestion("leaks", (), "there is only one split, so nothing can leak")
    total = len(copies.leaked[material.judged])
    n = int(telling_copies(copies, material.judged).sum())
    method = f"a count, of which up to {1 - RECALL:.0%} may have been missed"
    found = Estimate(n / total, n / total, min(1.0, n / total / RECALL), method, total)
    return LightQuestion(
        "leaks", (Gauge(COPIED, lambda level: replace(found, level=level), threshold, is_sampled=False),)
    )


def telling_copies(copies: Copies, role: str) -> npt.NDArray[np.bool_]:
    """Which rows of a split have a copy in an earlier one that may tell their label, or contradicts it.

    Near copies with another label, as the minimal pairs of many corpora, are left out: they give no label away.
    """
    found = np.zeros(len(copies.leaked[role]), bool)
    for copy in copies.iter_copies(later=role):
        if copy.of.split != role and copy.field in ("row", "swapped"):
            found[copy.row.row] |= copy.kind in ("exact", "form") or copy.labels_agree is not False
    return found


def _shortcuts(judged: JudgedShortcuts | str, threshold: float) -> LightQuestion:
    if isinstance(judged, str):
        return LightQuestion("shortcuts", (), judged)
    of = WAY if judged.n_classes else EXPLAINED
    return LightQuestion("shortcuts", (Gauge(of, partial(best_way, judged), threshold),))


def best_way(judged: JudgedShortcuts, level: float) -> Estimate:
    """How far the best of all shortcuts gets, with an interval that takes into account that it is the best of many.

    The lower bound is that of the shortcut with the highest one, the level shared out among all (Bonferroni), and 0
    where the test over all does not reject at this level; the upper bound is the highest upper bound, at most perfect.
    """
    shared = 1 - (1 - level) / len(judged.scores)
    low, high = 0.0, 0.0
    for each in judged.scores:
        wide, plain = (way(at_level(each.score, at), judged.floor, judged.n_classes) for at in (shared, level))
        if each.p_value < 1 - level and np.isfinite(wide.low):
            low = max(low, wide.low)
        if np.isfinite(plain.high):
            high = max(high, plain.high)
    best = judged.best
    method = f"best of {len(judged.scores)} shortcuts, Bonferroni; {best.score.method}"
    value = max(0.0, best.share.value)
    return Estimate(value, min(low, value), min(1.0, max(high, value)), method, best.score.n, level)


def _labels(suspects: Suspects | str, threshold: float) -> LightQuestion:
    if isinstance(suspects, str) or not suspects.told:
        return LightQuestion("labels", (), suspects if isinstance(suspects, str) else suspects.reason)
    return LightQuestion("labels", (Gauge(WRONG, partial(_wrong, suspects), threshold),))


def _wrong(suspects: Suspects, level: float) -> Estimate:
    """The share of wrong labels: from what it is if errors hit rows at random to what it may be if they do not."""
    found = at_level(suspects.share_wrong, level)
    return replace(found, low=max(0.0, found.low), high=min(1.0, max(found.high, suspects.most_wrong)))


def _size(material: Material, noise: NoiseCard, threshold: float) -> LightQuestion:
    if material.task == "numbers":
        return LightQuestion("size", (), "answers that are scores are not right or wrong, which the size table needs")
    return LightQuestion("size", (Gauge(SHOWN, noise.range, threshold, "points", is_sampled=False),))


def _balance(balance: Balance | str, thresholds: LightThresholds) -> LightQuestion:
    if isinstance(balance, str):
        return LightQuestion("balance", (), balance)
    gauges = [Gauge(EVEN, balance.evenness, thresholds.balance)]
    if "train" in balance.counts and balance.judged != "train":
        gauges.append(Gauge(DRIFT, balance.drift, thresholds.drift, "points"))
    return LightQuestion("balance", tuple(gauges))
