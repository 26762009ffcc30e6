"""The claim, word for word, and what may not be claimed: plain sentences, each with its number, interval and scope."""

from __future__ import annotations

import math
from collections.abc import Iterator

from goldproof.claiming.lights import PageLight
from goldproof.claiming.scores import WORDS, Evidence, Rival
from goldproof.claiming.settings import title_of_model
from goldproof.data.dataset import UNKNOWN_LANGUAGE
from goldproof.judging.metric_numbers import score_text, shown, signed, unit
from goldproof.judging.score_answer import lower_name
from goldproof.report.numbers import count, percent
from goldproof.statistics.comparison import Comparison


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
    if evidence.collapse_all:
        yield (
            f"On {n} items of {data.name}{language}, {model} trained as below gives one answer to nearly everything, "
            f"in {_all(evidence.test.n_runs)}: nothing may be claimed of what it can do."
        )
        return
    yield (
        f"On {n} items of {data.name}{language}, {model} trained as below reaches {lower_name(metric)} of "
        f"{score_text(estimate, metric)} for {scope(evidence)}."
    )
    if evidence.collapse is not None and evidence.collapse.n:
        yield _collapsed(evidence)
    yield from _beside(evidence)
    yield from _detectable(evidence)


def _all(n: int) -> str:
    return "the one training" if n == 1 else f"all {n} trainings"


def scope(evidence: Evidence) -> str:
    """What the score is about: another training, or this one."""
    if evidence.is_recipe:
        return "another training on items like these"
    return f"this training ({evidence.working.run_names[0]}) on items like these; it says nothing of another one"


def _collapsed(evidence: Evidence) -> str:
    assert evidence.collapse is not None
    n, of = evidence.collapse.n, len(evidence.collapse.collapsed)
    which = "training" if of == 1 else "trainings"
    return (
        f"{n} of {of} {which} gave one answer to nearly everything and {'is' if n == 1 else 'are'} not in this number."
    )


def _beside(evidence: Evidence) -> Iterator[str]:
    for rival in evidence.rivals:
        score = score_text(rival.score, evidence.metric)
        if rival.name == WORDS:
            copies = evidence.test.n_items - rival.n_items
            of = "the same data" if not copies else f"the {count(rival.n_items)} of them that are no copies"
            yield f"A bag-of-words model reaches {score} on {of}; whether the model uses such cues is not shown."
        else:
            yield f"{rival.name}, trained alike, reaches {score}: {difference_words(evidence, rival)}."


def difference_words(evidence: Evidence, rival: Rival) -> str:
    """Whether the model is better, and by how much."""
    found = rival.difference
    if not is_told(found, evidence.config.level):
        return f"the two cannot be told apart, {change_text(found, evidence.metric)}"
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


def _detectable(evidence: Evidence) -> Iterator[str]:
    first = evidence.scores.sets[0]
    if not math.isfinite(first.detectable):
        return
    least = f"{shown(first.detectable, evidence.metric)}{unit(evidence.metric)}"
    if first.churn is not None and evidence.is_recipe:
        yield (
            f"A difference of {least} to a model trained as often would be detected with 80 % power if its answers "
            f"differ as those of two trainings do ({percent(first.churn)} of them)."
        )
    else:
        yield f"A difference of {least} to a model tested on other items like these would be detected with 80 % power."


def not_claimed(evidence: Evidence, lights: tuple[PageLight, ...]) -> list[str]:
    """What may not be claimed, the weightiest first."""
    return list(_not_claimed(evidence, {each.name: each for each in lights}))


def _not_claimed(evidence: Evidence, lights: dict[str, PageLight]) -> Iterator[str]:
    if lights["leaks"].colour == "red":
        yield "That the score holds for items that do not stand in training: too many test items have a copy there."
    if lights["words"].colour == "red":
        yield "That anything beyond words was learned: a bag of words is credibly better."
    if not evidence.is_recipe:
        yield "Anything about another training of the same recipe: fewer than three were made."
    elif lights["spread"].colour != "green":
        yield "That another training would score the same: see what the seed moves."
    if lights["constant"].colour == "red":
        yield "That training always works: some trainings gave one answer to nearly everything."
    if lights["labels"].colour == "red":
        yield "That what is missing to 100 % are the model's errors: too many labels are estimated to be wrong."
    if lights["shortcuts"].colour != "green":
        yield "That the model understands: cues without understanding are not ruled out on these data."
    else:
        yield "That the model understands: only the shortcuts that were tried are ruled out."
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
        return f"Removing {words} from the test texts costs {more} than removing as many random words: {beyond}."
    return f"That {words} matters more than as many random words is not shown: {beyond}."
