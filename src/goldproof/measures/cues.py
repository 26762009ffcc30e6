"""Cues that stay in a text after corruption, and how often they do where a model is right and where it is wrong.

Two kinds: a lexical paraphrase between the texts of a pair (words of PPDB), and words of the gold polarity (a sentiment
lexicon); either may be a file. A cue counts when it is present at all, as in Talman et al. (2022). That a cue is there
says little alone: the share among wrong predictions stands beside it, with a test.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from goldproof.data.formats.files import check_file, iter_lines, shortened
from goldproof.errors import DataError, ModelError, UsageError
from goldproof.extras import Need, import_extra
from goldproof.statistics.arrays import Array, check_same_length
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import wilson
from goldproof.statistics.proportions import unpaired_proportions

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_SOURCES = {
    "mwa_ppdb": "misc/mwa_ppdb.zip/mwa_ppdb/ppdb-1.0-xxxl-lexical.extended.synonyms.uniquepairs",
    "opinion_lexicon positive": "corpora/opinion_lexicon.zip/opinion_lexicon/positive-words.txt",
    "opinion_lexicon negative": "corpora/opinion_lexicon.zip/opinion_lexicon/negative-words.txt",
    "vader_lexicon": "sentiment/vader_lexicon.zip/vader_lexicon/vader_lexicon.txt",
}


def words_of(text: str) -> frozenset[str]:
    """The distinct words of a text in lower case.

    >>> sorted(words_of("A well-made film, isn't it?"))
    ['a', 'film', "isn't", 'it', 'well-made']
    """
    return frozenset(match.group().lower() for match in _WORD.finditer(text))


@dataclass(frozen=True, slots=True)
class Paraphrases:
    """Which words are paraphrases of which; both ways round.

    >>> pairs = Paraphrases.of([("film", "movie")])
    >>> pairs.between("A good movie", "A fine film"), pairs.between("A good film", "A fine film")
    ([('movie', 'film')], [])
    """

    of_word: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]]) -> Paraphrases:
        """From pairs of words."""
        found: dict[str, set[str]] = {}
        for first, second in pairs:
            if first != second:
                found.setdefault(first, set()).add(second)
                found.setdefault(second, set()).add(first)
        return cls({word: frozenset(others) for word, others in found.items()})

    def between(self, text: str, pair: str) -> list[tuple[str, str]]:
        """Every (word of the text, its paraphrase in the pair), sorted; a word is no paraphrase of itself."""
        others = words_of(pair)
        return [
            (word, other)
            for word in sorted(words_of(text))
            for other in sorted(self.of_word.get(word, frozenset()) & others)
        ]


@dataclass(frozen=True, slots=True)
class Polarity:
    """Words that speak well and words that speak ill. A possessive ending is no part of a word.

    >>> lexicon = Polarity(frozenset({"good"}), frozenset({"awful"}))
    >>> lexicon.found("An awful study in good intentions")
    {'positive': ['good'], 'negative': ['awful']}
    """

    positive: frozenset[str]
    negative: frozenset[str]

    def found(self, text: str) -> dict[str, list[str]]:
        """The words of each polarity in the text, sorted."""
        words = words_of(text)
        words |= {word[:-2] for word in words if word.endswith(("'s", "’s"))}
        return {"positive": sorted(words & self.positive), "negative": sorted(words & self.negative)}


def load_ppdb() -> Paraphrases:
    """The lexical pairs of PPDB 1.0 XXXL that Sultan et al.'s aligner uses, from NLTK's data: two words on a line."""
    pairs = (line.split("\t") for line in _read("mwa_ppdb").splitlines())
    return Paraphrases.of([(pair[0], pair[1]) for pair in pairs if len(pair) == 2])


def load_opinion_lexicon() -> Polarity:
    """Hu & Liu's (2004) opinion lexicon, from NLTK's data: one word on a line, comments after a semicolon."""
    sides = [
        frozenset(line.strip() for line in _read(f"opinion_lexicon {side}").splitlines() if line[:1] not in ("", ";"))
        for side in ("positive", "negative")
    ]
    return Polarity(*(frozenset(filter(None, side)) for side in sides))


def load_vader(threshold: float = 0.0) -> Polarity:
    """The lexicon of VADER (Hutto & Gilbert 2014), from NLTK's data: words whose mean rating exceeds the threshold."""
    rows = (line.split("\t") for line in _read("vader_lexicon").splitlines())
    ratings = {row[0].lower(): float(row[1]) for row in rows if len(row) > 1}
    return Polarity(
        frozenset(word for word, rating in ratings.items() if rating > threshold),
        frozenset(word for word, rating in ratings.items() if rating < -threshold),
    )


NRC = Need("nrc", "the lexicon of NRC")


def load_nrc() -> Polarity:
    """The NRC word-emotion lexicon (Mohammad & Turney 2013) as the package NRCLex expands it, its two polarities alone.

    Talman et al. (2022) looked words up in it. It is for research only.
    """
    lexicon: Mapping[str, Sequence[str]] = import_extra("nrclex", NRC).NRCLex.lexicon
    return Polarity(
        *(
            frozenset(word for word, feelings in lexicon.items() if side in feelings)
            for side in ("positive", "negative")
        )
    )


_SIGNS = {"positive": "positive", "pos": "positive", "+": "positive"}
_SIGNS |= {"negative": "negative", "neg": "negative", "-": "negative", "−": "negative"}


def read_polarity(path: str | Path) -> Polarity:
    """A lexicon of the user's own: on each line a word and, after a tab, positive, negative or a number.

    A number above 0 is positive, one below 0 negative. The three columns of NRC's own file (word, feeling, 1 or 0) are
    read too. Empty lines and those that begin with # or ; are passed over, and so are other feelings.
    """
    sides: dict[str, set[str]] = {"positive": set(), "negative": set()}
    for number, line in iter_lines(check_file(path)):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip() or line[0] in "#;" or (len(cells) == 3 and cells[2] == "0"):
            continue
        side = _side(cells)
        if side is None:
            raise DataError(
                "a word, a tab, and positive, negative or a number is needed (or word, feeling, 1 or 0); got "
                f"{shortened(line)!r}",
                path=path,
                line=number,
            )
        if side:
            sides[side].add(cells[0].lower())
    if not all(sides.values()):
        lacking = next(side for side, words in sides.items() if not words)
        raise DataError(f"there is no {lacking} word in this lexicon; words of both polarities are needed", path=path)
    return Polarity(frozenset(sides["positive"]), frozenset(sides["negative"]))


def _side(cells: Sequence[str]) -> str | None:
    """The polarity of a line: nothing for a feeling that is none, None where the line is no such line."""
    if len(cells) not in (2, 3) or not cells[0]:
        return None
    if len(cells) == 3:
        return _SIGNS.get(cells[1].lower(), "") if cells[2] == "1" else None
    try:
        rating = float(cells[1])
    except ValueError:
        return _SIGNS.get(cells[1].lower())
    return "positive" if rating > 0 else "negative" if rating < 0 else ""


def read_paraphrases(path: str | Path) -> Paraphrases:
    """Pairs of single words: a file of PPDB (fields between |||, the phrase and its paraphrase second and third) or two
    words on a line with a tab between them; a file may be gzipped. Pairs of longer phrases are passed over.
    """
    pairs, n_lines = [], 0
    for number, line in iter_lines(check_file(path)):
        if not line.strip():
            continue
        n_lines += 1
        cells = [cell.strip() for cell in (line.split("|||")[1:3] if "|||" in line else line.split("\t"))]
        if len(cells) != 2 or not all(cells):
            raise DataError(
                "a line of PPDB (… ||| phrase ||| paraphrase ||| …) or two words with a tab between them is needed; "
                f"got {shortened(line)!r}",
                path=path,
                line=number,
            )
        if not any(" " in cell for cell in cells):
            pairs.append((cells[0].lower(), cells[1].lower()))
    if not pairs:
        raise DataError(f"there is no pair of single words among its {n_lines} lines", path=path)
    return Paraphrases.of(pairs)


@dataclass(frozen=True, slots=True)
class CueShares:
    """How many items hold a cue among right and among wrong predictions, their difference, and Fisher's exact test.

    A share of no items is absent (None), and so then are difference and test.
    """

    right: Estimate | None
    wrong: Estimate | None
    difference: Estimate | None
    p_value: float | None


def cue_shares(has_cue: Array, is_right: Array, level: float = 0.95) -> CueShares:
    """The share of items with a cue among right and among wrong predictions.

    Intervals are Wilson's, that of the difference (right − wrong) is Newcombe's, the test is Fisher's.

    >>> shares = cue_shares(np.array([1, 1, 1, 0, 1, 0], bool), np.array([1, 1, 1, 1, 0, 0], bool))
    >>> shares.right.value, shares.wrong.value, shares.p_value
    (0.75, 0.5, 1.0)
    """
    cue, right = np.asarray(has_cue, bool), np.asarray(is_right, bool)
    check_same_length(has_cue=cue, is_right=right)
    counts = [(int(cue[rows].sum()), int(rows.sum())) for rows in (right, ~right)]
    shares = [wilson(k, n, level) if n else None for k, n in counts]
    if None in shares:
        return CueShares(shares[0], shares[1], None, None)
    (k_right, n_right), (k_wrong, n_wrong) = counts
    table = [[k_right, n_right - k_right], [k_wrong, n_wrong - k_wrong]]
    return CueShares(
        shares[0],
        shares[1],
        unpaired_proportions(k_right, n_right, k_wrong, n_wrong, level),
        float(stats.fisher_exact(table).pvalue),
    )


def paraphrase_cues(texts: Sequence[str], pairs: Sequence[str], paraphrases: Paraphrases) -> Array:
    """Whether each pair of texts holds a lexical paraphrase."""
    if len(texts) != len(pairs):
        raise UsageError(f"the number of texts and pairs must be equal; got {len(texts)} and {len(pairs)}")
    return np.array([bool(paraphrases.between(a, b)) for a, b in zip(texts, pairs, strict=True)], dtype=bool)


def polarity_cues(texts: Sequence[str], gold: Sequence[str], lexicon: Polarity) -> Array:
    """Whether each text holds a word of its gold polarity, `positive` or `negative`."""
    if len(texts) != len(gold):
        raise UsageError(f"the number of texts and gold polarities must be equal; got {len(texts)} and {len(gold)}")
    for label in gold:
        if label not in ("positive", "negative"):
            raise UsageError(f"a gold polarity must be 'positive' or 'negative'; got {label!r}")
    return np.array([bool(lexicon.found(text)[label]) for text, label in zip(texts, gold, strict=True)], dtype=bool)


def word_list(name: str) -> Need:
    """What a word list of NLTK's data needs."""
    return Need("english", f"the word list {name!r}")


def _read(source: str) -> str:
    """The text of a file of NLTK's data."""
    name = source.partition(" ")[0]
    find = import_extra("nltk.data", word_list(name)).find
    try:
        with find(_SOURCES[source]).open() as stream:
            content: bytes = stream.read()
    except LookupError:
        raise ModelError(
            f"the word list {name!r} of NLTK's data is not on this machine; get it with: "
            f"python -m nltk.downloader {name} (or set NLTK_DATA to a folder that holds it)"
        ) from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
