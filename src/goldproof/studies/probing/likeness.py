"""The step that compares all layers of all models on the same sentences, a sample of a task's test split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from goldproof.jobs import step
from goldproof.jobs.names import named
from goldproof.measures.activations import find_device
from goldproof.measures.probes import PROBING
from goldproof.measures.similarity import cka, cka_null, maxcorr, procrustes, representations
from goldproof.models.readout import Readout
from goldproof.statistics.arrays import FloatArray
from goldproof.studies.probing.reading import read_layers
from goldproof.studies.probing.settings import SimilarityChoice
from goldproof.studies.probing.steps import GPU
from goldproof.studies.probing.tasks import Prepared, class_places


@named("probing.Likeness")
@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Square tables over all places, a place being a model (by its position) and a layer; `n` sentences.

    `tables` has one for each measure; `p_value` and `quantile` (95 %) are those of the permutation null of debiased
    CKA, None where it was not asked for.
    """

    places: tuple[tuple[int, int], ...]
    n: int
    tables: dict[str, FloatArray]
    p_value: FloatArray | None
    quantile: FloatArray | None


@step(version=1, name="goldproof.probing.similarity", resources=GPU, requires=(PROBING,))
def compare_models(
    models: tuple[Any, ...], readout: Readout, task: Prepared, choice: SimilarityChoice, embeddings: bool
) -> Likeness:
    """Every layer of every model against every other."""
    texts = sample_texts(task, choice.n, choice.seed)
    named, places = [], []
    for number, model in enumerate(models):
        with read_layers(model, readout, texts, embeddings) as read:
            for index, layer in enumerate(read.numbers):
                named.append((f"{number}:{layer}", read.layers.layer(index)))
                places.append((number, layer))
    every = representations(named, device=find_device())
    tables: dict[str, FloatArray] = {}
    null = None
    if "debiased" in choice.measures:
        null = cka_null(every, np.random.default_rng(choice.seed), n_permutations=choice.n_permutations)
        tables["debiased"] = null.value
    others = {"plain": cka, "maxcorr": maxcorr, "procrustes": procrustes}
    tables |= {name: measure(every) for name, measure in others.items() if name in choice.measures}
    p_value, quantile = (None, None) if null is None else (null.p_value, null.quantile)
    return Likeness(tuple(places), len(texts), tables, p_value, quantile)


def sample_texts(task: Prepared, n: int, seed: int) -> list[str]:
    """So many different test texts, each class by its share, chosen by their hash."""
    labels = {row["text"]: row["label"] for row in task.data.select(split="test")}
    places = class_places(list(labels), list(labels.values()), seed, "similarity")
    return [text for _, text in sorted(zip(places, labels, strict=True))[:n]]
