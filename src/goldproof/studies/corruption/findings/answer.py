"""What the study answers: how much of the score is left without a class of words, and the findings behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from goldproof.judging.collapse import about_collapse, collapse_notes
from goldproof.report.chart_parts import Caption
from goldproof.report.names import some
from goldproof.report.numbers import estimate_text
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Column, Figure
from goldproof.statistics.estimate import Estimate
from goldproof.studies.asked import is_asked
from goldproof.studies.corruption.findings.author import left_of, words_for
from goldproof.studies.corruption.findings.cells import Found, training_keys
from goldproof.studies.corruption.findings.runs import run_word
from goldproof.studies.corruption.gather import strictest
from goldproof.studies.corruption.scores import Judged
from goldproof.studies.corruption.settings import Config
from goldproof.studies.corruption.tasks import ORIGINAL

NO_BASELINE = "No baseline:"
QUESTION = "How much of the score survives nonsense?"
LEFT = Column("left", "Left of the score", 0, "%")
WHERE = {"train": "the training texts", "test": "the test texts", "both": "training and test texts"}


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a task's score above the floor without a class of words."""

    task: str
    words: str
    share: Estimate

    @property
    def name(self) -> str:
        """The task and what it lacks."""
        return f"{self.task} without {self.words}"


def every_left(config: Config, found: Sequence[Found]) -> list[Left]:
    """What is left of each task without each class, where there is a score to lose."""
    return [
        Left(one.runs.task.title, words_for(removed), share)
        for one in found
        for removed in config.classes
        if (share := left_of(config, one, removed)) is not None
    ]


def corruption_answer(config: Config, found: Sequence[Found]) -> Answer:
    """The first screen."""
    every, notes = every_left(config, found), [*_notes(found), *_no_control(config)]
    if not every:
        return _undecided(config, found, notes)
    least, most = (choose(every, key=lambda left: left.share.value) for choose in (min, max))
    seeds = _runs(config, found)
    scope = f"with the class missing from {WHERE[strictest(config)]} ({seeds})"
    if len(every) == 1:
        head = f"{_share(least)} of it"
        text = f"this is what is left of the score above the floor of {least.name}, {scope}."
    else:
        head = f"From {_share(least)} to {_share(most)} of it"
        text = f"least for {least.name} and most for {most.name}, counting the score above the floor, {scope}."
    return Answer("measured", head, text, _takes(config), notes, _figure(config, found, every))


def _runs(config: Config, found: Sequence[Found]) -> str:
    """How many seeds, or prompts, the score is the mean of; of fewer where some collapsed with all words left in."""
    of = found[0].runs.original.n_runs
    working = [one.runs.working(ORIGINAL, ORIGINAL).n_runs for one in found]
    fewest, most = min(working), max(working)
    if fewest == of:
        return f"{'one' if of == 1 else of} {run_word(config)}{'s' if of > 1 else ''}"
    return f"{fewest if fewest == most else f'{fewest} to {most}'} of {of} {run_word(config)}s"


def _share(left: Left) -> str:
    return estimate_text(left.share, 0, "%")


def _takes(config: Config) -> str:
    if len(config.seeds) == 1 and not is_asked(config):
        return "One seed only: the intervals are over test items and say nothing about another training."
    return ""


def _no_control(config: Config) -> list[str]:
    if config.control != "none":
        return []
    return ["There is no random control: the cost of a class cannot be separated from that of mere shortening."]


def _notes(found: Sequence[Found]) -> list[str]:
    """Trainings that collapsed with all words left in, tasks with nothing to lose, and cells whose trainings collapsed:
    none is in a finding.
    """
    judged = [each for one in found for each in one.judged]
    notes = [
        note
        for one in found
        for note in about_collapse(collapse_notes(one.runs.original, one.runs.collapse(ORIGINAL), one.runs.task.title))
    ]
    lost = [one.runs.task.title for one in found if any(each.verdict == "no baseline" for each in one.judged)]
    if lost:
        notes.append(
            f"{NO_BASELINE} with all words left in, the model is not shown to be above the best constant answer on "
            f"{', '.join(lost)}, so there is nothing to lose."
        )
    collapsed = [each for each in judged if each.verdict == "collapsed"]
    if collapsed:
        names = some([f"{each.cell.task.title} without {words_for(each.cell.removed)}" for each in collapsed])
        cells = "1 cell" if len(collapsed) == 1 else f"{len(collapsed)} cells"
        notes.append(f"In {cells} most runs collapsed, giving one answer to nearly all items ({names}).")
    left_out = [each.one_answer for each in judged if each.one_answer.left_out and each.verdict != "collapsed"]
    if left_out:
        n, of = sum(each.left_out for each in left_out), sum(each.of for each in left_out)
        cells = "1 cell" if len(left_out) == 1 else f"{len(left_out)} cells"
        notes.append(
            f"In {cells} {n} of {of} runs collapsed, giving one answer to nearly all items; they are in no score."
        )
    return notes


def corruption_findings(config: Config, found: Sequence[Found]) -> list[str | Claim]:
    """The findings: what survives, what drops, whether it is the class, and what is left without nouns."""
    judged = [each for one in found for each in one.judged]
    return [*_survival(config, judged), *_beyond(config, judged), *_nouns(config, found)]


def _survival(config: Config, judged: Sequence[Judged]) -> list[Claim]:
    tested = [each.verdict for each in judged if each.verdict in ("survives", "drops", "underpowered")]
    if not tested:
        return []
    kept, dropped = tested.count("survives"), tested.count("drops")
    place, margin = f"change-{config.settings[-1]}", f"{100 * config.margin:g} points"
    of = f"{len(tested)} cells (task × class × what was corrupted)"
    rest = tested.count("underpowered")
    open_ = f"; neither is shown in {rest}" if rest else ""
    text = f"Of {of}, a loss below {margin} is shown in {kept or 'none'} and a drop in {dropped or 'none'}{open_}."
    return [Claim(text, "shown" if kept or dropped else "undecided", place=place)]


def _beyond(config: Config, judged: Sequence[Judged]) -> list[Claim]:
    controlled = [each.control for each in judged if each.control is not None and each.verdict != "collapsed"]
    if not controlled:
        return []
    clear = [c.beyond.difference.value for c in controlled if c.p_value < 1 - config.level]
    worse = sum(value < 0 for value in clear)
    less = len(clear) - worse
    cells = f"{len(controlled)} {'cell' if len(controlled) == 1 else 'cells'}"
    text = (
        f"Compared with removing the same number of random words, a class is shown to cost more in {worse or 'none'} "
        f"of {cells} and less in {less or 'none'}; in the rest its effect cannot be separated from "
        "mere shortening."
    )
    return [Claim(text, "shown" if clear else "not shown", place=f"beyond-{config.settings[-1]}")]


def _nouns(config: Config, found: Sequence[Found]) -> list[Claim]:
    """What is left without nouns, or without the first class that was removed: of one task, or of the two ends."""
    removed = "NOUN" if "NOUN" in config.classes else config.classes[0]
    every = [left for left in every_left(config, found) if left.words == words_for(removed)]
    if not every:
        return []
    ends = [min(every, key=lambda left: left.share.value), max(every, key=lambda left: left.share.value)]
    return [
        Claim(
            f"Without its {left.words}, {left.task} keeps {_share(left)} of its score above the floor.",
            "stated",
            left.share,
            0,
            "%",
            place="retained",
        )
        for left in dict.fromkeys(ends)
    ]


def _undecided(config: Config, found: Sequence[Found], notes: Sequence[str]) -> Answer:
    """The first screen where no task has a score to lose, or every cell of those that do collapsed."""
    text = "with all words left in, the model is not shown to be above the best constant answer"
    takes = "It would take a model that has learned the task."
    if is_asked(config):
        takes = "It would take prompts, or a model, by which the task is solved at least in part."
    if any(each.baseline.above_floor for each in found):
        text += ", or every cell collapsed"
    else:  # the note on what has no baseline would say the same again
        notes = [note for note in notes if not note.startswith(NO_BASELINE)]
    return Answer("open", "Undecided", f"{text}.", takes, list(notes), _baselines(found))


def _baselines(found: Sequence[Found]) -> Figure | None:
    """The scores with all words left in, beside those of the best constant answers; none where no score is defined."""
    scored = [each for each in found if math.isfinite(each.baseline.score.value)]
    if not scored:
        return None
    readings = []
    for each in scored:
        title = each.runs.task.title
        readings += [
            OverviewRow(title, each.baseline.score),
            OverviewRow(f"{title}: best constant answer", each.baseline.constant, look="baseline"),
        ]
    keys = [key for each in scored for key in each.runs.keys[next(iter(each.runs.keys))]]
    caption = Caption("answer", "The score with all words left in, beside the best constant answer", "", keys)
    return overview(readings, Column("score", "Score", 1, "points"), caption=caption)


def _figure(config: Config, found: Sequence[Found], every: Sequence[Left]) -> Figure:
    one_task = len({left.task for left in every}) == 1
    readings = [OverviewRow(f"without {left.words}" if one_task else left.name, left.share) for left in every]
    caption = Caption(
        "answer", "What is left of the score above the floor, by what is removed", "", training_keys(found)
    )
    text = "Dashed: nothing left, and everything left."
    return overview(readings, LEFT, caption=caption, against=Against([0.0, 1.0], text=text))
