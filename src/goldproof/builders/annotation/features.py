"""The 15 features that can be told from form, and how rows of a dataset are marked with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from goldproof.builders.annotation.english import ENGLISH, annotate_english
from goldproof.builders.annotation.russian import RUSSIAN, annotate_russian
from goldproof.builders.tagging.registry import choose_tagger
from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.extras import Need
from goldproof.jobs import step

FEATURES = (
    "Double negation",
    "Negation",
    "Intervals/Numbers",
    "Temporal",
    "Conditionals",
    "Conjunction",
    "Disjunction",
    "Prepositional phrases",
    "Anaphora/Coreference",
    "Relative clauses",
    "Datives",
    "Quantifiers",
    "Factivity",
    "Morphological negation",
    "Named entities",
)
"""In the order of Table 7 of the stability paper."""

LANGUAGES = ("en", "ru", "fr", "de")
Annotator = Callable[[Iterable[str]], Iterator[frozenset[str]]]


def annotator(language: str) -> Annotator:
    """The function that gives the features of each text, in their order."""
    if language == "en":
        return annotate_english
    if language == "ru":
        return annotate_russian
    if language in ("fr", "de"):
        from goldproof.builders.annotation.tagged import annotate_tagged

        return annotate_tagged(language)
    raise _unknown(language)


def annotation_needs(language: str) -> tuple[Need, ...]:
    """The extras that annotating a language needs: those of its parser or tagger."""
    if language not in LANGUAGES:
        raise _unknown(language)
    if language in ("fr", "de"):
        return choose_tagger(language).requires
    return (RUSSIAN if language == "ru" else ENGLISH,)


def _unknown(language: str) -> UsageError:
    return UsageError(f"texts can be annotated in {', '.join(LANGUAGES)}; got {language!r}")


@step(version=2, name="goldproof.annotate_features", requires=lambda given: annotation_needs(given["language"]))
def annotate_features(data: Dataset, language: str) -> list[list[str]]:
    """The features of each row: those that its text or its second text shows, in the order of `FEATURES`."""
    pairs = [pair or "" for pair in data.pairs]
    different = list(dict.fromkeys([*data.texts, *pairs]))
    known = dict(zip(different, annotator(language)(different), strict=True))
    rows = zip(data.texts, pairs, strict=True)
    return [[name for name in FEATURES if name in known[one] | known[other]] for one, other in rows]


@dataclass(frozen=True, slots=True)
class FeatureCounts:
    """How many rows show a feature, how many experts tagged with it, and how many both; None where no row has tags."""

    feature: str
    n_rows: int
    n_shown: int
    n_tagged: int | None
    n_both: int


def count_features(data: Dataset, features: Sequence[Sequence[str]]) -> list[FeatureCounts]:
    """The counts of every feature; experts' tags are those of the dataset, whatever their group.

    >>> rows = [{"text": "No.", "tags": ["logic:Negation"]}, {"text": "Not so."}]
    >>> count_features(Dataset.from_rows("toy", rows), [["Negation"], ["Negation"]])[1]
    FeatureCounts(feature='Negation', n_rows=2, n_shown=2, n_tagged=1, n_both=1)
    """
    tags = [{tag.partition(":")[2] for tag in row["tags"]} for row in data]
    with_tags = any(tags)
    counts = []
    for feature in FEATURES:
        shown, tagged = [feature in row for row in features], [feature in row for row in tags]
        both = sum(a and b for a, b in zip(shown, tagged, strict=True))
        counts.append(FeatureCounts(feature, len(shown), sum(shown), sum(tagged) if with_tags else None, both))
    return counts
