"""`Replies`: what a model said to one prompt over all items, and the rules by which a label is read off it.

By likelihood (`RULES`), with ℓ(o|x) the log-likelihood of an answer o after the question x:

- `raw`: ℓ(o|x), the largest wins
- `length`: ℓ(o|x) divided by the characters of the answer, its blank left out
- `calibrated`: ℓ(o|x) − log mean over texts without content of p(o), so that what a prompt prefers anyway counts for
  nothing (Zhao et al. 2021; Holtzman et al. 2021)
- `centred`: the logarithm of p(o|x) / Σ p(o'|x), less the logarithm of its mean over all items of the set (batch
  calibration, Zhou et al. 2024): a label then hangs on the other items too, though on none of their labels

By text (`goldproof.models.text_labels`): the label whose word stands in it, if one does. What was kept are likelihoods
and texts, so another rule asks nothing again. No score is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax, logsumexp

from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.models.text_labels import UNREAD, read_label

Floats64 = npt.NDArray[np.float64]
Rule = Literal["raw", "length", "calibrated", "centred"]
RULES: tuple[str, ...] = get_args(Rule)


@named("prompts.Replies")
@dataclass(frozen=True, slots=True)
class Replies:
    """What was said to one prompt.

    `labels` are those of the data in the order in which they were offered, `words` what stood for them. By likelihood,
    `likelihoods` are items × labels and `free` texts without content × labels; by text, `texts` has one for each item
    and both are empty. `shown` is the first question as the model saw it, `n_cut` counts those that lost their
    beginning, and `unfinished` has the places of texts that ended because they had the most tokens.
    """

    labels: tuple[str, ...]
    words: tuple[str, ...]
    likelihoods: Floats64
    free: Floats64
    texts: tuple[str, ...] = ()
    shown: str = ""
    n_cut: int = 0
    examples: tuple[str, ...] = field(default=())
    unfinished: tuple[int, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether the model wrote its answers."""
        return bool(self.texts)


@dataclass(frozen=True, slots=True)
class ReadLabels:
    """A label for each item by its place among the labels, −1 where there is none; why is a number of `UNREAD` from 1.

    `probabilities` are items × labels, by likelihood alone.
    """

    codes: npt.NDArray[np.int64]
    absent: npt.NDArray[np.int64]
    probabilities: Floats64 | None = None


def read_replies(replies: Replies, rule: str, language: str = "") -> ReadLabels:
    """The label of each item by a rule; of texts, to a prompt in this language, there is but one.

    >>> said = Replies(("no", "yes"), ("bad", "good"), np.log([[0.2, 0.3], [0.2, 0.6]]), np.log([[0.1, 0.4]]))
    >>> read_replies(said, "raw").codes.tolist(), read_replies(said, "calibrated").codes.tolist()
    ([1, 1], [0, 0])
    """
    if replies.is_text:
        return read_texts(replies, language)
    scores = rule_scores(replies, rule)
    return ReadLabels(np.argmax(scores, axis=1), np.zeros(len(scores), np.int64), np.exp(log_softmax(scores, axis=1)))


def rule_scores(replies: Replies, rule: str) -> Floats64:
    """The score of each label under a rule, items × labels; the largest wins, of equal ones the first."""
    if rule not in RULES:
        raise UsageError(f"there is no scoring rule {rule!r}; allowed: {', '.join(RULES)}")
    scores: Floats64 = np.asarray(replies.likelihoods, np.float64)
    if rule == "length":
        return np.asarray(scores / np.array([max(1, len(word.strip())) for word in replies.words]))
    if rule == "calibrated":
        return np.asarray(scores - (logsumexp(replies.free, axis=0) - np.log(len(replies.free))))
    if rule == "centred":
        relative = log_softmax(scores, axis=1)
        return np.asarray(relative - (logsumexp(relative, axis=0) - np.log(len(relative))))
    return scores


def read_texts(replies: Replies, language: str = "") -> ReadLabels:
    """The label of each text, or why there is none."""
    cut, begun = frozenset(replies.unfinished), _begun(replies.shown)
    found = [
        read_label(begun + text, replies.words, language, is_cut=place in cut)
        for place, text in enumerate(replies.texts)
    ]
    codes = np.array([each if isinstance(each, int) else -1 for each in found], np.int64)
    absent = np.array([0 if isinstance(each, int) else 1 + UNREAD.index(each) for each in found], np.int64)
    return ReadLabels(codes, absent)


def _begun(shown: str) -> str:
    """The beginning of a thought where the model is handed one with each question."""
    return "<think>" if shown.rstrip().endswith("<think>") else ""
