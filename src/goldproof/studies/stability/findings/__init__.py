"""The findings in order: answer, seeds, languages, categories, data size, features, items, limits, data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from goldproof.judging.score_report import flip_examples
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.summary import Cell, Column, Missing, Report, Section, Table, Text
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.shared import only_model
from goldproof.studies.stability.findings.answer import QUESTION, stability_answer, stability_findings
from goldproof.studies.stability.findings.presence import presence_section
from goldproof.studies.stability.findings.seeds import categories_sections, languages_section, seeds_section
from goldproof.studies.stability.findings.size import size_section
from goldproof.studies.stability.plan import CorpusFigures
from goldproof.studies.stability.published import CORPORA, CorpusRow
from goldproof.studies.stability.scores import StabilityFindings
from goldproof.studies.stability.settings import Config

MOST_EXAMPLES = 4
_PRINTED_MEAN = (
    "The overall MCC in the paper is not the mean over categories that its text describes. Both are shown; the "
    "paper's number stands beside the MCC over all rows, which is most likely what it is.",
)


def make_report(config: Config, kept: KeptAnswers) -> Report:
    """What was found."""
    found = StabilityFindings(config, kept)
    sections = [
        seeds_section(found),
        languages_section(found),
        *categories_sections(found),
        *size_section(found),
        *presence_section(found),
        *_items(found),
        Section("Limits", [Text(line) for line in _limits(found)]),
        Section("Data", [_data_table(found)]),
    ]
    answer, findings = stability_answer(found), stability_findings(found)
    return Report("stability", QUESTION, findings, sections, _provenance(config), answer)


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
        Column("vocabulary", "Vocabulary", note="distinct words over all splits, ignoring case"),
        lambda corpus: corpus.ours.vocabulary,
    ),
    Field(
        Column("paper_vocabulary", "Vocabulary", published=True),
        lambda corpus: printed_cell(corpus.paper.vocabulary if corpus.paper else None),
    ),
    Field(
        Column("words", "Words a text", 1, "", "mean over premises and hypotheses; the paper's “words in a sample”"),
        lambda corpus: corpus.ours.words / 2,
    ),
    Field(
        Column("paper_words", "Words a text", 1, published=True),
        lambda corpus: printed_cell(corpus.paper.words if corpus.paper else None),
    ),
)


def _figures(fact: Mapping[str, Any]) -> CorpusFigures:
    return CorpusFigures(fact["rows"], fact["vocabulary"], fact["words"])


def _data_table(found: StabilityFindings) -> Table:
    data = found.config.data
    facts = found.kept.facts["corpora"]
    every = [
        _Corpus(language, _figures(facts[language]), CORPORA.get(language) if found.paper_corpora else None)
        for language in data.languages
    ]
    note = "Generated toy data: nothing here applies to the published corpora." if data.corpus == "generated" else ""
    heading = Heading(
        "data", f"The entailment corpora: {_sizes(every)}", note, [facts[each]["key"] for each in data.languages]
    )
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
        f"The smallest category has {small} rows, half of them mirrored twins, and its interval reflects that. {n} "
        "categories are tested together.",
        *(_PRINTED_MEAN if found.paper.stands else ()),
        f"The epoch of each run was chosen by {_selection(config)}; epochs chosen: "
        + "; ".join(f"{lang} {', '.join(map(str, s.epochs))}" for lang, s in found.base.items())
        + f" of {config.recipe.evaluations}.",
    ]
    lines += list(dict.fromkeys(note for scored in found.scored.values() for note in scored.notes))
    if first.n_runs == 1:
        lines.append("One seed only: the intervals are over rows and say nothing about another seed.")
    if config.data.corpus == "generated":
        lines.append("The data are generated; the numbers only show what the report looks like.")
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
