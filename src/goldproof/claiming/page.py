"""The page: the claim, the lights, what may not be claimed, then a section for each question with its full report.

It says what `scores`, `lights` and `words` found, and computes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from goldproof.claiming import titles
from goldproof.claiming.asked_page import asked_provenance, example_items, moving_items, prompt_language_notes
from goldproof.claiming.asked_scores import study_config
from goldproof.claiming.behind import SCOPE
from goldproof.claiming.data import copy_notes
from goldproof.claiming.lights import PageLight, find_lights
from goldproof.claiming.plan import audit_settings, audited, layer_config, layer_jobs, recipe_of, why_not_removed
from goldproof.claiming.scores import FEWEST, WORDS, Evidence, OneSide, Rival, WordCost, find_evidence
from goldproof.claiming.settings import Config, title_of_model
from goldproof.claiming.words import (
    change_text,
    choice_words,
    claim,
    not_claimed,
    question,
    removal_words,
    scope,
)
from goldproof.jobs import Results
from goldproof.judging.audit.audit import audit_splits
from goldproof.judging.metric_numbers import difference_format, score_text
from goldproof.judging.metrics import title_of
from goldproof.judging.score import SetScore
from goldproof.judging.score_answer import metric_column
from goldproof.judging.subsets import PartScore, bias_sentence
from goldproof.report.chart_parts import Caption
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, estimate_or_reason, percent
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import (
    Answer,
    Cell,
    Claim,
    Column,
    Figure,
    Item,
    Plain,
    Report,
    Section,
    Text,
)
from goldproof.statistics.estimate import Estimate
from goldproof.studies.probing import report as layers_report
from goldproof.studies.stability import report as prompts_report

RULES = (
    "A light is red if the lower bound of its measure is beyond the threshold, green only if the upper bound is "
    "within it, and grey otherwise. Holm's procedure covers the lights that rest on a sample. Leaks, size and "
    "constant {runs} are counted. A cue that solves items is not shown to be what the model uses."
)


def make_page(config: Config, results: Results) -> Report:
    """The page with the full reports beside it."""
    evidence = find_evidence(config, results)
    lights = find_lights(evidence)
    beside = dict(_beside(config, results, evidence))
    sections = [Section(title, items) for title, items in _sections(evidence, lights, beside) if items]
    answer = Answer("measured", "", claim(evidence), _takes(evidence), _warnings(evidence), _figure(evidence))
    verdict = [*map(_light_claim, lights)]
    return Report("claims", question(evidence), verdict, sections, _provenance(evidence), answer, beside)


def _light_claim(light: PageLight) -> Claim:
    finite = light.estimate is not None and math.isfinite(light.estimate.value)
    return Claim(light.sentence, light.colour, light.estimate if finite else None, light.digits, light.unit)


def _beside(config: Config, results: Results, evidence: Evidence) -> Iterator[tuple[str, Report]]:
    """The full reports, by the name of their folder."""
    chosen = layer_config(config, evidence.data)
    splits = {split: results[job] for split, job in audited(config, evidence.data).items()}
    yield "audit", audit_splits(splits, audit_settings(config, evidence.data)).report()
    if evidence.asked is not None:
        yield "score", prompts_report(study_config(config), results)
        return
    yield "score", evidence.scores.report()
    if evidence.transfer is not None:
        yield "languages", evidence.transfer.report()
    if chosen is not None and layer_jobs(config, evidence.data):
        yield "layers", layers_report(chosen, results)


def _takes(evidence: Evidence) -> str:
    """What would make the claim a wider one."""
    if evidence.collapse_all:
        if evidence.asked is not None:
            return "It would take prompts that this model responds to, or another rule for reading its answers."
        return "It would take a recipe that trains: another learning rate, more steps."
    if not evidence.is_recipe:
        working = "" if evidence.test.n_runs < FEWEST or evidence.asked is not None else " that work"
        return f"It would take at least 3 {evidence.run_kind}s{working} to say anything about another one."
    return ""


def _warnings(evidence: Evidence) -> list[str]:
    left = [each for each in evidence.config.left_out if each.startswith(("Trained on", "Asked about"))]
    return [*left, *copy_notes(evidence.data), *prompt_language_notes(evidence)]


def _figure(evidence: Evidence) -> Figure | None:
    """The score beside what stands next to it: rivals, other languages, and the most frequent label."""
    column = metric_column(evidence.metric)
    estimate = evidence.estimate
    if not math.isfinite(estimate.low):
        return None
    runs = tuple(float(each) for each in evidence.per_training) if len(evidence.per_training) > 1 else ()
    rows = [OverviewRow(title_of_model(evidence.config), estimate, runs)]
    if evidence.asked is not None and evidence.asked.examples is not None:
        shot = evidence.asked.examples
        rows.append(OverviewRow("with examples", shot.mean, tuple(float(each) for each in shot.by_prompt)))
    rows += [OverviewRow(each.name, each.score, look="baseline") for each in evidence.rivals]
    rows += [
        OverviewRow(f"{side.side} text only", _of(side.scores.sets[0], evidence), look="baseline")
        for side in evidence.alone
    ]
    if evidence.languages is not None:
        rows += [OverviewRow(f"in {each.where['language']}", _of(each, evidence)) for each in evidence.languages.sets]
    floor = evidence.scores.sets[0].floor
    against = Against((floor,), text="Dashed: the most frequent label.") if math.isfinite(floor) else None
    known = [row for row in rows if isinstance(row.value, float) or math.isfinite(row.value.low)]
    caption = Caption("claim", f"{title_of(evidence.metric)}, and what stands beside it", keys=evidence.keys)
    return overview(known, column, caption=caption, against=against)


def _of(each: SetScore, evidence: Evidence) -> Estimate:
    return each.estimates[evidence.metric]


def _sections(
    evidence: Evidence, lights: tuple[PageLight, ...], beside: Mapping[str, Report]
) -> Iterator[tuple[str, Sequence[Item]]]:
    yield titles.REFUSED, [Text(each) for each in not_claimed(evidence, lights)]
    yield titles.SCORE, _score_items(evidence)
    yield titles.RIVALS, _rival_items(evidence)
    yield titles.SOURCES, [*_source_items(evidence), *moving_items(evidence)]
    yield titles.EXAMPLES, example_items(evidence)
    yield titles.CATEGORIES, _category_items(evidence)
    yield titles.HARD, _part_items(evidence)
    yield titles.REMOVALS, _removal_items(evidence)
    yield titles.SIDES, _side_items(evidence)
    yield _elsewhere(evidence), _language_items(evidence, beside)
    yield titles.CALIBRATION, _calibration_items(evidence)
    yield titles.LAYERS, _answered("layers", beside)
    yield titles.DATA, _answered("audit", beside)
    yield titles.ADDED, [Text(each) for each in evidence.config.added]
    yield titles.NOT_ASKED, [Text(each) for each in evidence.config.left_out]
    yield titles.RULES, [Text(RULES.format(runs=f"{evidence.run_kind}s"))]


def _elsewhere(evidence: Evidence) -> str:
    """What the section on other languages and checkpoints is called, by what is in it."""
    if not evidence.data.further:
        return titles.CHECKPOINT
    return titles.LANGUAGES_TOO if _has_choice(evidence) else titles.LANGUAGES


def _has_choice(evidence: Evidence) -> bool:
    """Whether it is known what choosing the checkpoint loses."""
    return evidence.choice is not None and math.isfinite(evidence.choice.corrected.low)


def _score_items(evidence: Evidence) -> list[Item]:
    first = evidence.scores.sets[0]
    fields: list[Field[SetScore]] = [
        Field(Column("model", "Model"), lambda each: each.where["model"]),
        Field(Column("dataset", "Dataset"), lambda each: each.where["dataset"]),
        Field(Column("language", "Language"), lambda each: each.where["language"]),
        Field(Column("n", "Items"), lambda each: each.n_items),
        Field(Column("runs", f"{evidence.run_kind.capitalize()}s"), lambda each: len(evidence.per_training)),
        *(Field(metric_column(name), partial(_named, name)) for name in first.estimates),
    ]
    heading = Heading(
        "score-of-the-model",
        f"{title_of(evidence.metric)}: {score_text(evidence.estimate, evidence.metric)}",
        keys=evidence.keys,
    )
    return [
        make_table(heading, fields, [first]),
        Text(f"Each {evidence.run_kind}, the confusions and every item:", "score/report.html"),
    ]


def _named(name: str, each: SetScore) -> Cell:
    return each.estimates[name]


def _rival_items(evidence: Evidence) -> list[Item]:
    if not evidence.rivals:
        return []
    form = difference_format(evidence.metric)
    fields: list[Field[Rival]] = [
        Field(Column("name", "System"), lambda each: each.name),
        Field(Column("n", "Items"), lambda each: each.n_items),
        Field(metric_column(evidence.metric), lambda each: each.score),
        Field(Column("ahead", "The model minus it", form.digits, form.unit), lambda each: each.difference.difference),
        Field(
            Column("p", "p", 3, "p-value"),
            lambda each: each.difference.p_value if math.isfinite(each.difference.p_value) else None,
        ),
    ]
    note = "Paired on the same items; not adjusted, because each is a separate question."
    title = "; ".join(f"{each.name}: {change_text(each.difference, evidence.metric)}" for each in evidence.rivals)
    more = [Text("All shortcuts that were tried, and the words that give labels away:", "audit/report.html")]
    has_words = any(each.name == WORDS for each in evidence.rivals)
    return [
        make_table(Heading("rivals", f"The model minus {title}", note), fields, evidence.rivals),
        *(more if has_words else []),
    ]


def _source_items(evidence: Evidence) -> list[Item]:
    found = evidence.sources
    if found is None:
        return []
    told = [part for part in found.parts if part.p_value * len(found.parts) < 1 - evidence.config.level]
    said = ", ".join(part.name for part in told)
    shares = ", ".join(f"{part.name} {percent(part.share, 0)}" for part in found.parts)
    n = f"{found.n_runs} trainings in a Latin square"
    first = (
        f"Sources that move the score, beyond the rest: {said}"
        if told
        else "No single source of chance is shown to move the score"
    )
    return [
        Text(f"{first} ({n}; shares of the variance: {shares}, the rest {percent(found.rest_share, 0)}; Bonferroni).")
    ]


def _category_items(evidence: Evidence) -> list[Item]:
    tags = [each for each in evidence.scores.tags if math.isfinite(each.p_value)]
    if not tags:
        return []
    above = [each for each in tags if each.verdict == "above chance"]
    text = f"{len(above)} of {len(tags)} categories that could be tested are above chance (Benjamini and Hochberg):"
    low = min(tags, key=lambda each: each.estimate.value)
    lowest = f" the lowest is {low.tag}, {score_text(low.estimate, evidence.metric)}."
    return [Text(text + lowest, "score/report.html")]


def _part_items(evidence: Evidence) -> list[Item]:
    if not evidence.parts:
        reason = evidence.audit["hard"].get("reason", "")
        return [Text(f"Items were not divided: {reason}.")] if reason else []
    fields: list[Field[PartScore]] = [
        Field(Column("which", "Items"), lambda each: "hard for cues" if each.part == "hard" else "solvable by a cue"),
        Field(Column("n", "Number"), lambda each: each.n),
        Field(metric_column(evidence.metric), lambda each: each.estimate),
        Field(
            Column("alike", "At equal label balance", 1, "%"),
            lambda each: each.alike if math.isfinite(each.alike) else None,
        ),
        Field(
            Column("wrong", "Labels estimated to be wrong", 1, "%"),
            lambda each: None if each.wrong is None else each.wrong.value,
        ),
    ]
    scores = " and ".join(
        f"{score_text(each.estimate, evidence.metric)} on {'hard items' if each.part == 'hard' else 'the others'}"
        for each in evidence.parts
    )
    return [
        make_table(
            Heading("hard-items", f"{title_of(evidence.metric)} is {scores}", bias_sentence(evidence.parts[0].bias)),
            fields,
            evidence.parts,
        )
    ]


def _removal_items(evidence: Evidence) -> list[Item]:
    if not evidence.removals:
        reason = why_not_removed(evidence.config, evidence.data)
        return [Text(f"No words were removed: {reason}.")] if reason else []
    form = difference_format(evidence.metric)

    def column(key: str, title: str) -> Column:
        return Column(key, title, form.digits, form.unit)

    fields: list[Field[WordCost]] = [
        Field(Column("words", "Removed"), lambda each: each.words),
        Field(column("change", "Change"), lambda each: each.change.difference),
        Field(column("control", "Same number of random words"), lambda each: each.control.difference),
        Field(column("beyond", "Beyond the random words"), lambda each: each.beyond.difference),
        Field(Column("p", "p adjusted", 3, "p-value", "Holm, over the classes"), lambda each: each.p_value),
    ]
    told = " ".join(removal_words(evidence, each.words) for each in evidence.removals)
    note = (
        f"The same {evidence.run_kind}s answer each version of the test texts; the control removes the same number "
        "of random words from each text. Intervals are not adjusted for the number of classes, p is."
    )
    return [
        Text(told),
        make_table(
            Heading("removals", "What removing words from the test texts costs", note, evidence.keys),
            fields,
            evidence.removals,
        ),
    ]


def _side_items(evidence: Evidence) -> list[Item]:
    return [Text(_side_words(evidence, each)) for each in evidence.alone]


def _side_words(evidence: Evidence, each: OneSide) -> str:
    first = each.scores.sets[0]
    score, floor = first.estimates[each.scores.metric], first.floor
    above = "is above" if score.low > floor else "is not shown to be above"
    n = len(first.run_names)
    trainings = "1 training" if n == 1 else f"{n} trainings"
    return (
        f"Trained and tested with the {each.side} text only ({trainings}), it reaches "
        f"{score_text(score, each.scores.metric)}, which {above} the most frequent label ({percent(floor)}); using "
        f"both texts adds {change_text(each.gap, evidence.metric)}."
    )


def _language_items(evidence: Evidence, beside: Mapping[str, Report]) -> list[Item]:
    items: list[Item] = []
    if evidence.choice is not None and _has_choice(evidence):
        items.append(Text(choice_words(evidence.choice, evidence.metric)))
    if evidence.languages is None:
        return items
    fields: list[Field[SetScore]] = [
        Field(Column("language", "Language"), lambda each: each.where["language"]),
        Field(Column("n", "Items"), lambda each: each.n_items),
        Field(metric_column(evidence.metric), lambda each: each.estimates[evidence.metric]),
        Field(Column("floor", "Majority", 1, "%"), lambda each: each.floor if math.isfinite(each.floor) else None),
    ]
    said = ", ".join(
        f"{each.where['language']} {score_text(each.estimates[evidence.metric], evidence.metric)}"
        for each in evidence.languages.sets
    )
    same = "trainings" if evidence.asked is None else "model"
    heading = Heading("languages", f"The same {same} in other languages: {said}", keys=evidence.keys)
    items.append(make_table(heading, fields, evidence.languages.sets))
    items.append(Text(_copy_words(evidence)))
    return [*items, *_answered("languages", beside)]


def _copy_words(evidence: Evidence) -> str:
    """How many rows of each test in another language are copies of training rows."""
    further = evidence.data.further
    each = [f"{code} {count(evidence.data.n_copies(code))} of {count(len(further[code].data))}" for code in further]
    return f"Test rows with an exact copy in the training rows: {', '.join(each)}."


def _calibration_items(evidence: Evidence) -> list[Item]:
    found = evidence.scores.sets[0].calibration
    if found is None:
        return []
    excess = found.excess
    if not math.isfinite(excess.low):
        return []
    said = "Its confidence is not shown to differ from its accuracy"
    if excess.low > 0 or excess.high < 0:
        said = f"It is {'more' if excess.low > 0 else 'less'} confident than it is right"
    gap, brier = estimate_or_reason(excess, 1, "points"), estimate_or_reason(found.brier, 3)
    text = f"{said}: mean confidence minus accuracy is {gap}; Brier score {brier}."
    return [Text(text, "score/report.html")]


def _answered(name: str, beside: Mapping[str, Report]) -> list[Item]:
    """The question of a full report with its answer."""
    found = beside.get(name)
    if found is None or found.answer is None:
        return []
    return [Text(f"{found.title} {found.answer.sentence}", f"{name}/report.html")]


def _provenance(evidence: Evidence) -> dict[str, Plain]:
    holds = {} if evidence.collapse_all else {SCOPE: scope(evidence).partition(";")[0]}
    return {**_made(evidence), **holds}


def _made(evidence: Evidence) -> dict[str, Plain]:
    config, data = evidence.config, evidence.data
    if evidence.asked is not None:
        return asked_provenance(evidence)
    recipe = recipe_of(config, data, str(config.model))
    return {
        "model": title_of_model(config),
        "data": data.name,
        "language": data.language,
        "training rows": len(data.parts["train"].data),
        "test items": len(data.parts["test"].data),
        "seeds": ", ".join(map(str, config.seeds)),
        "checkpoint": "the best on validation",
        "recipe": f"{_epochs(recipe.epochs)}, batch {recipe.batch}, learning rate {recipe.learning_rate:g}, "
        f"{recipe.schedule} with {100 * recipe.warmup:g} % warm-up, weight decay {recipe.weight_decay:g}, "
        f"clip {recipe.clip}, length {recipe.max_length}, {recipe.precision}",
    }


def _epochs(n: float) -> str:
    return f"{n:g} {'epoch' if n == 1 else 'epochs'}"
