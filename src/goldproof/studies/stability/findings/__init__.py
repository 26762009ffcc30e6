"""The findings in order: verdict, seeds, languages, categories, data size, features, data, items, limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from goldproof.jobs import Results
from goldproof.judging.score_report import flip_examples
from goldproof.judging.tags import UNTESTED
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.numbers import extremes, in_words
from goldproof.report.summary import Cell, Claim, Column, Missing, Report, Section, Table, Text
from goldproof.statistics.estimate import Estimate
from goldproof.studies.shared import only_model
from goldproof.studies.stability.findings.presence import presence_section
from goldproof.studies.stability.findings.seeds import (
    categories_sections,
    languages_section,
    seeds_section,
    widest_spread,
)
from goldproof.studies.stability.findings.size import gains, size_section
from goldproof.studies.stability.plan import CorpusFigures, figures_job
from goldproof.studies.stability.published import CORPORA, OVERALL, CorpusRow
from goldproof.studies.stability.scores import StabilityFindings
from goldproof.studies.stability.settings import Config

MOST_EXAMPLES = 4
MOST_LANGUAGES = 2
_PRINTED_MEAN = (
    "The overall MCC that the paper prints is not the mean over categories that its text describes; both are "
    "shown, and the printed one is set beside the MCC over all rows, which it most likely is.",
)


def make_report(config: Config, results: Results) -> Report:
    """What was found."""
    found = StabilityFindings(config, results)
    sections = [
        seeds_section(found),
        languages_section(found),
        *categories_sections(found),
        *size_section(found),
        *presence_section(found),
        Section("Data", [_data_table(found)]),
        *_items(found),
        Section("Limits", [Text(line) for line in _limits(found)]),
    ]
    title = "Would the score hold with another seed?"
    return Report("stability", title, _verdict(found), sections, _provenance(config))


def _verdict(found: StabilityFindings) -> list[str | Claim]:
    lines: list[str | Claim] = []
    if all(scored.is_collapsed for scored in found.every_base.values()):
        return _collapsed(found)
    judged = [score for scores in found.categories.values() for score in scores]
    tested = [score for score in judged if score.verdict not in UNTESTED]
    told = [score for score in tested if score.verdict in ("above chance", "below chance")]
    several = any(scored.n_runs > 1 for scored in found.base.values())
    means = ", even as means over seeds" if several else ""
    lines.append(f"{len(tested) - len(told)} of {len(tested)} category scores cannot be told from chance{means}.")
    widest = widest_spread(found)
    if widest is not None:
        lines.append(f"{widest}.")
    return [*_collapsed(found), *lines, *_overall(found), *gains(found), *_correlations(found)]


def _collapsed(found: StabilityFindings) -> list[str | Claim]:
    """How many trainings collapsed, of which nothing below speaks."""
    every = list(found.scored.values())
    n = sum(scored.n_collapsed for scored in every)
    if not n:
        return []
    of = sum(len(found.config.seeds) for _ in every)
    lost = [scored.condition.name() for scored in every if scored.is_collapsed]
    alone = f" every one of {', '.join(lost)}, of which nothing can be said" if lost else ""
    text = f"{n} of {of} trainings collapsed, giving one answer to nearly all rows; they are in no finding"
    return [f"{text}:{alone}." if alone else f"{text}."]


def _overall(found: StabilityFindings) -> list[str | Claim]:
    n_runs = max((scored.n_runs for scored in found.base.values()), default=1)
    seeds = f"the mean of {n_runs} seeds" if n_runs > 1 else "one seed"
    estimates = {language: scored.overall for language, scored in found.base.items()}
    one = f"the overall MCC on the diagnostics is {{}}, {seeds}"
    return _stated(found, estimates, f"Of the overall MCC on the diagnostics, {seeds}", one, "mcc")


def _correlations(found: StabilityFindings) -> list[str | Claim]:
    every = {language: scored.correlation(found.config.level) for language, scored in found.base.items()}
    known = {language: each for language, each in every.items() if each is not None and math.isfinite(each.low)}
    one = "the category scores of two seeds correlate with {}, on average"
    return _stated(found, known, "Of the correlations between the category scores of two seeds", one, "correlation")


def _stated(
    found: StabilityFindings, estimates: Mapping[str, Estimate], several: str, one: str, published: str
) -> list[str | Claim]:
    """A claim for each language, or one sentence on the highest and the lowest where there are more than two.

    `several` begins that sentence, `one` is the claim with {} for the score, `published` the paper's field.
    """
    if len(estimates) > MOST_LANGUAGES:
        return [f"{several}, {extremes(list(estimates.items()), 3)}."]
    lines: list[str | Claim] = []
    for language, estimate in estimates.items():
        printed = f"{getattr(OVERALL[language], published):.3f}" if found.with_paper else ""
        text = f"{language}: {one.format(in_words(estimate, 3))}."
        lines.append(Claim(text, "stated", estimate, digits=3, published=printed))
    return lines


@dataclass(frozen=True, slots=True)
class _Corpus:
    """A language's corpus: our figures, and the paper's where it is the paper's corpus."""

    language: str
    ours: CorpusFigures
    paper: CorpusRow | None


def _split_rows(split: str, corpus: _Corpus) -> Cell:
    return corpus.ours.rows.get(split, Missing("no such split"))


_DATA_FIELDS: tuple[Field[_Corpus], ...] = (
    Field(Column("language", "Language"), lambda corpus: corpus.language),
    Field(Column("train", "Train"), partial(_split_rows, "train")),
    Field(Column("validation", "Validation"), partial(_split_rows, "validation")),
    Field(Column("test", "Test"), partial(_split_rows, "test")),
    Field(
        Column("vocabulary", "Vocabulary", note="different words, case aside, over all splits"),
        lambda corpus: corpus.ours.vocabulary,
    ),
    Field(
        Column("paper_vocabulary", "Vocabulary", published=True),
        lambda corpus: printed_cell(corpus.paper.vocabulary if corpus.paper else None),
    ),
    Field(
        Column("words", "Words a text", 1, "", "mean of premises and hypotheses: the paper's words in a sample"),
        lambda corpus: corpus.ours.words / 2,
    ),
    Field(
        Column("paper_words", "Words a text", 1, published=True),
        lambda corpus: printed_cell(corpus.paper.words if corpus.paper else None),
    ),
)


def _data_table(found: StabilityFindings) -> Table:
    config, data = found.config, found.config.data
    jobs = {language: figures_job(config, language) for language in data.languages}
    every = [
        _Corpus(language, found.results[job], CORPORA.get(language) if found.with_paper else None)
        for language, job in jobs.items()
    ]
    note = "Generated toy data: nothing here speaks of the published corpora." if data.corpus == "generated" else ""
    heading = Heading("data", f"The entailment corpora: {_sizes(every)}", note, [job.key for job in jobs.values()])
    return make_table(heading, _DATA_FIELDS, every)


def _sizes(every: Sequence[_Corpus]) -> str:
    counts = sorted(corpus.ours.rows["train"] for corpus in every if "train" in corpus.ours.rows)
    if not counts:
        return "no training rows"
    span = f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
    return f"{span} training rows a language"


def _items(found: StabilityFindings) -> list[Section]:
    several = [scored.answers for scored in found.base.values() if scored.n_runs > 1]
    examples = [flip_examples(each, f"items-{each.where['language']}") for each in several[:MOST_EXAMPLES]]
    return [Section("Items", examples)] if examples else []


def _limits(found: StabilityFindings) -> list[str]:
    config = found.config
    first = next(iter(found.base.values()))
    n = len(next(iter(found.categories.values())))
    small = min(score.estimate.n for scores in found.categories.values() for score in scores)
    lines = [
        f"The smallest category has {small} rows, half of them mirrored twins; its interval says so. {n} categories "
        "are tested together.",
        *(_PRINTED_MEAN if found.with_paper else ()),
        f"The epoch of each run was chosen by {_selection(config)}; chosen epochs: "
        + "; ".join(f"{lang} {', '.join(map(str, s.epochs))}" for lang, s in found.base.items())
        + f" of {config.recipe.evaluations}.",
    ]
    lines += list(dict.fromkeys(note for scored in found.scored.values() for note in scored.notes))
    if first.n_runs == 1:
        lines.append("One seed only: the intervals are over rows, and say nothing of another seed.")
    if config.data.corpus == "generated":
        lines.append("The data are generated and the numbers mean nothing beyond showing the report.")
    return lines


def _selection(config: Config) -> str:
    return "validation accuracy" if config.select == "best" else "taking the last"


def _provenance(config: Config) -> dict[str, str | int]:
    recipe = config.recipe
    return {
        "model": only_model(config.model).title,
        "languages": ", ".join(config.data.languages),
        "seeds": ", ".join(map(str, config.seeds)),
        "corpus": config.data.corpus,
        "membership": config.membership,
        "recipe": f"{recipe.epochs:g} epochs, batch {recipe.batch}, learning rate {recipe.learning_rate:g}, "
        f"{recipe.schedule} with {100 * recipe.warmup:g} % warm-up, weight decay {recipe.weight_decay:g}, "
        f"clip {recipe.clip}, dropout {recipe.dropout}, length {recipe.max_length}, {recipe.precision}",
    }
