"""The steps: probe a model's layers on a task, control what a probe could memorise, rank neurons, compare models.

Each reads its features through the cache, so that what one step has read costs the others nothing. Values are small:
predictions and summaries, never features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldproof.jobs import Resources, step
from goldproof.jobs.names import named
from goldproof.measures.activations import find_device
from goldproof.measures.description_length import description_length
from goldproof.measures.layer_tests import LayerTests, assess_layers
from goldproof.measures.neurons import Ablation, NeuronSettings, ablate, neuron_overlap, rank_neurons
from goldproof.measures.probe_task import ProbeTask
from goldproof.measures.probes import PROBING, Probes, ProbeSettings, fit_probes
from goldproof.measures.selectivity import Selectivity, measure_selectivity
from goldproof.measures.sparse_probes import fit_sparse_probes
from goldproof.models.ngrams import NGrams, tfidf_features
from goldproof.models.readout import Readout
from goldproof.studies.probing.reading import read_layers
from goldproof.studies.probing.tasks import Prepared

GPU = Resources(gpus=1)
Ints = npt.NDArray[np.integer[Any]]


@named("probing.Probed")
@dataclass(frozen=True, slots=True, eq=False)
class Probed:
    """The chosen probe of each layer: numbers of the layers, L2 and accuracy on validation (layers × seeds), predicted
    classes of the test items (layers × seeds × items) and the true ones; how many texts were cut.
    """

    layers: tuple[int, ...]
    l2: npt.NDArray[np.float64]
    validation: npt.NDArray[np.float64]
    predicted: Ints
    gold: Ints
    n_cut: int

    @property
    def correct(self) -> npt.NDArray[np.bool_]:
        """Whether each test item is right: layers × seeds × items."""
        return np.asarray(self.predicted == self.gold)

    @property
    def accuracy(self) -> npt.NDArray[np.float64]:
        """Accuracy of each layer, mean over seeds."""
        return np.asarray(self.correct.mean(axis=(1, 2)))

    @property
    def chosen(self) -> int:
        """The place of the layer that is best on validation, mean over seeds."""
        return int(self.validation.mean(axis=1).argmax())


@named("probing.Code")
@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """Online description length of each layer, in bits, beside the code that knows nothing of the texts."""

    layers: tuple[int, ...]
    bits: npt.NDArray[np.float64]
    uniform: float
    n: int


@named("probing.Ranked")
@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The top neurons: how many each layer has, the probe's accuracies and penalties, ablations, overlap over samples.

    `overlap` is the mean Jaccard overlap of the top sets of samples and what chance would give; None without samples.
    """

    layers: tuple[int, ...]
    n_features: int
    histogram: Ints
    l1: float
    l2: float
    validation_accuracy: float
    test_accuracy: float
    ablations: tuple[Ablation, ...]
    overlap: tuple[float, float] | None


@named("probing.NeuronPlan")
@dataclass(frozen=True, slots=True)
class NeuronPlan:
    """How neurons are ranked and tested; see `goldproof.studies.probing.settings.NeuronChoice`."""

    settings: NeuronSettings
    n_random: int
    seeds: tuple[int, ...]
    sample: float
    most_classes: int


@step(version=1, name="goldproof.probing.probe", resources=GPU, requires=(PROBING,))
def probe(model: Any, readout: Readout, task: Prepared, settings: ProbeSettings, embeddings: bool) -> Probed:
    """The best probe of every layer of a model on a task."""
    with read_layers(model, readout, task.data.texts, embeddings) as read:
        found = fit_probes(read.layers, task.labels(), settings, device=find_device())
        return keep_probes(found, read.numbers, read.n_cut)


@step(version=1, name="goldproof.probing.probe_ngrams", resources=GPU, requires=(PROBING,))
def probe_ngrams(model: NGrams, task: Prepared, settings: ProbeSettings, most_classes: int) -> Probed | None:
    """The best probe on TF-IDF features, learned from the training texts alone; None where classes are too many."""
    labels, texts = task.labels(), task.data.texts
    if labels.n_classes > most_classes:
        return None
    features = tfidf_features(model, [texts[row] for row in labels.train], texts)
    return keep_probes(fit_sparse_probes(features, labels, settings, device=find_device()), (0,), 0)


@step(version=1, name="goldproof.probing.assess")
def assess(probed: Probed | None, level: float) -> LayerTests | None:
    """Bands, neighbours and ties of the layers, which are counted from the first that was probed."""
    return None if probed is None else assess_layers(probed.correct, np.random.default_rng(0), level=level)


@step(version=1, name="goldproof.probing.selectivity", resources=GPU, requires=(PROBING,))
def selectivity(
    model: Any, readout: Readout, task: Prepared, settings: ProbeSettings, most_classes: int, embeddings: bool
) -> Selectivity | None:
    """The task against a control task that gives each first word a random label; None where classes are too many."""
    if task.labels().n_classes > most_classes:
        return None
    with read_layers(model, readout, task.data.texts, embeddings) as read:
        return measure_selectivity(read.layers, task.labels(), task.data.texts, settings, device=find_device())


@step(version=1, name="goldproof.probing.description_length", resources=GPU, requires=(PROBING,))
def code_length(
    model: Any, readout: Readout, task: Prepared, l2: tuple[float, ...], most_classes: int, embeddings: bool
) -> Code | None:
    """The online code of the training labels, given each layer; None where classes are too many."""
    if task.labels().n_classes > most_classes:
        return None
    with read_layers(model, readout, task.data.texts, embeddings) as read:
        found = description_length(read.layers, task.labels(), l2, device=find_device())
        return Code(read.numbers, found.bits[:, 0], found.uniform, found.n)


@step(version=1, name="goldproof.probing.neurons", resources=GPU, requires=(PROBING,))
def neurons(model: Any, readout: Readout, task: Prepared, plan: NeuronPlan, embeddings: bool) -> Ranked | None:
    """The neurons that a sparse probe on all layers rests on, and whether they matter."""
    if task.labels().n_classes > plan.most_classes:
        return None
    device = find_device()
    with read_layers(model, readout, task.data.texts, embeddings) as read:
        labels = task.labels()
        found = rank_neurons(read.layers, labels, plan.settings, device=device)
        tops = [
            rank_neurons(read.layers, _sampled(labels, plan.sample, seed), plan.settings, device=device).top
            for seed in plan.seeds
        ]
        rng = np.random.default_rng(0)
        ablations = tuple(
            ablate(read.layers, labels, found.top, mode, rng=rng, n_random=plan.n_random, device=device)
            for mode in ("keep", "remove")
            if 0 < len(found.top) < len(found.ordering)
        )
        overlap = neuron_overlap(tops, len(found.ordering)) if len(tops) > 1 else None
        return Ranked(
            read.numbers, read.layers.n_features, found.histogram, found.penalty.l1, found.penalty.l2,
            found.validation_accuracy, found.test_accuracy, ablations, overlap,
        )  # fmt: skip


def keep_probes(found: Probes, numbers: tuple[int, ...], n_cut: int) -> Probed:
    """The probes as they are kept, class numbers in the smallest type that holds them."""
    kind = np.min_scalar_type(max(int(found.gold.max()), int(found.predicted.max())))
    return Probed(
        numbers, found.l2, found.validation_accuracy, found.predicted.astype(kind), found.gold.astype(kind), n_cut
    )


def _sampled(task: ProbeTask, share: float, seed: int) -> ProbeTask:
    """The task with a random part of its training items."""
    n = max(2, round(share * len(task.train)))
    return replace(task, train=np.sort(np.random.default_rng(seed).choice(task.train, n, replace=False)))
