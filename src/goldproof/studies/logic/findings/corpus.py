"""The section on the data: Table 1, the certificate of each corpus, and NLI corpora recast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from goldproof.builders.logic.build import find_task
from goldproof.measures.leaks import Certificate
from goldproof.report.fields import Field, Heading, make_table, printed_cell
from goldproof.report.names import of_several, placed, some
from goldproof.report.numbers import format_number
from goldproof.report.summary import Cell, Claim, Column, Item, Marked, Section, Table
from goldproof.studies.logic import published
from goldproof.studies.logic.gather import LogicValues
from goldproof.studies.logic.plan import corpora
from goldproof.studies.logic.scores import with_paper
from goldproof.studies.logic.settings import Config, task_title
from goldproof.studies.logic.steps import LogicCorpusFigures

LEAK_NOTE = "Above the floor (one test over all shortcuts)"
SOLVED = 0.95


def corpus_section(config: Config, values: LogicValues) -> Section:
    """What the models were given."""
    items: list[Item] = [_table_1(config, values), *_certificates(config, values)]
    if config.experiments.nli:
        items.append(_nli(config, values))
    return Section("Can words alone give it away?", items)


@dataclass(frozen=True, slots=True)
class _Figures:
    """The figures of a corpus, and those that the paper prints: vocabulary, shared words, mean and longest length."""

    title: str
    ours: LogicCorpusFigures
    paper: tuple[int, int, float, int] | None


def _printed(place: int, corpus: _Figures) -> Cell:
    return printed_cell(corpus.paper[place] if corpus.paper else None)


def _figure_fields() -> list[Field[_Figures]]:
    shown = (
        (Column("vocabulary", "Vocabulary", 0), lambda corpus: corpus.ours.vocabulary),
        (Column("shared", "Words in train and test", 0), lambda corpus: corpus.ours.shared),
        (Column("mean_length", "Mean length", 1, "characters"), lambda corpus: corpus.ours.mean_length),
        (Column("max_length", "Longest", 0, "characters"), lambda corpus: corpus.ours.max_length),
    )
    fields: list[Field[_Figures]] = [Field(Column("task", "Task"), lambda corpus: corpus.title)]
    for place, (column, read) in enumerate(shown):
        beside = replace(column, key=f"{column.key}_paper", published=True)
        fields += [Field(column, read), Field(beside, partial(_printed, place))]
    return fields


def _table_1(config: Config, values: LogicValues) -> Table:
    every, keys = [], []
    for language in config.data.languages:
        for task in config.tasks:
            found, key = values.figures(task, language)
            keys.append(key)
            paper = published.FIGURES.get((language, find_task(task).value)) if with_paper(config) else None
            every.append(_Figures(placed(task_title(task), language), found, paper))
    note = "The paper gives the lengths in words; its published files show that they are characters. "
    note += "A word is what stands between two spaces, as the paper counts."
    shared = [corpus.ours.shared for corpus in every]
    span = f"{min(shared)}" if min(shared) == max(shared) else f"{min(shared)} to {max(shared)}"
    title = f"Train and test share {span} words"
    return make_table(Heading("corpora", title, note if with_paper(config) else "", keys), _figure_fields(), every)


def given_away(config: Config, values: LogicValues) -> list[Claim]:
    """The finding about corpora that a shortcut solves, or about none that is shown to leak, with what was tried."""
    if not config.experiments.certificates:
        return []
    places = corpora(config)
    found = [values.certificate(*place)[0] for place in places]
    if not any(leak.leaks for each in found for leak in each.leaks):
        where = "the corpus" if len(found) == 1 else f"any of the {len(found)} corpora"
        most = max(leak.accuracy.high for each in found for leak in each.leaks)
        tried = [leak.baseline for leak in found[0].leaks]
        text = (
            f"None of the {len(tried)} shortcuts that were tried ({', '.join(tried)}) is shown to be above the floor "
            f"on {where}; accuracies up to {format_number(most, 1, '%')} % fit the data."
        )
        return [Claim(text, "not shown", place="leaks")]
    solved = []
    for (task, language, _), each in zip(places, found, strict=True):
        best = max(each.leaks, key=lambda leak: leak.accuracy.value)
        if best.accuracy.value >= SOLVED:
            solved.append(f"{placed(task_title(task), language)} by {best.baseline}")
    if not solved:
        n_leaks = sum(any(leak.leaks for leak in each.leaks) for each in found)
        best = max((leak for each in found for leak in each.leaks if leak.leaks), key=lambda leak: leak.accuracy.value)
        where = of_several(n_leaks, len(found), " on {} corpora", "", "")
        text = (
            f"Of the {len(found[0].leaks)} shortcuts that were tried, some are above the floor{where}; the best, "
            f"{best.baseline}, has {format_number(best.accuracy.value, 1, '%')} %."
        )
        return [Claim(text, "shown", place="leaks")]
    text = of_several(len(solved), len(found), "Shortcuts solve {} corpora", "", "A shortcut solves the corpus")
    text += f" ({some(solved)}): "
    return [Claim(f"{text}a high score there is no proof of inference.", "shown", place="leaks")]


@dataclass(frozen=True, slots=True)
class _Certified:
    """A corpus, its templates where it has any, its certificate, and the paper's bag of words on it."""

    title: str
    preset: str
    certificate: Certificate
    paper: float | None = None

    @property
    def leaks(self) -> bool:
        """Whether a shortcut is above the floor."""
        return any(leak.leaks for leak in self.certificate.leaks)


def _leak_cell(baseline: str, corpus: _Certified) -> Cell:
    leak = next((leak for leak in corpus.certificate.leaks if leak.baseline == baseline), None)
    if leak is None:
        return None
    return Marked(leak.accuracy, note=LEAK_NOTE) if leak.leaks else leak.accuracy


def _leak_fields(every: Sequence[_Certified]) -> list[Field[_Certified]]:
    """A field for each shortcut that was tried."""
    baselines = [leak.baseline for leak in every[0].certificate.leaks]
    return [
        Field(Column(name.replace(" ", "_"), name.capitalize(), 1, "%"), partial(_leak_cell, name))
        for name in baselines
    ]


def _certificates(config: Config, values: LogicValues) -> list[Item]:
    if not config.experiments.certificates:
        return []
    found = [(place, *values.certificate(*place)) for place in corpora(config)]
    every = [
        _Certified(placed(task_title(task), language), preset, each) for (task, language, preset), each, _ in found
    ]
    title = of_several(
        sum(corpus.leaks for corpus in every),
        len(every),
        "{} corpora let a shortcut that was tried above the floor",
        "No shortcut that was tried is shown to be above the floor",
        "A shortcut that was tried is above the floor",
    )
    fields: list[Field[_Certified]] = [
        Field(Column("task", "Task"), lambda corpus: corpus.title),
        Field(Column("preset", "Templates"), lambda corpus: corpus.preset),
        *_leak_fields(every),
    ]
    heading = Heading("leaks", title, f"Marked: {LEAK_NOTE}.", [key for _, _, key in found])
    return [make_table(heading, fields, every)]


def _corpus_of(name: str) -> str:
    """The corpus of name[:split][@language], as the catalog calls it.

    >>> _corpus_of("glue/mnli:validation"), _corpus_of("snli@en")
    ('glue/mnli', 'snli')
    """
    return name.partition("@")[0].partition(":")[0]


def _nli(config: Config, values: LogicValues) -> Table:
    """Corpora of the catalog; the paper's number stands beside those that are its own."""
    found = {name: values.recast(name) for name in config.experiments.nli}
    every = [_Certified(name, "", each, published.RECAST.get(_corpus_of(name))) for name, (each, _) in found.items()]
    first, *others = _leak_fields(every)
    fields: list[Field[_Certified]] = [
        Field(Column("corpus", "Corpus"), lambda corpus: corpus.title),
        Field(Column("n", "Pairs"), lambda corpus: corpus.certificate.n_train + corpus.certificate.n_test),
        first,
        Field(Column("paper", "Bag of words", 1, "%", published=True), lambda corpus: printed_cell(corpus.paper)),
        *others,
    ]
    recast = "Recast as contradiction detection, "
    title = of_several(
        sum(corpus.leaks for corpus in every),
        len(every),
        f"{recast}{{}} NLI corpora leak",
        f"{recast}the NLI corpus is not shown to leak",
        f"{recast}the NLI corpus leaks",
    )
    note = f"Balanced; 30 % of the premises are for testing, with all their pairs. Marked: {LEAK_NOTE}."
    return make_table(Heading("nli", title, note, [key for _, key in found.values()]), fields, every)
