"""What transfer answers: whether the zero-shot scores survive an honest choice of checkpoint, and the findings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from goldproof.judging.checkpoints.analysis import LanguageResult, Transfer
from goldproof.judging.checkpoints.rules import USUAL
from goldproof.judging.collapse import about_collapse
from goldproof.judging.metrics import title_of
from goldproof.judging.score_answer import lower_name
from goldproof.report.chart_parts import Caption
from goldproof.report.names import some
from goldproof.report.numbers import estimate_text, format_number, points
from goldproof.report.overview import OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Column, Figure, ReplyKind, Standing
from goldproof.statistics.estimate import Estimate

QUESTION = "Would the zero-shot score survive an honest choice of checkpoint?"
FREE = "may be claimed"
SHOWN: Standing = "shown"
UNDECIDED: Standing = "undecided"


def transfer_answer(found: Transfer) -> Answer:
    """The first screen without its chart."""
    n_runs, notes = found.experiment.n_runs, about_collapse(found.experiment.notes)
    if _all_collapsed(found):
        is_source = found.collapse is not None and found.collapse.is_whole
        where = "" if is_source else " of every target language"
        return Answer("open", "Undecided", f"every run gives one answer to nearly all items{where}.", "", notes)
    if n_runs == 1:
        takes = "It would take three or more runs of the same recipe."
        text = "there is only one run, so its scores may be claimed for this run only."
        return Answer("open", "Undecided", text, takes, notes)
    n = len(found.languages)
    free = [result.language for result in found.languages if result.claim == FREE]
    rest = _others(found.languages)
    if len(free) == n:
        where = f"in every one of {n} languages" if n > 1 else f"in {free[0]}"
        within = f"another run on these items is expected within {_margin(found)} points of the mean of {n_runs} runs"
        return Answer("yes", f"Yes, {where}", f"the score may be claimed as it is, as {within}.", "", notes)
    kind: ReplyKind = "measured" if free else "no"
    head = f"In {some(free)}, yes" if free else f"No, in none of {n} languages" if n > 1 else "No"
    return Answer(kind, head, f"{rest} ({n_runs} runs).", _takes(found), notes)


def _others(languages: Sequence[LanguageResult]) -> str:
    """With what the other scores may be claimed, the languages named."""
    by_claim: dict[str, list[str]] = {}
    for result in languages:
        if result.claim != FREE:
            by_claim.setdefault(result.claim, []).append(result.language)
    parts = []
    for claim, names in by_claim.items():
        its = claim.replace(" its ", " their ") if len(names) > 1 else claim
        scores = "the score of" if len(names) == 1 else "the scores of"
        verb = "is" if len(names) == 1 else "are"
        may = f"may be claimed {its}" if claim.startswith(("only", "of")) else f"{verb} {its}"
        parts.append(f"{scores} {some(names)} {may}")
    return "; ".join(parts)


def _takes(found: Transfer) -> str:
    """What would make the scores claimable: saying how far one more run may be off."""
    known = [result for result in found.counted if math.isfinite(result.spread.another_run)]
    if not known:
        return ""
    widest = max(known, key=lambda result: result.spread.another_run)
    off = f"±{points(widest.spread.another_run)} of the mean in {widest.language}"
    return f"Another run is expected within {off}; a score that stands on its own needs ±{_margin(found)}."


def _margin(found: Transfer) -> str:
    return f"{100 * found.settings.margin:g}"


def _all_collapsed(found: Transfer) -> bool:
    return not found.counted or (found.collapse is not None and bool(found.collapse.collapsed.all()))


def transfer_findings(found: Transfer) -> list[str | Claim]:
    """The findings: guidance, what other ways to choose bring, and how far runs differ."""
    if _all_collapsed(found):
        return []
    source = found.experiment.source
    lines: list[str | Claim] = [_guides(found)]
    beyond = "with no labels other than the source's"
    for rule, text in (
        ("target dev", f"Choosing checkpoints by target dev instead of {source} dev {{}}, mean over languages."),
        ("averaged", f"Averaging the log-probabilities of all checkpoints, {beyond}, {{}}."),
        ("averaged weights", f"Averaging the weights of all checkpoints, {beyond}, {{}}."),
    ):
        gain = found.gain(rule)
        if gain is not None:
            lines.append(_gain(text, gain, found.experiment.n_runs))
    return [*lines, _spread(found)]


def _guides(found: Transfer) -> Claim:
    """Whether source dev guides the choice where it matters, in the second half of training."""
    source, late = found.experiment.source, found.overall.source_late
    if found.experiment.n_runs == 1:
        text = (
            f"One run cannot tell whether {source} dev guides or misleads, because its checkpoints are not independent."
        )
        return Claim(text, "undecided", place="guidance")
    if not math.isfinite(late.value):
        text = "In the second half of training, no two checkpoints differ enough to tell whether"
        return Claim(f"{text} {source} dev and target test move the same way.", "undecided", place="guidance")
    standing = Counter(result.by_source.late_standing for result in found.counted)
    text = (
        f"In the second half of training, {source} dev and target test move the same way in "
        f"{estimate_text(late, 0, '%')} of the pairs of checkpoints"
    )
    guides, misleads, n = standing["guides"], standing["misleads"], len(found.counted)
    counted = f"it is shown to guide in {guides or 'none'} of {n} languages and to mislead in {misleads or 'none'}"
    if n == 1:
        shown = "to guide" if guides else "to mislead" if misleads else "neither to guide nor to mislead"
        counted = f"it is shown {shown}"
    mark: Standing = "shown" if guides or misleads else "not shown"
    return Claim(f"{text} (a coin: 50 %); {counted}.", mark, late, 0, "%", place="guidance")


def _gain(text: str, gain: Estimate, n_runs: int) -> Claim:
    """A sentence about a gain; what is said of it stands for the braces."""
    said, standing = _not_shown(gain), UNDECIDED
    if math.isfinite(gain.low) and not gain.low <= 0 <= gain.high:
        size = gain if gain.low > 0 else Estimate(-gain.value, -gain.high, -gain.low, gain.method, gain.n, gain.level)
        said, standing = f"{'gains' if gain.low > 0 else 'loses'} {estimate_text(size, 1, 'points')}", SHOWN
    in_this = f"{said} in this run" if n_runs == 1 else said
    return Claim(text.format(in_this), standing, gain, 1, "points", place="rules")


def _not_shown(gain: Estimate) -> str:
    """What fits the data where neither a gain nor a loss is shown."""
    said = "is not shown to gain or lose"
    if not math.isfinite(gain.low) or gain.high - gain.low > 1:
        return f"{said}; so few runs or items say next to nothing"
    low, high = (format_number(end, 1, "points") for end in (gain.low, gain.high))
    return f"{said} ({low} to {high} points fit the data)"


def _spread(found: Transfer) -> Claim:
    """How far runs differ, and where they can be distinguished."""
    source, n_runs = found.experiment.source, found.experiment.n_runs
    if n_runs == 1:
        return Claim("One run only: nothing is claimed about another run.", "undecided")
    widest = max(found.languages, key=lambda result: result.spread.delta)
    differ = f"{widest.language} test by {format_number(widest.spread.delta, 1, 'points')}"
    text = f"Between {n_runs} runs {source} dev differs by {points(found.source_spread.delta)}, {differ}"
    known = [result for result in found.languages if math.isfinite(result.adjusted)]
    told = [result.language for result in known if result.adjusted < 1 - found.settings.level]
    if not known:
        return Claim(f"{text}.", place="equality")
    apart = (
        f"the runs can be distinguished in {some(told)}"
        if told
        else ("the runs cannot be distinguished in any language")
    )
    return Claim(f"{text}; {apart}.", "shown" if told else "not shown", place="equality")


def transfer_figure(found: Transfer, keys: Sequence[str] = ()) -> Figure:
    """The chart of the first screen: each language's score with its interval and runs, beside the floor."""
    column = Column("score", title_of(found.experiment.metric), 1, "%")
    has_labels = bool(found.experiment.test(found.experiment.targets[0]).first.labels)
    readings = []
    for result in found.languages:
        estimate = found.rule(result.language, USUAL).estimate
        assert estimate is not None
        runs = [float(value) for value in result.spread.run_scores] if found.experiment.n_runs > 1 else ()
        readings.append(OverviewRow(result.language, estimate, runs))
        if math.isfinite(result.floor) and has_labels:
            readings.append(OverviewRow(result.language, result.floor, look="baseline"))
    name, source = lower_name(found.experiment.metric), found.experiment.source
    title = f"Zero-shot {name} at the checkpoint that {source} dev chooses"
    note = "Squares: one label for all items." if has_labels else ""
    return overview(readings, column, caption=Caption("answer", title, note))
