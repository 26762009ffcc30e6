"""Cues in texts that were answered: how often one is left where predictions are right, and where they are wrong.

It takes predictions with their texts, and needs no model and no training. A cue is a word of the gold polarity (in one
text) or a lexical paraphrase between the two texts of a pair; see `measures.cues`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from goldproof.data.answers import Answers
from goldproof.data.arrange import Arranging, read_answers
from goldproof.data.load import Source
from goldproof.data.predictions import Reading
from goldproof.errors import DataError, UsageError
from goldproof.measures.cues import (
    CueShares,
    Paraphrases,
    Polarity,
    cue_shares,
    load_nrc,
    load_opinion_lexicon,
    load_ppdb,
    load_vader,
    paraphrase_cues,
    polarity_cues,
    read_paraphrases,
    read_polarity,
)
from goldproof.statistics.arrays import Array
from goldproof.statistics.multiplicity import holm

if TYPE_CHECKING:
    from goldproof.report.summary import Report

CueKind = Literal["polarity", "paraphrase"]
LEXICONS = {"opinion": load_opinion_lexicon, "vader": load_vader, "nrc": load_nrc}


@dataclass(frozen=True, slots=True)
class CueSettings:
    """Which cue and by which words: a lexicon's name or its file, a file of paraphrases (empty for NLTK's list); the
    labels that are called positive and negative.
    """

    kind: CueKind = "polarity"
    lexicon: str = "opinion"
    ppdb: str = ""
    positive: str = "positive"
    negative: str = "negative"
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class SetCues:
    """The cues of one set: how many items and runs, and the shares with a cue among right and wrong answers.

    `adjusted` is the p of their difference adjusted over all sets (Holm); None where there is nothing to compare.
    """

    where: Mapping[str, str]
    n_items: int
    n_runs: int
    n_right: int
    shares: CueShares
    adjusted: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class CuesFound:
    """What was found in every set, by which words."""

    settings: CueSettings
    words: str
    sets: Sequence[SetCues]
    files: str
    notes: Sequence[str] = field(default=())

    def report(self) -> Report:
        """The report, for rendering."""
        from goldproof.judging.cues_report import cues_report

        return cues_report(self)

    def __repr__(self) -> str:
        """A line for each set."""
        from goldproof.judging.cues_report import cue_sentence

        return "\n".join(cue_sentence(each, self.settings.kind) for each in self.sets)

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def find_cues(
    source: Source, *, columns: Mapping[str, str] | None = None, settings: CueSettings | None = None
) -> CuesFound:
    """The shares of items that still hold a cue, among right and among wrong predictions.

    Of several runs an item is right where more than half of them are.
    """
    settings = settings or CueSettings()
    known, words = _load_words(settings)
    read = read_answers(source, Reading(dict(columns or {}), "classification", row_ids="alone"), Arranging())
    found = _adjusted([_cues_of(answers, known, settings) for answers in read.answers])
    return CuesFound(settings, words, found, read.files, read.notes)


def _adjusted(sets: Sequence[SetCues]) -> list[SetCues]:
    known = [each.shares.p_value for each in sets if each.shares.p_value is not None]
    adjusted = iter(holm(np.array(known)).tolist())
    return [each if each.shares.p_value is None else replace(each, adjusted=next(adjusted)) for each in sets]


def _load_words(settings: CueSettings) -> tuple[Polarity | Paraphrases, str]:
    """The words, and what their list is called."""
    if settings.kind == "paraphrase":
        own = settings.ppdb
        return (read_paraphrases(own), Path(own).name) if own else (load_ppdb(), "PPDB 1.0 of NLTK's data")
    if settings.lexicon in LEXICONS:
        return LEXICONS[settings.lexicon](), settings.lexicon
    if not Path(settings.lexicon).is_file():
        raise UsageError(f"a lexicon is one of {', '.join(LEXICONS)}, or an existing file; got {settings.lexicon!r}")
    return read_polarity(settings.lexicon), Path(settings.lexicon).name


def _cues_of(answers: Answers, known: Polarity | Paraphrases, settings: CueSettings) -> SetCues:
    has_cue = _has_cue(answers, known, settings)
    right = np.asarray((answers.runs == answers.gold).mean(axis=0) > 0.5)
    shares = cue_shares(has_cue, right, settings.level)
    return SetCues(answers.where, answers.n_items, answers.n_runs, int(right.sum()), shares)


def _has_cue(answers: Answers, known: Polarity | Paraphrases, settings: CueSettings) -> Array:
    texts = dict(answers.texts or {})
    needed = ("text", "pair") if isinstance(known, Paraphrases) else ("text",)
    for name in needed:
        if name not in texts:
            raise DataError(
                f"cues are looked for in the texts, and the predictions have no column {name!r}; name it with "
                f"--column {name}=NAME"
            )
    if isinstance(known, Paraphrases):
        return paraphrase_cues(texts["text"], texts["pair"], known)
    called = {settings.positive: "positive", settings.negative: "negative"}
    strange = sorted({answers.labels[code] for code in np.unique(answers.gold)} - set(called))
    if strange:
        raise DataError(
            f"the gold label {strange[0]!r} is neither {settings.positive!r} nor {settings.negative!r}; name the two "
            "labels that polar words stand for with --positive and --negative"
        )
    gold = [called[answers.labels[int(code)]] for code in answers.gold]
    return polarity_cues(texts["text"], gold, known)


def cues_form(found: CuesFound) -> dict[str, Any]:
    """What was found, for a machine."""
    return {
        "cue": found.settings.kind,
        "words": found.words,
        "sets": [
            {
                "where": dict(each.where),
                "items": each.n_items,
                "right": each.n_right,
                "among_right": _form(each.shares.right),
                "among_wrong": _form(each.shares.wrong),
                "difference": _form(each.shares.difference),
                "p": each.adjusted,
            }
            for each in found.sets
        ],
        "notes": list(found.notes),
    }


def _form(estimate: Any) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}
