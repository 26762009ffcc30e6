"""What is found of a language model that is asked in several languages: of the prompts, and of the texts.

Each text language meets each prompt language; the prompts of a language stand for others of that language.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from goldproof.judging.metric_numbers import score_format
from goldproof.judging.metrics import title_of
from goldproof.judging.score_answer import lower_name
from goldproof.report.chart_parts import Caption
from goldproof.report.charts import heat_map
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, estimate_text, percent
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import Answer, Cell, Claim, Column, Figure, Item, Missing, Report, Section, Text
from goldproof.statistics.estimate import Estimate
from goldproof.studies.asked.findings import asked_limits, asked_provenance, reading_notes
from goldproof.studies.asked.scores import PromptScores, difference_of
from goldproof.studies.asked.tables import quantile_table, share_table, wording_table
from goldproof.studies.shared import only_model
from goldproof.studies.transfer.settings import Config

TITLE = "Does the language of the prompt matter?"
WHAT = "Prompts (language of the texts)"
SAME = Missing("every answer is the same in both")


@dataclass(frozen=True, slots=True)
class LanguagePair:
    """Two ways of asking about the same texts, or about their translations, and how much higher the first scores."""

    prompts: str
    texts: str
    first: PromptScores
    second: PromptScores
    apart: Estimate | None


@dataclass(frozen=True)
class CrossedLanguages:
    """The scores by the languages of the texts and of the prompts; the first of each is what others stand beside."""

    scores: Mapping[tuple[str, str], PromptScores]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The languages of the texts."""
        return tuple(dict.fromkeys(text for text, _ in self.scores))

    @cached_property
    def prompts(self) -> tuple[str, ...]:
        """The languages of the prompts."""
        return tuple(dict.fromkeys(prompt for _, prompt in self.scores))

    @property
    def sets(self) -> list[PromptScores]:
        """All scores, in order."""
        return list(self.scores.values())

    @cached_property
    def by_prompt(self) -> list[LanguagePair]:
        """Each prompt language against the first, about the same texts; the intervals hold together."""
        places = [(text, prompt) for text in self.texts for prompt in self.prompts[1:]]
        level = self._together(len(places))
        return [self._pair(prompt, text, (text, prompt), (text, self.prompts[0]), level) for text, prompt in places]

    @cached_property
    def by_text(self) -> list[LanguagePair]:
        """Each text language against the first with the same prompts, where the texts are each other's translations."""
        prompt, first = self.prompts[0], self.scores[self.texts[0], self.prompts[0]]
        alike = [text for text in self.texts[1:] if _are_parallel(self.scores[text, prompt], first)]
        places = [(text, prompt) for text in alike for prompt in self.prompts]
        level = self._together(len(places))
        return [self._pair(prompt, text, (text, prompt), (self.texts[0], prompt), level) for text, prompt in places]

    @property
    def own(self) -> list[LanguagePair]:
        """Prompts in the language of the texts against those in the first language."""
        return [pair for pair in self.by_prompt if pair.prompts == pair.texts]

    def _pair(
        self, prompt: str, text: str, first: tuple[str, str], second: tuple[str, str], level: float
    ) -> LanguagePair:
        a, b = self.scores[first], self.scores[second]
        return LanguagePair(prompt, text, a, b, difference_of(a, b, level))

    def _together(self, n: int) -> float:
        return 1 - (1 - self.sets[0].level) / max(1, n)


def _are_parallel(each: PromptScores, first: PromptScores) -> bool:
    ours, theirs = each.answers, first.answers
    return list(ours.ids) == list(theirs.ids) and list(ours.gold) == list(theirs.gold)


def crossed_languages(sets: Sequence[PromptScores]) -> CrossedLanguages:
    """The scores of sets by both languages."""
    return CrossedLanguages({(each.language, each.facts.prompts[0].language): each for each in sets})


def make_asked_report(config: Config, sets: Sequence[PromptScores]) -> Report:
    """What was found of one language model."""
    found = crossed_languages(sets)
    sections = [
        Section("Which languages?", _matrix(found)),
        Section("What does the language of the prompt change?", _pair_tables(found, by="prompt")),
        Section("What does the language of the text change?", _pair_tables(found, by="text")),
        Section("How much do prompts differ?", [quantile_table(sets, WHAT)]),
        Section("What moves the score?", [share_table(sets, WHAT)]),
        Section("What the model was asked", [wording_table(sets, WHAT)]),
        Section("Limits", [Text(line) for line in _limits(config, found)]),
    ]
    answer = replace(_answer(found), notes=reading_notes(sets), figure=_figure(found))
    provenance = asked_provenance(only_model(config.model).title, sets)
    return Report("transfer", TITLE, _claims(found), [each for each in sections if each.items], provenance, answer)


def _counted(pairs: Sequence[LanguagePair]) -> tuple[int, int]:
    """In how many pairs the first is shown to be higher, and lower."""
    known = [pair.apart for pair in pairs if pair.apart is not None]
    return sum(apart.low > 0 for apart in known), sum(apart.high < 0 for apart in known)


def _widest(pairs: Sequence[LanguagePair]) -> Estimate | None:
    known = [pair.apart for pair in pairs if pair.apart is not None]
    return max(known, key=lambda apart: max(abs(apart.low), abs(apart.high)), default=None)


def _answer(found: CrossedLanguages) -> Answer:
    """Whether prompts in the texts' own language do better than those in the first."""
    metric, size = lower_name(found.sets[0].metric), _size(found)
    pairs = found.own or found.by_prompt
    if not pairs:
        text = f"With the same prompts the mean {metric} over prompts goes {_ends(found)} ({size})."
        return Answer("measured", "", text, "Prompts in other languages: prompts.languages.")
    higher, lower = _counted(pairs)
    whose = "in the language of the texts" if found.own else "in another language"
    kept, widest = f"prompts {whose} instead of {found.prompts[0]}", _widest(pairs)
    fits = f"Differences of {_points(widest)} fit the data." if widest is not None else ""
    if not higher and not lower:
        cases = f"any of {len(pairs)} cases" if len(pairs) > 1 else "the one case that was asked"
        return Answer(
            "open", "It is not shown", f"{kept} are not shown to change the mean {metric} in {cases} ({size}).", fits
        )
    text = (
        f"{kept} are shown to raise the mean {metric} in {higher} of {len(pairs)} and to lower it in {lower} ({size})."
    )
    return Answer("yes", "It does", text, fits)


def _points(apart: Estimate) -> str:
    return f"{100 * apart.low:+.1f} to {100 * apart.high:+.1f} points".replace("-", "−")


def _size(found: CrossedLanguages) -> str:
    first = found.sets[0]
    examples = f", {first.facts.how.examples} examples" if first.facts.how.examples else ", no examples"
    return f"{first.n_prompts} prompts in each language{examples}, {count(first.answers.n_items)} texts in each"


def _ends(found: CrossedLanguages) -> str:
    form = score_format(found.sets[0].metric)
    ranked = sorted(found.sets, key=lambda each: each.mean.value)
    ends = [f"{estimate_text(each.mean, form.digits, form.unit)} ({each.title})" for each in (ranked[0], ranked[-1])]
    return f"from {ends[0]} to {ends[1]}"


def _claims(found: CrossedLanguages) -> list[Claim]:
    metric = lower_name(found.sets[0].metric)
    claims = [Claim(f"The mean {metric} over prompts goes {_ends(found)}.", place="languages")]
    for pairs, place, what in (
        (found.own, "by-prompt", "prompts in the language of the texts do better than prompts in"),
        (found.by_text, "by-text", "texts do better in the other language than in"),
    ):
        if pairs:
            higher, lower = _counted(pairs)
            first = found.prompts[0] if place == "by-prompt" else found.texts[0]
            said = f"Shown together: in {higher} of {len(pairs)} {what} {first}, in {lower} they do worse."
            claims.append(Claim(said, "shown" if higher or lower else "not shown", place=place))
    return claims


def _figure(found: CrossedLanguages) -> Figure:
    """The mean of each pair of languages, each prompt a small dot."""
    first = found.sets[0]
    form = score_format(first.metric)
    column = Column("score", title_of(first.metric), form.digits, form.unit)
    rows = [OverviewRow(each.title, each.mean, [float(score) for score in each.by_prompt]) for each in found.sets]
    keys = [key for each in found.sets for key in each.facts.keys]
    note = _floors_note(found)
    caption = Caption("answer", f"{title_of(first.metric)}, mean over prompts; each prompt a small dot", note, keys)
    floor = _common_floor(found)
    against = Against() if floor is None else Against([floor], text="Dashed: the commonest label alone.")
    return overview(rows, column, caption=caption, against=against)


def _matrix(found: CrossedLanguages) -> list[Item]:
    """The mean over prompts of each text language (rows) with each prompt language (columns)."""
    first = found.sets[0]
    form = score_format(first.metric)
    column = Column("score", title_of(first.metric), form.digits, form.unit)
    keys = [key for each in found.sets for key in each.facts.keys]
    title = f"The mean over prompts goes {_ends(found)}"
    note = "Intervals are for other prompts of the same language, other draws of examples and texts like these."
    fields: list[Field[str]] = [Field(Column("texts", "Texts in"), lambda text: text)]
    fields += [
        Field(
            Column(
                prompt or "file", f"Prompts in {prompt}" if prompt else "Prompts of the file", form.digits, form.unit
            ),
            _reader(found, prompt),
        )
        for prompt in found.prompts
    ]
    table = make_table(Heading("languages", title, note, keys), fields, found.texts)
    if len(found.prompts) < 2:
        return [table]
    rows: list[dict[str, Cell]] = [
        {"texts": text, "prompts": prompt, "score": each.mean} for (text, prompt), each in found.scores.items()
    ]
    caption = Caption("languages-figure", title, "", keys)
    across, down = Column("prompts", "Prompts in"), Column("texts", "Texts in")
    return [heat_map(rows, across, down, column, caption=caption, centre=_common_floor(found)), table]


def _common_floor(found: CrossedLanguages) -> float | None:
    """What the commonest label alone scores, where it is the same for the texts of all languages."""
    floors = [each.floor for each in found.sets]
    return floors[0] if max(floors) - min(floors) < 1e-9 else None


def _floors_note(found: CrossedLanguages) -> str:
    """What the commonest label alone scores in the texts of each language, where that differs."""
    if _common_floor(found) is not None or not all(math.isfinite(each.floor) for each in found.sets):
        return ""
    floors = {text: each.floor for (text, _), each in found.scores.items()}
    said = ", ".join(f"{percent(floor)} ({text})" for text, floor in floors.items())
    return f"The commonest label alone would get {said}."


def _reader(found: CrossedLanguages, prompt: str) -> Callable[[str], Cell]:
    return lambda text: found.scores[text, prompt].mean


def _pair_tables(found: CrossedLanguages, by: str) -> list[Item]:
    pairs, first = (found.by_prompt, found.prompts[0]) if by == "prompt" else (found.by_text, found.texts[0])
    if not pairs:
        return []
    form = score_format(found.sets[0].metric)
    higher, lower = _counted(pairs)
    beside = f"prompts in {first}" if by == "prompt" else f"the same texts in {first}"
    title = f"Beside {beside}, {higher} of {len(pairs)} are shown to be higher and {lower} lower"
    note = "Of means over prompts, on the same items. Intervals of differences hold together."
    fields: list[Field[LanguagePair]] = [
        Field(Column("texts", "Texts in"), lambda pair: pair.texts),
        Field(Column("prompts", "Prompts in"), lambda pair: pair.prompts),
        Field(Column("mean", "Mean", form.digits, form.unit), lambda pair: pair.first.mean),
        Field(
            Column("beside", f"With {beside}" if by == "prompt" else f"Of {beside}", form.digits, form.unit),
            lambda pair: pair.second.mean,
        ),
        Field(Column("apart", "Difference", 1, "points"), lambda pair: pair.apart or SAME),
    ]
    keys = [key for pair in pairs for key in (*pair.first.facts.keys, *pair.second.facts.keys)]
    return [make_table(Heading(f"by-{by}", title, note, keys), fields, pairs)]


def _limits(config: Config, found: CrossedLanguages) -> list[str]:
    lines = asked_limits(found.sets)
    if len(found.prompts) > 1:
        lines.append(
            "Built-in prompts of different languages mean the same and are not translated word for word; "
            "words of the labels are those of the prompts' language where the set has one, else those of the data."
        )
    if found.sets[0].facts.how.examples:
        lines.append(f"Examples are in the language of the texts where it has training rows, else in {config.source}.")
    if len(found.texts) > 1 and not found.by_text:
        lines.append("The texts are not the same items in each language, so that languages of texts are not compared.")
    return lines
