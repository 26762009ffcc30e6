"""What is found of a language model that is asked about proved contradictions, and what it rests on.

The mean over prompts is what is judged; a prompt that always gives one answer counts, as it is one of the prompts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from goldproof.builders.logic.pairs import CONTRADICTION
from goldproof.measures.leaks import Certificate
from goldproof.report.chart_parts import Caption
from goldproof.report.fields import Field, Heading, known_fields, make_table
from goldproof.report.names import of_several, placed, some
from goldproof.report.numbers import count, estimate_text, percent
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import Answer, Cell, Claim, Column, Figure, Item, Marked, Missing, Report, Section, Text
from goldproof.statistics.estimate import Estimate
from goldproof.studies.asked.findings import asked_limits, asked_provenance, reading_notes
from goldproof.studies.asked.scores import PromptScores, difference_of
from goldproof.studies.asked.several import moved_claims
from goldproof.studies.asked.tables import quantile_table, share_table, wording_table
from goldproof.studies.logic.asked import CONTROL_NAMES, NOISE, AskedCell, asked_cells
from goldproof.studies.logic.findings.answer import QUESTION, without_clues
from goldproof.studies.logic.findings.corpus import corpus_section, given_away
from goldproof.studies.logic.findings.grounds import SHARE
from goldproof.studies.logic.gather import LogicValues
from goldproof.studies.logic.settings import Config, task_title
from goldproof.studies.shared import only_model

CHANCE = 0.5
WHAT = "Asked about"
SAME = Missing("every answer is the same in both")


@dataclass(frozen=True)
class AskedTask:
    """One corpus with everything that was asked about it: by cell its scores, and the best rule of words there."""

    scores: Mapping[AskedCell, PromptScores]
    certificate: Certificate | None

    @cached_property
    def plain(self) -> tuple[AskedCell, ...]:
        """The plain cells, without examples first."""
        return tuple(cell for cell in self.scores if cell.is_plain)

    @property
    def most(self) -> PromptScores:
        """The scores with the most examples."""
        return self.scores[self.plain[-1]]

    @property
    def title(self) -> str:
        """The task in its language."""
        return placed(task_title(self.plain[0].task), self.plain[0].language)

    @property
    def leaks(self) -> bool:
        """Whether a rule of words is above the floor."""
        return self.certificate is not None and any(leak.leaks for leak in self.certificate.leaks)

    @property
    def rule(self) -> Estimate | None:
        """The accuracy of the best rule without understanding."""
        found = [leak.accuracy for leak in self.certificate.leaks] if self.certificate else []
        return max(found, key=lambda accuracy: accuracy.value) if found else None

    def under(self, control: str) -> PromptScores | None:
        """The scores under a control."""
        return next((each for cell, each in self.scores.items() if cell.control == control), None)


@dataclass(frozen=True)
class AskedLogic:
    """All corpora, and the level that holds for all of their scores, or comparisons, together."""

    config: Config
    tasks: Sequence[AskedTask]

    @property
    def plain(self) -> list[PromptScores]:
        """The plain scores, corpus by corpus."""
        return [task.scores[cell] for task in self.tasks for cell in task.plain]

    def together(self, n: int) -> float:
        """The level of each of `n` intervals that hold together (Bonferroni)."""
        return 1 - (1 - self.plain[0].level) / max(1, n)

    def is_above(self, each: PromptScores) -> bool:
        """Whether the mean over prompts is above chance, all plain scores together."""
        return _is_above(each, self.together(len(self.plain)))

    @property
    def floors(self) -> list[float]:
        """What always giving the commonest answer gets: a half, unless other pairs were drawn."""
        return sorted({each.floor for each in self.plain})

    @property
    def is_even(self) -> bool:
        """Whether half of the pairs contradict everywhere."""
        return self.floors == [CHANCE]

    @property
    def contradicting(self) -> str:
        """Which share of the pairs contradicts, as part of a sentence.

        The corpora have as many of both; pairs drawn by their ids (`prompts.most_items`) need not.
        """
        if self.is_even:
            return "half of the pairs contradict"
        shares = [float((each.given.gold == each.given.labels.index(CONTRADICTION)).mean()) for each in self.plain]
        ends = dict.fromkeys(percent(share) for share in (min(shares), max(shares)))
        return f"{' to '.join(ends)} of the pairs drawn contradict"


def _is_above(each: PromptScores, level: float) -> bool:
    """Whether the mean over prompts is above a half and, where the pairs are uneven, above their commonest answer."""
    over = each.over_floor_at(level) if each.floor > CHANCE else None
    return each.mean_at(level).low > CHANCE and (each.floor <= CHANCE or (over is not None and over.low > 0))


def make_asked_report(config: Config, sets: Sequence[PromptScores], values: LogicValues) -> Report:
    """What was found of one language model; the settings are settled ones."""
    found = _arranged(config, sets, values)
    sections = [
        Section("Who solves it?", [_scores(found)]),
        Section("What does it rest on?", [*_examples(found), *_controls(found), *_other(found)]),
        Section("How much do prompts differ?", [quantile_table(found.plain, WHAT)]),
        Section("What moves the score?", [share_table(found.plain, WHAT)]),
        corpus_section(config, values),
        Section("What the model was asked", [wording_table(found.plain, WHAT)]),
        Section("Limits", [Text(line) for line in asked_limits(sets)]),
    ]
    provenance = asked_provenance(only_model(config.model).title, sets)
    provenance |= {"tasks": ", ".join(map(task_title, config.tasks)), "training pairs to draw from": config.sizes.train}
    answer = replace(_answer(found), notes=reading_notes(found.plain), figure=_figure(found))
    findings = [*_findings(found), *given_away(config, values)]
    return Report("logic", QUESTION, findings, [each for each in sections if each.items], provenance, answer)


def _arranged(config: Config, sets: Sequence[PromptScores], values: LogicValues) -> AskedLogic:
    by_corpus: dict[tuple[str, str], dict[AskedCell, PromptScores]] = {}
    for cell, each in zip(asked_cells(config), sets, strict=True):
        by_corpus.setdefault((cell.task, cell.language), {})[cell] = each
    tasks = []
    for (task, language), scores in by_corpus.items():
        told = config.experiments.certificates
        certificate = values.certificate(task, language, config.data.corpus)[0] if told else None
        tasks.append(AskedTask(scores, certificate))
    return AskedLogic(config, tasks)


def _answer(found: AskedLogic) -> Answer:
    """The first screen."""
    n, size = len(found.plain), _size(found)
    above = [task for task in found.tasks for cell in task.plain if found.is_above(task.scores[cell])]
    if not above:
        highest = max(each.mean_at(found.together(n)).high for each in found.plain)
        takes = f"Means over prompts up to {percent(highest)} fit the data; more prompts or test pairs may tell."
        ways = f"any of {_ways(n)}" if n > 1 else _ways(n)
        text = f"the mean accuracy over prompts is not shown to be above chance in {ways} ({size})."
        return Answer("open", "Neither is shown", text, takes)
    if not found.config.experiments.certificates:
        text = (
            f"the mean over prompts is above chance in {_named(found, False)} ({size}); whether words give it away was "
        )
        takes = "It would take the rules that read words alone: experiments.certificates=true."
        return Answer("open", "Undecided", f"{text}not asked.", takes)
    clean = sum(not task.leaks for task in above)
    if not clean:
        text = (
            f"the mean over prompts is above chance in {_named(found, False)}, but so is a rule that reads words alone"
        )
        return Answer("open", "Undecided", f"{text} ({size}).", without_clues(found.config))
    text = (
        f"the mean over prompts is above chance where no rule of words is shown to be: {_named(found, True)} ({size})."
    )
    if clean == n:
        return Answer("yes", "It infers something", text)
    takes = f"In the other {n - clean} it is not shown, or words give it away."
    return Answer("measured", f"It infers something in {clean} of {n}", text, takes)


def _ways(n: int) -> str:
    return (
        f"{n} combinations of task, language and number of examples" if n > 1 else "the one combination that was asked"
    )


def _named(found: AskedLogic, clean: bool) -> str:
    """The scores that are above chance, those alone that no rule of words reaches where `clean`."""
    named = [
        f"{task.scores[cell].title}, {estimate_text(task.scores[cell].mean, 1, '%')}"
        for task in found.tasks
        for cell in task.plain
        if found.is_above(task.scores[cell]) and not (clean and task.leaks)
    ]
    return some(named, 2)


def _size(found: AskedLogic) -> str:
    first = found.plain[0]
    uneven = "" if found.is_even else f"; {found.contradicting}"
    return f"{first.n_prompts} prompts, {count(first.answers.n_items)} test pairs each{uneven}"


def _figure(found: AskedLogic) -> Figure:
    """The mean over prompts of each way of asking, each prompt a small dot, beside the best rule of words."""
    rows = []
    for task in found.tasks:
        for cell in task.plain:
            each = task.scores[cell]
            rows.append(OverviewRow(each.title, each.mean, [float(score) for score in each.by_prompt]))
            if task.rule is not None:
                rows.append(OverviewRow(each.title, task.rule.value, look="baseline"))
    note = "Squares: the best rule that reads words alone." if any(task.rule for task in found.tasks) else ""
    keys = [key for each in found.plain for key in each.facts.keys]
    caption = Caption("answer", "Accuracy, mean over prompts; each prompt a small dot", note, keys)
    levels = sorted({found.floors[0], found.floors[-1]})
    return overview(rows, SHARE, caption=caption, against=Against(levels, text=_dashed(found, levels)))


def _dashed(found: AskedLogic, levels: Sequence[float]) -> str:
    """What the dashed lines are."""
    if found.is_even:
        return "Dashed: chance."
    if len(levels) == 1:
        return "Dashed: the commonest answer alone on these pairs."
    low, high = map(percent, levels)
    return f"Dashed: the commonest answer alone, where it gets least ({low}) and most ({high})."


@dataclass(frozen=True, slots=True)
class _AskedRow:
    """A way of asking about a corpus, and whether its mean is above chance."""

    task: AskedTask
    each: PromptScores
    above: bool


def _mean_cell(row: _AskedRow) -> Cell:
    return row.each.mean if row.above else Marked(row.each.mean, note=_NOT_ABOVE)


_NOT_ABOVE = "Not shown to be above chance (all scores of the table together)"


def _scores(found: AskedLogic) -> Item:
    every = [
        _AskedRow(task, task.scores[cell], found.is_above(task.scores[cell]))
        for task in found.tasks
        for cell in task.plain
    ]
    n = sum(row.above for row in every)
    title = of_several(
        n,
        len(every),
        "The mean over prompts is above chance in {} ways of asking",
        "The mean over prompts is not shown to be above chance",
        "The mean over prompts is above chance",
    )
    fields: list[Field[_AskedRow]] = [
        Field(Column("of", WHAT), lambda row: row.each.title),
        Field(Column("mean", "Mean over prompts", 1, "%"), _mean_cell),
        Field(Column("worst", "Worst prompt", 1, "%"), lambda row: float(row.each.by_prompt.min())),
        Field(Column("best", "Best prompt", 1, "%"), lambda row: float(row.each.by_prompt.max())),
        Field(
            Column("corrected", "Best, corrected", 1, "%", "for having been chosen on these pairs"),
            lambda row: row.each.best,
        ),
        Field(Column("flat", "Runs with one answer", note="to nearly all pairs"), lambda row: len(row.each.flat)),
        Field(Column("rule", "Best rule of words", 1, "%"), lambda row: row.task.rule),
    ]
    keys = [key for row in every for key in row.each.facts.keys]
    note = f"Intervals are for other prompts, draws of examples and pairs like these; {found.contradicting}."
    note += "" if found.is_even else " Above chance: above 50 % and above their commonest answer on the same pairs."
    return make_table(Heading("accuracy", title, note, keys), known_fields(fields, every), every)


@dataclass(frozen=True, slots=True)
class _ComparedWays:
    """Two ways of asking about the same pairs: what each gets, and how much higher the first is."""

    of: str
    first: PromptScores
    second: PromptScores
    apart: Estimate | None


def _compared(found: AskedLogic, pairs: Sequence[tuple[str, PromptScores, PromptScores]]) -> list[_ComparedWays]:
    level = found.together(len(pairs))
    return [_ComparedWays(of, a, b, difference_of(a, b, level)) for of, a, b in pairs]


def _counted(every: Sequence[_ComparedWays]) -> tuple[int, int]:
    """In how many the first is shown to be higher, and lower."""
    known = [one.apart for one in every if one.apart is not None]
    return sum(apart.low > 0 for apart in known), sum(apart.high < 0 for apart in known)


def example_pairs(found: AskedLogic) -> list[_ComparedWays]:
    """With examples against without, corpus by corpus."""
    pairs = [(task.title, task.most, task.scores[task.plain[0]]) for task in found.tasks if len(task.plain) > 1]
    return _compared(found, pairs)


def control_pairs(found: AskedLogic, control: str) -> list[_ComparedWays]:
    """The whole against a control, with as many examples, corpus by corpus."""
    pairs = [(task.title, task.most, under) for task in found.tasks if (under := task.under(control)) is not None]
    return _compared(found, pairs)


def other_pairs(found: AskedLogic) -> list[tuple[PromptScores, PromptScores]]:
    """The scores under the preset of the settings, and under the other one."""
    return [
        (task.scores[replace(cell, preset="")], each)
        for task in found.tasks
        for cell, each in task.scores.items()
        if cell.preset
    ]


def _difference_table(name: str, title: str, every: Sequence[_ComparedWays], columns: tuple[str, str]) -> Item:
    fields: list[Field[_ComparedWays]] = [
        Field(Column("task", "Task"), lambda one: one.of),
        Field(Column("first", columns[0], 1, "%"), lambda one: one.first.mean),
        Field(Column("second", columns[1], 1, "%"), lambda one: one.second.mean),
        Field(Column("apart", "Difference", 1, "points"), lambda one: one.apart or SAME),
    ]
    keys = [key for one in every for key in (*one.first.facts.keys, *one.second.facts.keys)]
    note = "Of means over prompts; on the same pairs, prompt by prompt. Intervals of differences hold together."
    return make_table(Heading(name, title, note, keys), fields, every)


def _examples(found: AskedLogic) -> list[Item]:
    every = example_pairs(found)
    if not every:
        return []
    n = found.tasks[0].plain[-1].examples
    title = _examples_title(every, n)
    return [_difference_table("examples", title, every, (f"With {n} examples", "Without examples"))]


def _examples_title(every: Sequence[_ComparedWays], n: int) -> str:
    higher, lower = _counted(every)
    return f"{n} examples are shown to help in {higher} of {len(every)} and to harm in {lower}"


def _controls(found: AskedLogic) -> list[Item]:
    items = []
    for control, name in CONTROL_NAMES.items():
        every = control_pairs(found, control)
        if every:
            title = _control_title(control, every)
            whole = "Labels as they are" if control == NOISE else "Both sentences"
            items.append(_difference_table(f"control-{control}", title, every, (whole, name[0].upper() + name[1:])))
    return items


def _control_title(control: str, every: Sequence[_ComparedWays]) -> str:
    higher, _ = _counted(every)
    if control == NOISE:
        return f"That labels of examples are right is shown to matter in {higher} of {len(every)}"
    missing = "hypothesis" if control == "premise" else "premise"
    return f"The {missing} is shown to help in {higher} of {len(every)}"


def _other(found: AskedLogic) -> list[Item]:
    """The same prompts about the other templates, which are other pairs, so that nothing is paired."""
    pairs = other_pairs(found)
    if not pairs:
        return []
    ours, theirs = found.config.data.corpus, found.config.experiments.beside
    level = found.together(2 * len(pairs))
    n = [sum(_is_above(each, level) for each in side) for side in zip(*pairs, strict=True)]
    title = f"Shown to be above chance: {n[0]} of {len(pairs)} with {ours}, {n[1]} with {theirs}"
    fields: list[Field[tuple[PromptScores, PromptScores]]] = [
        Field(Column("of", WHAT), lambda pair: pair[0].title),
        Field(Column("ours", ours, 1, "%"), lambda pair: pair[0].mean),
        Field(Column("theirs", theirs, 1, "%"), lambda pair: pair[1].mean),
    ]
    keys = [key for pair in pairs for each in pair for key in each.facts.keys]
    return [make_table(Heading("templates", title, "Means over prompts.", keys), fields, pairs)]


def _findings(found: AskedLogic) -> list[Claim]:
    """Above chance, what the prompt moves, and what the score rests on."""
    n, total = sum(map(found.is_above, found.plain)), len(found.plain)
    text = f"Of {_ways(total)}, the mean over prompts is shown to be above chance in {n}."
    if total == 1:
        text = f"In {_ways(total)}, the mean over prompts is {'' if n else 'not '}shown to be above chance."
    findings = [Claim(text, "shown" if n else "not shown", place="accuracy"), *moved_claims(found.plain, "accuracy")]
    compared = example_pairs(found)
    if compared:
        title = _examples_title(compared, found.tasks[0].plain[-1].examples)
        findings.append(Claim(f"{title}.", "shown" if any(_counted(compared)) else "not shown", place="examples"))
    for control in CONTROL_NAMES:
        compared = control_pairs(found, control)
        if compared:
            text, place = f"{_control_title(control, compared)}.", f"control-{control}"
            findings.append(Claim(text, "shown" if _counted(compared)[0] else "not shown", place=place))
    return findings
