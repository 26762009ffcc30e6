"""The steps: probe a model's layers on a task, control what a probe could memorise, rank neurons, compare models.

Each reads its features through the cache, so that what one step has read costs the others nothing. Values are small:
predictions and summaries, never features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from goldproof.jobs import Resources, step
from goldproof.jobs.cache import cache_folder
from goldproof.jobs.names import named
from goldproof.jobs.pace import same_rows
from goldproof.measures.activations import find_device, open_reader, read_activations
from goldproof.measures.description_length import description_length
from goldproof.measures.layer_tests import LayerTests, assess_layers
from goldproof.measures.layers import Layers, join_layers, select_layers
from goldproof.measures.neurons import Ablation, NeuronSettings, ablate, neuron_overlap, rank_neurons
from goldproof.measures.probe_task import ProbeTask
from goldproof.measures.probes import PROBING, Probes, ProbeSettings, fit_probes
from goldproof.measures.selectivity import Selectivity, measure_selectivity
from goldproof.measures.similarity import cka, cka_null, maxcorr_null, procrustes_null, representations
from goldproof.measures.sparse_probes import fit_sparse_probes
from goldproof.models.ngrams import NGrams, tfidf_features
from goldproof.models.reading import EncoderReader, Reader
from goldproof.models.readout import Readout
from goldproof.models.transformer import Transformer
from goldproof.statistics.arrays import FloatArray
from goldproof.statistics.collapse import find_collapse
from goldproof.studies.probing.settings import SimilarityChoice
from goldproof.studies.probing.tasks import Prepared, class_places

GPU = Resources(gpus=1)
COSTLY: dict[str, Any] = {"resources": GPU, "requires": (PROBING,), "size": same_rows("task")}
PROBE_PACE = ("model", "settings")
Integers = npt.NDArray[np.integer[Any]]


@named("probing.Probed")
@dataclass(frozen=True, slots=True, eq=False)
class Probed:
    """The chosen probe of each layer: numbers of the layers, L2 and accuracy on validation (layers × seeds), predicted
    classes of the test items (layers × seeds × items) and the true ones; how many texts were cut.
    """

    layers: tuple[int, ...]
    l2: npt.NDArray[np.float64]
    validation: npt.NDArray[np.float64]
    predicted: Integers
    gold: Integers
    n_cut: int

    @property
    def correct(self) -> npt.NDArray[np.bool_]:
        """Whether each test item is right: layers × seeds × items."""
        return np.asarray(self.predicted == self.gold)

    @property
    def collapsed(self) -> npt.NDArray[np.bool_]:
        """Which probes (layers × seeds) give one answer to nearly all items and know no more than that; none where
        the items themselves have one label.
        """
        if len(np.unique(self.gold)) < 2:
            return np.zeros(self.predicted.shape[:2], bool)
        return np.array([find_collapse(self.gold, each).collapsed for each in self.predicted.astype(np.int64)])

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """The probes that are averaged: those that did not collapse, or all seeds of a layer where all did."""
        collapsed = self.collapsed
        return np.asarray(~collapsed | collapsed.all(axis=1, keepdims=True))

    @property
    def accuracy(self) -> npt.NDArray[np.float64]:
        """Accuracy of each layer, mean over the seeds that are kept."""
        return np.asarray(np.average(self.correct.mean(axis=2), axis=1, weights=self.kept))

    @property
    def chosen(self) -> int:
        """The place of the layer that is best on validation, mean over the seeds that are kept."""
        return int(np.average(self.validation, axis=1, weights=self.kept).argmax())


@named("probing.Code")
@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """Online description length of each layer, in bits, beside the code that knows nothing about the texts."""

    layers: tuple[int, ...]
    bits: npt.NDArray[np.float64]
    uniform: float
    n: int


@named("probing.Ranked")
@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The top neurons: how many each layer has, the probe's accuracies and penalties, ablations, overlap over samples.

    `overlap` is the mean Jaccard overlap of the top sets of samples and what chance would give; None without samples.
    `residual` is the largest KKT residual of these probes, relative to λ₁; above `tolerance`, one has not converged.
    `n_weights` neurons of the probe on all training items have weight.
    """

    layers: tuple[int, ...]
    n_features: int
    histogram: Integers
    l1: float
    l2: float
    validation_accuracy: float
    test_accuracy: float
    ablations: tuple[Ablation, ...]
    overlap: tuple[float, float] | None
    n_weights: int
    residual: float
    tolerance: float

    @property
    def is_settled(self) -> bool:
        """Whether every probe converged."""
        return self.residual <= self.tolerance


@named("probing.NeuronPlan")
@dataclass(frozen=True, slots=True)
class NeuronPlan:
    """How neurons are ranked and tested; see `goldproof.studies.probing.settings.NeuronChoice`."""

    settings: NeuronSettings
    n_random: int
    seeds: tuple[int, ...]
    sample: float
    most_classes: int


@step(
    version=1,
    name="goldproof.probing.probe",
    resources=GPU,
    requires=(PROBING,),
    size=same_rows("task"),
    paced_by=("model", "settings"),
)
def probe(model: Any, readout: Readout, task: Prepared, settings: ProbeSettings, embeddings: bool) -> Probed:
    """The best probe of every layer of a model on a task."""
    with read_layers(model, readout, task.data.texts, embeddings) as read:
        found = fit_probes(read.layers, task.labels(), settings, device=find_device())
        return keep_probes(found, read.numbers, read.n_cut)


@step(
    version=1,
    name="goldproof.probing.probe_ngrams",
    resources=GPU,
    requires=(PROBING,),
    size=same_rows("task"),
    paced_by=("model", "settings"),
)
def probe_ngrams(model: NGrams, task: Prepared, settings: ProbeSettings, most_classes: int) -> Probed | None:
    """The best probe on TF-IDF features, learned from the training texts alone; None where classes are too many."""
    labels, texts = task.labels(), task.data.texts
    if labels.n_classes > most_classes:
        return None
    features = tfidf_features(model, [texts[row] for row in labels.train], texts)
    return keep_probes(fit_sparse_probes(features, labels, settings, device=find_device()), (0,), 0)


@step(version=2, name="goldproof.probing.assess")
def assess(probed: Probed | None, level: float) -> LayerTests | None:
    """Bands, neighbours and ties of the layers, which are counted from the first that was probed.

    Of several seeds, those whose probe gives one answer to everything are left out, unless all do.
    """
    if probed is None:
        return None
    return assess_layers(probed.correct, np.random.default_rng(0), level=level, kept=probed.kept)


@step(version=1, name="goldproof.probing.selectivity", **COSTLY)
def selectivity(
    model: Any, readout: Readout, task: Prepared, settings: ProbeSettings, most_classes: int, embeddings: bool
) -> Selectivity | None:
    """The task against a control task that gives each first word a random label; None where classes are too many."""
    if task.labels().n_classes > most_classes:
        return None
    with read_layers(model, readout, task.data.texts, embeddings) as read:
        return measure_selectivity(read.layers, task.labels(), task.data.texts, settings, device=find_device())


@step(
    version=1, name="goldproof.probing.description_length", resources=GPU, requires=(PROBING,), size=same_rows("task")
)
def code_length(
    model: Any, readout: Readout, task: Prepared, l2: tuple[float, ...], most_classes: int, embeddings: bool
) -> Code | None:
    """The online code of the training labels, given each layer; None where classes are too many."""
    if task.labels().n_classes > most_classes:
        return None
    with read_layers(model, readout, task.data.texts, embeddings) as read:
        found = description_length(read.layers, task.labels(), l2, device=find_device())
        return Code(read.numbers, found.bits[:, 0], found.uniform, found.n)


@step(version=2, name="goldproof.probing.neurons", **COSTLY)
def neurons(model: Any, readout: Readout, task: Prepared, plan: NeuronPlan, embeddings: bool) -> Ranked | None:
    """The neurons that a sparse probe on all layers rests on, and whether they matter."""
    if task.labels().n_classes > plan.most_classes:
        return None
    device = find_device()
    with read_layers(model, readout, task.data.texts, embeddings) as read:
        labels = task.labels()
        found = rank_neurons(read.layers, labels, plan.settings, device=device)
        samples = [
            rank_neurons(read.layers, _sampled(labels, plan.sample, seed), plan.settings, device=device)
            for seed in plan.seeds
        ]
        rng = np.random.default_rng(0)
        ablations = tuple(
            ablate(read.layers, labels, found.top, mode, rng=rng, n_random=plan.n_random, device=device)
            for mode in ("keep", "remove")
            if 0 < len(found.top) < len(found.ordering)
        )
        tops = [each.top for each in samples]
        overlap = neuron_overlap(tops, len(found.ordering)) if len(tops) > 1 else None
        return Ranked(
            read.numbers, read.layers.n_features, found.histogram, found.penalty.l1, found.penalty.l2,
            found.validation_accuracy, found.test_accuracy, ablations, overlap, found.n_weights,
            max(each.residual for each in (found, *samples)), plan.settings.solver.tolerance,
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


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """Layers of features, the number of each layer (0 is the embedding layer), and how many texts were cut."""

    layers: Layers
    numbers: tuple[int, ...]
    n_cut: int


@contextmanager
def read_layers(
    model: Any, readout: Readout, texts: Sequence[str], embeddings: bool, pairs: Sequence[str] | None = None
) -> Iterator[Read]:
    """All layers of the texts, or of both texts of each pair side by side; without the embedding layer if so asked."""
    reader = open_cached(model, readout, find_device())
    with cache_folder("activations") as folder:
        found = [read_activations(reader, side, folder) for side in (texts, pairs) if side is not None]
        layers: Layers = found[0] if pairs is None else join_layers(*found)
        numbers = tuple(range(layers.n_layers))
        if not embeddings and len(numbers) > 1:
            numbers = numbers[1:]
            layers = select_layers(layers, numbers)
        yield Read(layers, numbers, sum(each.n_cut for each in found))


@lru_cache(maxsize=1)
def open_cached(model: Any, readout: Readout, device: str) -> Reader:
    """The reader of a model; the last one stays open, as the next task usually wants it too."""
    if isinstance(model, Transformer):
        return open_reader(model, readout, device=device)
    return EncoderReader(model, readout)


@named("probing.Likeness")
@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Square tables over all places, a place being a model (by its position) and a layer; `n` sentences.

    `tables` has one for each measure; `p_value` and `chance` (the mean) are those of the measure's permutation null,
    which all but plain CKA have.
    """

    places: tuple[tuple[int, int], ...]
    n: int
    tables: dict[str, FloatArray]
    p_value: dict[str, FloatArray]
    chance: dict[str, FloatArray]


@step(version=2, name="goldproof.probing.similarity", resources=GPU, requires=(PROBING,))
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
    pairings = {"debiased": (cka_null, choice.n_permutations)}
    pairings |= {"maxcorr": (maxcorr_null, choice.n_costly), "procrustes": (procrustes_null, choice.n_costly)}
    nulls = {
        name: measure(every, np.random.default_rng(choice.seed), n_permutations=n)
        for name, (measure, n) in pairings.items()
        if name in choice.measures
    }
    tables = {name: null.value for name, null in nulls.items()}
    if "plain" in choice.measures:
        tables["plain"] = cka(every)
    p_values, chance = ({name: getattr(null, part) for name, null in nulls.items()} for part in ("p_value", "mean"))
    return Likeness(tuple(places), len(texts), tables, p_values, chance)


def sample_texts(task: Prepared, n: int, seed: int) -> list[str]:
    """So many different test texts, each class by its share, chosen by their hash."""
    labels = {row["text"]: row["label"] for row in task.data.select(split="test")}
    places = class_places(list(labels), list(labels.values()), seed, "similarity")
    return [text for _, text in sorted(zip(places, labels, strict=True))[:n]]
