"""The 15 features that can be told from form, and how rows of a dataset are marked with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assay.data.dataset import Dataset
from assay.errors import UsageError
from assay.jobs import step

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

Annotator = Callable[[Iterable[str]], Iterator[frozenset[str]]]


def annotator(language: str) -> Annotator:
    """The function that gives the features of each text, in their order."""
    if language == "en":
        from assay.data.annotation.english import annotate_english

        return annotate_english
    if language == "ru":
        from assay.data.annotation.russian import annotate_russian

        return annotate_russian
    raise UsageError(f"texts can be annotated in en, ru; got {language!r}")


@step(version=1, name="assay.annotate_features")
def annotate_features(data: Dataset, language: str) -> list[list[str]]:
    """The features of each row: those that its text or its second text shows, in the order of `FEATURES`."""
    annotate = annotator(language)
    texts = annotate(data.texts)
    pairs = annotate([pair or "" for pair in data.pairs])
    return [[name for name in FEATURES if name in one | other] for one, other in zip(texts, pairs, strict=True)]
