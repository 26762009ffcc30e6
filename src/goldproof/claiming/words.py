"""The claim, word for word, and what may not be claimed: plain sentences, each with its number, interval and scope."""

from __future__ import annotations

import math
from collections.abc import Iterator

from goldproof.claiming.lights import PageLight
from goldproof.claiming.scores import WORDS, Evidence, Rival
from goldproof.claiming.settings import title_of_model
from goldproof.data.dataset import UNKNOWN_LANGUAGE
from goldproof.judging.metric_numbers import score_text, shown, signed, unit
from goldproof.judging.score_answer import lower_name, with_article
from goldproof.report.numbers import count, percent
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.power import detectable_paired


def question(evidence: Evidence) -> str:
    """The title of the page."""
    return f"What may be claimed of {title_of_model(evidence.config)} on {evidence.data.name}?"


def claim(evidence: Evidence) -> str:
    """The claim that may be made, ready to paste."""
    return " ".join(_claim(evidence))


def _claim(evidence: Evidence) -> Iterator[str]:
    metric, estimate, data = evidence.metric, evidence.estimate, evidence.data
    model, n = title_of_model(evidence.config), count(evidence.test.n_items)
    language = "" if data.language == UNKNOWN_LANGUAGE else f" ({data.language})"
    made = "trained" if evidence.asked is None else "asked"
    if evidence.collapse_all:
        yield (
            f"On {n} items of {data.name}{language}, {model} {made} as below gives one answer to nearly everything, "
            f"{_all(evidence)}: nothing may be claimed about what it can do."
        )
        return
    yield (
        f"On {n} items of {data.name}{language}, {model} {made} as below reaches {with_article(lower_name(metric))} "
        f"of {score_text(estimate, metric)} for {scope(evidence)}."
    )
    if evidence.collapse is not None and evidence.collapse.n:
        yield _collapsed(evidence)
    yield from _unread(evidence)
    yield from _beside(evidence)
    yield from _detectable(evidence)


def _all(evidence: Evidence) -> str:
    assert evidence.collapse is not None
    n, kind = len(evidence.collapse.collapsed), evidence.run_kind
    preposition = "in" if evidence.asked is None else "with"
    return f"{preposition} the one {kind}" if n == 1 else f"{preposition} all {evidence.runs(n)}"


def scope(evidence: Evidence) -> str:
    """What the score is about: another training or other prompts, or this one."""
    if evidence.is_recipe and evidence.asked is not None:
        return "other prompts like these, on items like these"
    if evidence.is_recipe:
        return "another training on items like these"
    this = f"this {evidence.run_kind} ({evidence.working.run_names[0]})"
    return f"{this} on items like these; it says nothing about another one"


def _collapsed(evidence: Evidence) -> str:
    assert evidence.collapse is not None
    n, of = evidence.collapse.n, evidence.runs(len(evidence.collapse.collapsed))
    are = "is" if n == 1 else "are"
    if evidence.asked is not None:
        return f"{n} of {of} got one answer to nearly everything and {are} in this number."
    return f"{n} of {of} gave one answer to nearly everything and {are} not in this number."


def _unread(evidence: Evidence) -> Iterator[str]:
    """How many answers of a language model named no label."""
    if evidence.asked is None:
        return
    n, of = sum(evidence.asked.plain.facts.unread.values()), evidence.asked.plain.answers.runs.size
    if n:
        yield f"{percent(n / of)} of the answers could not be read as one label and count as wrong."


def _beside(evidence: Evidence) -> Iterator[str]:
    for rival in evidence.rivals:
        score = score_text(rival.score, evidence.metric)
        if rival.name == WORDS:
            copies = evidence.test.n_items - rival.n_items
            of = "the same data" if not copies else f"the {count(rival.n_items)} of them that are not copies"
            yield f"A bag-of-words model reaches {score} on {of}; whether the model uses such cues is not shown."
        else:
            alike = "trained" if evidence.asked is None else "asked"
            yield f"{rival.name}, {alike} the same way, reaches {score}: {difference_words(evidence, rival)}."


def difference_words(evidence: Evidence, rival: Rival) -> str:
    """Whether the model is better, and by how much."""
    found = rival.difference
    if not is_told(found, evidence.config.level):
        return f"the two cannot be distinguished, {change_text(found, evidence.metric)}"
    said = "better" if found.difference.value > 0 else "worse"
    return f"the model is {said} by {change_text(found, evidence.metric).removeprefix('+').removeprefix('−')}"


def is_told(found: Comparison, level: float) -> bool:
    """Whether a difference is told from none."""
    return bool(math.isfinite(found.p_value) and found.p_value < 1 - level)


def change_text(found: Comparison, metric: str) -> str:
    """A difference with its interval and unit."""
    each = found.difference
    if not math.isfinite(each.low):
        return f"{signed(each.value, metric)}{unit(metric)}, no interval"
    return f"{signed(each.value, metric)}{unit(metric)} [{signed(each.low, metric)}, {signed(each.high, metric)}]"


GUESSED = 0.1  # the share of answers in which two systems are taken to differ where nothing is known of it


def _detectable(evidence: Evidence) -> Iterator[str]:
    """The smallest paired difference that would show, and for which share of answers that differ."""
    first, metric = evidence.scores.sets[0], evidence.metric
    if first.churn is not None and evidence.is_recipe and math.isfinite(first.detectable):
        least = f"{shown(first.detectable, metric)}{unit(metric)}"
        alike = "trained as often" if evidence.asked is None else "asked with as many prompts"
        yield (
            f"A paired difference of {least} to a model {alike} would be detected with 80 % power if "
            f"{percent(first.churn, 0)} of answers differ, as they do between two of these {evidence.run_kind}s."
        )
    elif metric == "accuracy":
        n = evidence.test.n_items
        found = detectable_paired(n, GUESSED, evidence.config.level)
        if math.isfinite(found):
            least = f"{shown(found, metric)}{unit(metric)}"
            yield (
                f"A paired difference of {least} would be detected with 80 % power if {percent(GUESSED, 0)} of answers "
                "differ."
            )
    elif math.isfinite(first.detectable):
        least = f"{shown(first.detectable, metric)}{unit(metric)}"
        yield f"A difference of {least} to a model tested on other items like these would be detected with 80 % power."


def not_claimed(evidence: Evidence, lights: tuple[PageLight, ...]) -> list[str]:
    """What may not be claimed, the weightiest first."""
    return list(_not_claimed(evidence, {each.name: each for each in lights}))


def _not_claimed(evidence: Evidence, lights: dict[str, PageLight]) -> Iterator[str]:
    if lights["leaks"].colour == "red":
        yield "That the score holds for items outside the training data: too many test items have a copy there."
    if lights["words"].colour == "red":
        yield "That anything beyond words was learned: a bag of words is credibly better."
    if not evidence.is_recipe:
        few = ": fewer than three were asked" if evidence.asked else " of the same recipe: fewer than three were made"
        yield f"Anything about another {evidence.run_kind}{few}."
    elif lights["spread"].colour != "green":
        moves = "the seed" if evidence.asked is None else "the prompt"
        yield f"That another {evidence.run_kind} would score the same: see how much {moves} moves it."
    if lights["constant"].colour == "red" and evidence.asked is None:
        yield "That training always works: some trainings gave one answer to nearly everything."
    if lights["constant"].colour == "red" and evidence.asked is not None:
        yield "That every prompt works: some got one answer to nearly everything."
    if lights["labels"].colour == "red":
        yield "That everything short of 100 % is the model's error: too many labels are estimated to be wrong."
    if lights["shortcuts"].colour != "green":
        yield "That the model understands: cues without understanding are not ruled out on these data."
    else:
        yield "That the model understands: only the shortcuts that were tried are ruled out."
    if evidence.asked is not None:
        yield "Anything about prompts of another kind, or tuned to this model."
    yield "Anything about texts of another kind or source than these test items."
    if not evidence.data.further:
        yield "Anything about other languages: none was tested."


def removal_words(evidence: Evidence, words: str) -> str:
    """What removing a class of words shows, in a sentence."""
    found = next(each for each in evidence.removals if each.words == words)
    metric, level = evidence.metric, evidence.config.level
    beyond = change_text(found.beyond, metric)
    if found.p_value < 1 - level:
        more = "more" if found.beyond.difference.value < 0 else "less"
        return (
            f"Removing {words} from the test texts costs {more} than removing the same number of random words: "
            f"{beyond}."
        )
    return f"{words} are not shown to matter more than the same number of random words: {beyond}."
