"""What `compare` answers: whether B is better than A, for what, what it would take, and the findings behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from goldproof.judging.collapse import about_collapse
from goldproof.judging.compare import Judgement
from goldproof.judging.differences import Difference
from goldproof.judging.gate import drop_seen
from goldproof.judging.metric_numbers import difference_format, margin_text, shown, signed, unit
from goldproof.judging.scope import OF_DRAWS
from goldproof.judging.score_answer import lower_name, metric_column
from goldproof.judging.verdict import sorted_size
from goldproof.report.chart_parts import Caption
from goldproof.report.names import some
from goldproof.report.numbers import count, p_text, percent
from goldproof.report.overview import Against, Look, OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Figure, Standing
from goldproof.statistics.estimate import Estimate

LOOKS: dict[str, Look] = {"better": "better", "worse": "worse"}
MOST_CAUTIONS = 4
DECIDED = ("better", "worse", "tied")


def compare_question(judgement: Judgement) -> str:
    """The title of the report."""
    a, b = judgement.names
    return f"Is {b} better than {a}?"


def compare_answer(judgement: Judgement) -> Answer:
    """The first screen without its chart."""
    verdict, d, metric = judgement.overall.verdict, judgement.overall.difference, judgement.metric
    a, b = judgement.names
    notes = [*about_collapse(judgement.notes), *_cautions(judgement)]
    scope = _scope(judgement)
    if verdict.kind in ("better", "worse"):
        size = _size(d, metric)
        head = f"Yes, {scope}" if verdict.kind == "better" else f"No, {scope}"
        text = f"{b} is {verdict.kind} than {a} by {size} in {lower_name(metric)}, {_on(judgement)}."
        return Answer("yes" if verdict.kind == "better" else "no", head, text, _takes(judgement), notes)
    if verdict.kind == "unknown":
        reason = verdict.text.partition(": ")[2]
        return Answer("open", "Undecided", f"{reason}.", _takes(judgement), notes)
    found = f"{b} − {a} is {_signed(d, metric)} in {lower_name(metric)}"
    if verdict.kind == "tied":
        margin = margin_text(judgement.margins.tie, metric)
        text = f"{found}, and is shown to lie within ±{margin}, {_on(judgement)}."
        return Answer("no", f"No, they are tied, {scope}", text, _takes(judgement), notes)
    return Answer(
        "open", f"Undecided {scope.removesuffix(' too')}", f"{found}, {_on(judgement)}.", _takes(judgement), notes
    )


def _on(judgement: Judgement) -> str:
    """What it holds on."""
    of_draws = any(a.bounds is not None and a.bounds.of_means for a, _ in judgement.answers)
    return OF_DRAWS if of_draws else "on items like these"


def _cautions(judgement: Judgement) -> list[str]:
    """What was not the same for both; of many things the first."""
    n_more = len(judgement.cautions) - MOST_CAUTIONS
    more = [f"And {n_more} more; see the notes."] if n_more > 0 else []
    return [*judgement.cautions[:MOST_CAUTIONS], *more]


def _scope(judgement: Judgement) -> str:
    """For what it holds, as part of a sentence."""
    if judgement.overall.verdict.scope == "recipes":
        return "for other trainings too" if "training" in judgement.overall.verdict.about else "for other runs too"
    return "for these two systems"


def _takes(judgement: Judgement) -> str:
    verdict = judgement.overall.verdict
    if verdict.takes:
        return f"{verdict.takes[0].upper()}{verdict.takes[1:]}."
    _, _, limit = verdict.about.partition("; ")
    if verdict.scope == "systems" and limit:
        more = ": give several runs of each, or --seed-sd, to find out" if judgement.paired else ""
        return f"{limit[0].upper()}{limit[1:]}{more}."
    return f"This is about {verdict.about}." if limit else ""


def _size(d: Estimate, metric: str) -> str:
    """The size of a difference that excludes 0, with its interval."""
    size, low, high = sorted_size(d.value, d.low, d.high)
    return f"{shown(size, metric)}{unit(metric)} [{shown(low, metric)}, {shown(high, metric)}]"


def _signed(d: Estimate, metric: str) -> str:
    return f"{signed(d.value, metric)}{unit(metric)} [{signed(d.low, metric)}, {signed(d.high, metric)}]"


def compare_findings(judgement: Judgement) -> list[str | Claim]:
    """The findings: the gate, the difference, flips, sets, categories."""
    found = [
        *_gate(judgement),
        difference_claim(judgement),
        *_flips(judgement),
        *_several(judgement, judgement.sets if len(judgement.sets) > 1 else (), "sets", "difference"),
        *_several(judgement, judgement.tags, "categories", "categories"),
    ]
    return [*found]


def gate_text(judgement: Judgement) -> str:
    """What the gate says, and what it could have seen."""
    margins, metric = judgement.margins, judgement.metric
    asked = {None: "", "not-worse": ", required: not worse", "better": ", required: better"}[margins.require]
    gate = "gate" if margins.gate is None else f"gate of {margin_text(margins.gate, metric)}"
    drop = drop_seen(judgement.overall.verdict.detectable, margins)
    seen = "no possible drop" if not drop <= 2 else f"a drop of {shown(drop, metric)}{unit(metric)} or more"
    over = " of the overall difference" if len(judgement.sets) > 1 else ""
    said = {"passed": "passed", "failed": "NOT passed", "undecided": "undecided (neither is shown)"}
    return f"{gate}{asked}: {said[judgement.outcome or 'passed']}; it would detect {seen}{over} (80 % power)"


def _gate(judgement: Judgement) -> list[Claim]:
    if not judgement.margins.is_asked:
        return []
    said = gate_text(judgement)
    # To pass a plain gate is no proof: nothing was shown, only no drop.
    passed: Standing = "shown" if judgement.margins.require else "stated"
    marks: dict[str | None, Standing] = {"passed": passed, "failed": "shown", "undecided": "undecided"}
    return [Claim(f"{said[0].upper()}{said[1:]}.", marks[judgement.outcome], place="difference")]


def difference_claim(judgement: Judgement) -> Claim:
    """The difference over all, as a finding."""
    d, metric, form = judgement.overall.difference, judgement.metric, difference_format(judgement.metric)
    a, b = judgement.names
    verdict = judgement.overall.verdict
    standing: Standing = "shown" if verdict.kind in DECIDED else "undecided"
    p = "" if judgement.overall.p_value != judgement.overall.p_value else f" ({p_text(judgement.overall.p_value)})"
    if verdict.kind in ("better", "worse"):
        text = f"{b} is {verdict.kind} than {a} by {_size(d, metric)}{p}."
    elif verdict.kind == "tied":
        text = f"{b} and {a} are tied within ±{margin_text(judgement.margins.tie, metric)}: {_signed(d, metric)}."
    elif verdict.kind == "undecided":
        text = f"Neither a difference nor a tie is shown: {b} − {a} is {_signed(d, metric)}{p}."
    else:
        text = f"The difference has no interval: {verdict.text.partition(': ')[2]}."
    return Claim(text, standing, d, form.digits, form.unit, place="difference")


def _flips(judgement: Judgement) -> list[Claim]:
    """The answers that change: which way, and how many another seed alone would change."""
    overall, found = judgement.overall, []
    b = judgement.names[1]
    if overall.flips is not None and overall.mcnemar is not None:
        mended, broken = count(overall.flips.only_b), count(overall.flips.only_a)
        text = f"{b} fixes {mended} items and breaks {broken} (exact McNemar {p_text(overall.mcnemar)})."
        shown_by = overall.mcnemar < 0.05
        found.append(Claim(text, "shown" if shown_by else "undecided", place=_items_place(judgement)))
    if overall.churn is not None:
        beside = f"; another seed alone changes {percent(overall.seed_churn)}" if overall.seed_churn is not None else ""
        text = f"{percent(overall.churn)} of the answers change{beside}."
        found.append(Claim(text, place=_items_place(judgement)))
    return found


def _items_place(judgement: Judgement) -> str:
    return "items-0" if judgement.answers else "difference"


def _several(judgement: Judgement, every: Sequence[Difference], what: str, place: str) -> list[Claim]:
    """Where a difference is shown, of sets or categories that were tested together."""
    tested = [d for d in every if d.verdict.kind != "unknown"]
    if not tested:
        return []
    a, b = judgement.names
    parts = []
    for kind in ("better", "worse"):
        names = [set_name(d) for d in tested if d.verdict.kind == kind]
        if names:
            parts.append(f"{kind} in {some(names)}")
    if parts:
        rest = len(tested) - sum(d.verdict.kind in ("better", "worse") for d in tested)
        more = f"; no difference is shown in the other {rest}" if rest else ""
        return [Claim(f"{b} is shown to be {' and '.join(parts)}{more}.", "shown", place=place)]
    least = min(d.adjusted for d in tested)
    none = f"No difference between {b} and {a} is shown in any of {len(tested)} {what}"
    text = f"{none} (smallest adjusted {p_text(least)})."
    return [Claim(text, "not shown", place=place)]


def set_name(d: Difference) -> str:
    """Where a difference was read, in words."""
    parts = [value for key, value in d.where.items() if key != "tag"]
    return " ".join([*parts, d.where["tag"]] if "tag" in d.where else parts) or "all"


def drawn_difference(d: Difference) -> Estimate:
    """The difference as a chart shows it: with the interval that its verdict rests on."""
    return d.difference if d.together is None else d.together


def compare_figure(judgement: Judgement) -> Figure:
    """The chart of the first screen: the difference with its interval, 0, and what is too small to matter."""
    metric, (a, b) = judgement.metric, judgement.names
    form, tie = difference_format(metric), judgement.margins.tie
    column = replace(metric_column(metric), key="difference", title="Difference", unit=form.unit)
    every = [("all" if len(judgement.sets) > 1 else "difference", judgement.overall)]
    every += [(set_name(d), d) for d in judgement.sets] if len(judgement.sets) > 1 else []
    readings = [OverviewRow(name, drawn_difference(d), look=LOOKS.get(d.verdict.kind, "ours")) for name, d in every]
    text = f"Shaded: too small to matter (within ±{margin_text(tie, metric)}). Dashed: no difference."
    if len(every) > 1:
        text += " The intervals of single sets hold for all sets at once, as do their verdicts."
    caption = Caption("answer", f"Right of the dashed line {b} is better; left of it, {a}")
    return overview(readings, column, caption=caption, against=Against([0.0], (-tie, tie), text))
