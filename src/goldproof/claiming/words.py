"""The claim, word for word, and what may not be claimed: plain sentences, each with its number, interval and scope."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from goldproof.claiming.lights import PageLight
from goldproof.claiming.scores import FEWEST, WORDS, Evidence, Rival
from goldproof.claiming.settings import title_of_model
from goldproof.data.dataset import UNKNOWN_LANGUAGE
from goldproof.judging.checkpoints.luck import Loss
from goldproof.judging.metric_numbers import score_text, shown, signed, unit
from goldproof.judging.score import is_beyond_churn
from goldproof.judging.score_answer import lower_name, with_article
from goldproof.report.numbers import count, p_text, percent, points
from goldproof.statistics.comparison import Comparison
from goldproof.statistics.power import detectable_paired, least_discordance


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
    yield from _above_commonest(evidence)
    if evidence.collapse is not None and evidence.collapse.n:
        yield _collapsed(evidence)
    yield from _unread(evidence)
    yield from _beside(evidence)
    yield from _detectable(evidence)


def _above_commonest(evidence: Evidence) -> Iterator[str]:
    """That the score is not shown to be above always giving the commonest label, where it is not."""
    floor = evidence.scores.sets[0].floor
    low = evidence.estimate.low
    if evidence.metric == "accuracy" and math.isfinite(floor) and not low > floor:  # nor where there is no interval
        label = evidence.test.labels[int(np.bincount(evidence.test.gold).argmax())]
        yield f"That is not shown to be above always answering {label!r} ({percent(floor)})."


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
    if first.churn and evidence.is_recipe and math.isfinite(first.detectable):
        least = f"{shown(first.detectable, metric)}{unit(metric)}"
        alike = "trained as often" if evidence.asked is None else "asked with as many prompts"
        as_between = f"as they do between two of these {evidence.run_kind}s"
        if is_beyond_churn(first, metric):
            yield (
                f"If {percent(first.churn)} of answers differ, {as_between}, no difference to a model {alike} would be "
                f"detected with 80 % power: it would have to be at least {least}, and it cannot exceed the share of "
                "answers that differ."
            )
        else:
            yield (
                f"A paired difference of {least} to a model {alike} would be detected with 80 % power if "
                f"{percent(first.churn, 0)} of answers differ, {as_between}."
            )
    elif metric == "accuracy":
        yield _detectable_of_guess(evidence.test.n_items, evidence.config.level)
    elif math.isfinite(first.detectable):
        least = f"{shown(first.detectable, metric)}{unit(metric)}"
        yield f"A difference of {least} to a model tested on other items like these would be detected with 80 % power."


def _detectable_of_guess(n: int, level: float) -> str:
    """What so many items show where nothing is known of how many answers differ.

    >>> _detectable_of_guess(20, 0.95)
    'No paired difference would be detected with 80 % power if 10 % of answers differ: at least 35 % have to.'
    """
    found, if_guessed = detectable_paired(n, GUESSED, level), f"if {percent(GUESSED, 0)} of answers differ"
    if math.isfinite(found):
        return f"A paired difference of {points(found)} would be detected with 80 % power {if_guessed}."
    least = least_discordance(n, level)
    enough = f": at least {percent(math.ceil(100 * least) / 100, 0)} have to" if math.isfinite(least) else ""
    return f"No paired difference would be detected with 80 % power {if_guessed}{enough}."


def not_claimed(evidence: Evidence, lights: tuple[PageLight, ...]) -> list[str]:
    """What may not be claimed, the weightiest first."""
    return list(_not_claimed(evidence, {each.name: each for each in lights}))


def _not_claimed(evidence: Evidence, lights: dict[str, PageLight]) -> Iterator[str]:
    if lights["leaks"].colour == "red":
        yield "That the score holds for items outside the training data: too many test items have a copy there."
    if lights["words"].colour == "red":
        yield "That anything beyond words was learned: a bag of words is credibly better."
    if not evidence.is_recipe:
        yield f"Anything about another {evidence.run_kind}{_too_few(evidence)}."
    elif lights["spread"].colour != "green":
        moves = "the seed" if evidence.asked is None else "the prompt"
        yield f"That another {evidence.run_kind} would score the same: see how much {moves} moves it."
    if lights["constant"].colour == "red":
        which = _which_constant(evidence)
        works = "training always works" if evidence.asked is None else "every prompt works"
        yield f"That {works}: {which} {'gave' if evidence.asked is None else 'got'} one answer to nearly everything."
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


def _too_few(evidence: Evidence) -> str:
    """Why nothing is said of another training, or prompt."""
    if evidence.asked is not None:
        return ": fewer than three were asked"
    n = evidence.test.n_runs
    if n < FEWEST or evidence.collapse is None:
        return " of the same recipe: fewer than three were made"
    n_works = n - evidence.collapse.n
    return (
        f" of the same recipe: {n_works} of {evidence.runs(n)} did not give one answer to nearly everything, and at "
        "least 3 are needed"
    )


def _which_constant(evidence: Evidence) -> str:
    """Which trainings gave one answer, or prompts got one."""
    assert evidence.collapse is not None
    n, of = evidence.collapse.n, len(evidence.collapse.collapsed)
    if n < of:
        return f"{n} of {of}"
    return f"the one {evidence.run_kind}" if n == 1 else f"all {of}"


def choice_words(choice: Loss, metric: str) -> str:
    """What choosing the checkpoint on validation loses, or gains, against the best one."""
    loss, name = choice.corrected, lower_name(metric)
    hindsight = f"{shown(choice.apparent, metric)}{unit(metric)} of loss in hindsight, which is too high"
    if loss.low <= 0 <= loss.high:
        change = (
            f"{signed(-loss.value, metric)}{unit(metric)} [{signed(-loss.high, metric)}, {signed(-loss.low, metric)}]"
        )
        return (
            f"Choosing the checkpoint on validation data is not shown to lose or to gain {name} against the best one: "
            f"{change} ({hindsight})."
        )
    verb, ends = ("loses", (loss.low, loss.high)) if loss.low > 0 else ("gains", (-loss.high, -loss.low))
    low, high = (shown(end, metric) for end in ends)
    return (
        f"Choosing the checkpoint on validation data {verb} {shown(abs(loss.value), metric)}{unit(metric)} "
        f"[{low}, {high}] of {name} against the best one ({hindsight})."
    )


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
    alone = ""
    if found.beyond.difference.low > 0 or found.beyond.difference.high < 0:  # which p, adjusted, does not bear out
        alone = f" (this interval is not adjusted for the {len(evidence.removals)} classes tried; p, adjusted, is "
        alone += f"{p_text(found.p_value).removeprefix('p = ')})"
    return f"{words} are not shown to matter more than the same number of random words: {beyond}{alone}."
