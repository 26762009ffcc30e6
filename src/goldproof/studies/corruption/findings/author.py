"""The findings for the author of a dataset: how far it is solved without a word class, and what removal did to it."""

from __future__ import annotations

from collections.abc import Sequence

from goldproof.builders.corruption.texts import CorruptionTally
from goldproof.jobs import Results
from goldproof.report.numbers import in_words
from goldproof.report.summary import Cell, Claim, Column, Item, Missing, Section, Table, Text
from goldproof.statistics.estimate import Estimate
from goldproof.studies.corruption.findings.cells import NO_SCORE, Found, training_keys
from goldproof.studies.corruption.findings.why import strictest
from goldproof.studies.corruption.plan import count_job
from goldproof.studies.corruption.scores import retained_share
from goldproof.studies.corruption.settings import Config, classes_of

NAMES = {
    "ADJ": "adjectives",
    "ADP": "adpositions",
    "ADV": "adverbs",
    "CONJ": "conjunctions",
    "DET": "determiners",
    "NOUN": "nouns",
    "NUM": "numerals",
    "PRON": "pronouns",
    "PRT": "particles",
    "VERB": "verbs",
    ".": "punctuation",
    "X": "other words",
}
NOTHING = "the original score is not above the best constant answer"


def words_for(removed: str) -> str:
    """The classes in words.

    >>> words_for("NOUN+ADJ")
    'adjectives and nouns'
    """
    return " and ".join(NAMES[name] for name in classes_of(removed))


def retained_claims(config: Config, found: Sequence[Found]) -> list[Claim]:
    """For each task how much is left without its nouns (or the first class that was removed)."""
    removed = "NOUN" if "NOUN" in config.classes else config.classes[0]
    claims = []
    for one in found:
        share = retained_share(one.cell(removed, strictest(config)), one.baseline)
        if share is not None:
            kept = f"{one.runs.task.title} keeps {in_words(share, 0, '%')} of its score above the floor"
            claims.append(Claim(f"Without its {words_for(removed)}, {kept}.", "stated", share, 0, "%"))
    return claims


def author_section(config: Config, results: Results, found: Sequence[Found]) -> Section:
    """What an author should know."""
    items: list[Item] = [_retained(config, found)]
    items += [Text(text) for one in found if (text := _sentence(config, one))]
    return Section("For the author of a dataset", [*items, _texts(config, results, found)])


def _retained(config: Config, found: Sequence[Found]) -> Table:
    setting = strictest(config)
    rows: list[dict[str, Cell]] = []
    for one in found:
        row: dict[str, Cell] = {"task": one.runs.task.title}
        for place, removed in enumerate(config.classes):
            share = retained_share(one.cell(removed, setting), one.baseline)
            row[f"c{place}"] = Missing(_why_nothing(one)) if share is None else share
        rows.append(row)
    columns = [Column("task", "Task")]
    columns += [Column(f"c{place}", f"no {name}", 0, "%") for place, name in enumerate(config.classes)]
    note = f"(score − best constant) / (baseline − best constant); corrupted: {setting}. A dataset that tests "
    note += "understanding should lose much where a class that carries the meaning is missing."
    return Table("retained", _retained_title(config, rows), columns, rows, note, training_keys(found))


def _retained_title(config: Config, rows: Sequence[dict[str, Cell]]) -> str:
    """The class whose removal leaves least, on average over the tasks where that can be said."""
    means = {}
    for place, removed in enumerate(config.classes):
        shares = [cell.value for row in rows if isinstance(cell := row[f"c{place}"], Estimate)]
        if shares:
            means[removed] = sum(shares) / len(shares)
    if not means:
        return "No task has a score above the floor to lose"
    worst = min(means, key=lambda removed: means[removed])
    left = f"{round(100 * means[worst])} %".replace("-", "−")
    return f"Least is left without {words_for(worst)}: {left} of the score above the floor, mean over tasks"


def _sentence(config: Config, one: Found) -> str:
    """What is left without each class, most first."""
    shares = [(retained_share(one.cell(name, strictest(config)), one.baseline), name) for name in config.classes]
    known = sorted(((share, name) for share, name in shares if share is not None), key=lambda pair: -pair[0].value)
    if not known:
        return f"{one.runs.task.title}: {_why_nothing(one)}, so nothing can be said of what is left."
    parts = ", ".join(f"{_per_cent(share)} without its {words_for(name)}" for share, name in known)
    return f"{one.runs.task.title} is solved, of its score above the floor, to {parts}."


def _why_nothing(one: Found) -> str:
    """Why no share is left to speak of: there was no score to lose, or what is left has none."""
    return NO_SCORE if one.baseline.above_floor else NOTHING


def _per_cent(share: Estimate) -> str:
    value, low, high = (str(round(100 * each)).replace("-", "−") for each in (share.value, share.low, share.high))
    return f"{value} % [{low}, {high}]"


def _texts(config: Config, results: Results, found: Sequence[Found]) -> Table:
    """What removal did to the texts; those without any word left are kept."""
    rows: list[dict[str, Cell]] = []
    emptied, keys = 0, []
    for one in found:
        jobs = [count_job(config, one.runs.task, split) for split in ("train", "test")]
        keys += [job.key for job in jobs]
        for removed, train, test in zip(config.classes, *(results[job] for job in jobs), strict=True):
            rows.append({"task": one.runs.task.title, "removed": removed, **_counts("train", train)})
            rows[-1] |= _counts("test", test)
            emptied += train.n_emptied + test.n_emptied
    columns = [Column("task", "Task"), Column("removed", "Removed")]
    for split in ("train", "test"):
        columns += [
            Column(f"{split}_touched", f"Tokens removed, {split}", 1, "%"),
            Column(f"{split}_changed", f"Texts changed, {split}", 1, "%"),
            Column(f"{split}_emptied", f"Texts emptied, {split}"),
        ]
    title = f"{emptied:,} texts are left without a word; they are kept"
    return Table("texts", title, columns, rows, "Both texts of a pair are counted; all word tokens.", keys)


def _counts(split: str, tally: CorruptionTally) -> dict[str, Cell]:
    return {
        f"{split}_touched": tally.n_touched / max(1, tally.n_tokens),
        f"{split}_changed": tally.n_changed / max(1, tally.n_texts),
        f"{split}_emptied": tally.n_emptied,
    }
