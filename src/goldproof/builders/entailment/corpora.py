"""The jobs that give each language's entailment corpus and diagnostics, from the catalog or generated."""

from __future__ import annotations

from dataclasses import dataclass

from goldproof.builders.entailment.categories import Membership
from goldproof.builders.entailment.steps import categorise, prepare_diagnostics, prepare_entailment
from goldproof.builders.entailment.toy import generate_diagnostics, generate_entailment
from goldproof.data.corpora.steps import corpus_job
from goldproof.data.dataset import Dataset
from goldproof.jobs import Job

SEEDS = {"train": 1, "validation": 2, "test": 4}


@dataclass(frozen=True, slots=True)
class Corpora:
    """Where the data come from: the catalog's corpora under `root`, or generated ones of these sizes.

    The diagnostics of every language must have the rows of those of `first`. `n_pairs` are those of each category.
    """

    first: str
    root: str = ""
    is_generated: bool = False
    n_train: int = 200
    n_validation: int = 60
    n_pairs: int = 12


def entailment_job(corpora: Corpora, language: str, split: str) -> Job[Dataset]:
    """A split of a language's entailment corpus as it was published."""
    if corpora.is_generated:
        n = corpora.n_train if split == "train" else corpora.n_validation
        return generate_entailment.job(language, n, seed=SEEDS[split])
    name = "rte" if language == "en" else "terra"
    return corpus_job(name, language=language, split=split, root=corpora.root or None)


def train_job(corpora: Corpora, language: str, most: int | None = None) -> Job[Dataset]:
    """The training data of a language, with two labels, or its first `most` rows."""
    return prepare_entailment.job(entailment_job(corpora, language, "train"), f"train ({language})", most)


def validation_job(corpora: Corpora, language: str) -> Job[Dataset]:
    """The validation data of a language, with two labels."""
    return prepare_entailment.job(entailment_job(corpora, language, "validation"), f"validation ({language})")


def diagnostics_job(corpora: Corpora, language: str) -> Job[Dataset]:
    """The diagnostics of a language, with two labels."""
    reference = None if language == corpora.first else _raw_diagnostics(corpora, corpora.first)
    return prepare_diagnostics.job(_raw_diagnostics(corpora, language), language, reference, corpora.first)


def categories_job(corpora: Corpora, language: str, membership: Membership) -> Job[Dataset]:
    """The diagnostics of a language whose tags are the categories that each row belongs to."""
    return categorise.job(diagnostics_job(corpora, language), language, membership)


def _raw_diagnostics(corpora: Corpora, language: str) -> Job[Dataset]:
    if corpora.is_generated:
        return generate_diagnostics.job(language, corpora.n_pairs, seed=0)
    name = "lidirus" if language == "ru" else "diagnostics"
    return corpus_job(name, language=language, root=corpora.root or None)
