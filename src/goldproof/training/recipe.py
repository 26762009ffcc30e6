"""What a training is (`Recipe`, `Seeds`) and how it is run (`Execution`). The first two say what comes out; the last
does not.

Importing this module loads no torch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.models.protocols import Task

RateSchedule = Literal["linear", "constant"]
Precision = Literal["float32", "tf32", "bfloat16"]
StoppingRule = Literal["accuracy", "mcc", "loss", "span_f1", "answer_f1"]
GPU_LENGTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512)


@named("training.Seeds")
@dataclass(frozen=True, slots=True)
class Seeds:
    """One seed for each source of chance, so that variance can be attributed.

    >>> Seeds.all(3)
    Seeds(init=3, order=3, dropout=3)
    """

    init: int
    order: int
    dropout: int

    @classmethod
    def all(cls, seed: int) -> Seeds:
        """The same seed for initialisation, data order and dropout."""
        return cls(seed, seed, seed)

    def __str__(self) -> str:
        if self.init == self.order == self.dropout:
            return f"seed {self.init}"
        return f"seeds init {self.init}, order {self.order}, dropout {self.dropout}"


@named("training.EarlyStopping")
@dataclass(frozen=True, slots=True)
class EarlyStopping:
    """Stop when the score on one evaluation set has not improved for `patience` evaluations."""

    on: str
    rule: StoppingRule = "accuracy"
    patience: int = 3


@named("training.Recipe")
@dataclass(frozen=True, slots=True)
class Recipe:
    """A fine-tuning: task, optimiser, schedule, when to evaluate. Two equal recipes with equal seeds give equal
    results.

    `steps` overrides `epochs`. `warmup` is a share of all steps. `evaluations` says at how many evenly spaced points
    of training to evaluate, the last step included; `evaluate_at` gives the steps themselves instead (0 is before
    training). `dropout` replaces the probability of every dropout site; None keeps the model's own. `clip` is the
    largest norm of a gradient; None for no clipping.
    """

    task: Task = "text"
    epochs: float = 3.0
    steps: int | None = None
    batch: int = 32
    learning_rate: float = 2e-5
    schedule: RateSchedule = "linear"
    warmup: float = 0.0
    weight_decay: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8
    clip: float | None = 1.0
    dropout: float | None = None
    max_length: int | None = 128
    precision: Precision = "float32"
    evaluations: int = 1
    evaluate_at: tuple[int, ...] = ()
    early_stopping: EarlyStopping | None = None

    def __post_init__(self) -> None:
        for name, is_right, allowed in (
            ("task", self.task in get_args(Task), "text, pair, regression, tokens or question"),
            ("epochs", self.epochs > 0, "a number above 0"),
            ("steps", self.steps is None or self.steps >= 1, "a whole number of at least 1, or None"),
            ("batch", self.batch >= 1, "a whole number of at least 1"),
            ("learning_rate", self.learning_rate > 0 and math.isfinite(self.learning_rate), "a number above 0"),
            ("schedule", self.schedule in ("linear", "constant"), "linear or constant"),
            ("warmup", 0 <= self.warmup < 1, "a share of all steps, from 0 to below 1"),
            ("weight_decay", self.weight_decay >= 0, "0 or a number above 0"),
            ("beta1", 0 <= self.beta1 < 1, "from 0 to below 1"),
            ("beta2", 0 <= self.beta2 < 1, "from 0 to below 1"),
            ("eps", self.eps > 0, "a number above 0"),
            ("clip", self.clip is None or self.clip > 0, "a number above 0, or None"),
            ("dropout", self.dropout is None or 0 <= self.dropout < 1, "from 0 to below 1, or None"),
            ("max_length", self.max_length is None or self.max_length >= 4, "at least 4 tokens, or None"),
            ("precision", self.precision in ("float32", "tf32", "bfloat16"), "float32, tf32 or bfloat16"),
            ("evaluations", self.evaluations >= 1, "a whole number of at least 1"),
            ("evaluate_at", all(step >= 0 for step in self.evaluate_at), "steps of at least 0"),
        ):
            if not is_right:
                raise UsageError(f"recipe: {name} must be {allowed}; got {getattr(self, name)!r}")

    def n_steps(self, n_items: int) -> int:
        """How many optimiser steps there are for this many training items.

        >>> Recipe(epochs=3, batch=32).n_steps(100)
        12
        """
        if self.steps is not None:
            return self.steps
        return max(1, math.ceil(self.epochs * math.ceil(n_items / self.batch)))

    def points(self, n_items: int) -> tuple[int, ...]:
        """The steps after which to evaluate, in rising order.

        >>> Recipe(epochs=1, batch=10, evaluations=4).points(100)
        (3, 5, 8, 10)
        """
        total = self.n_steps(n_items)
        if self.evaluate_at:
            late = [step for step in self.evaluate_at if step > total]
            if late:
                raise UsageError(f"recipe: evaluate_at has step {late[0]}, but training has only {total} steps")
            return tuple(sorted(set(self.evaluate_at)))
        n = self.evaluations
        return tuple(sorted({max(1, math.floor(total * i / n + 0.5)) for i in range(1, n + 1)}))

    def rate(self, step: int, total: int) -> float:
        """The learning rate of a step, counted from 0: warm-up from 0, then constant or falling to 0 at the end.

        >>> [round(Recipe(learning_rate=1.0, warmup=0.5).rate(step, 4), 2) for step in range(4)]
        [0.0, 0.5, 1.0, 0.5]
        """
        warm = math.ceil(self.warmup * total)
        if step < warm:
            return self.learning_rate * step / warm
        if self.schedule == "constant":
            return self.learning_rate
        return self.learning_rate * max(0.0, (total - step) / max(1, total - warm))


@dataclass(frozen=True, slots=True)
class Execution:
    """How to run: none of this changes what comes out beyond rounding, and none of it enters a job's identity.

    `stack`: "auto" runs seeds together on a GPU and one after the other on a CPU; "always" and "never" force it.
    `most_lanes` bounds how many seeds run in one stack. `graphs` captures a training step in a CUDA graph; `compile`
    compiles it first. `micro_batch` starts smaller than the batch; it is halved when memory runs out. `most_tokens`
    pretends that memory runs out above so many padded tokens in one forward pass. `active_rows_only` keeps embedding
    rows that no training item uses out of the optimiser. Snapshots are written at most every `snapshot_seconds`.
    """

    device: str = "auto"
    stack: Literal["auto", "always", "never"] = "auto"
    most_lanes: int = 16
    graphs: bool = True
    compile: bool = False
    micro_batch: int | None = None
    pad_lengths: tuple[int, ...] | None = None
    evaluation_tokens: int | None = None
    most_tokens: int | None = None
    active_rows_only: bool = True
    snapshot_seconds: float = 120.0
    look_every: int = 64

    def __post_init__(self) -> None:
        for name in ("most_lanes", "evaluation_tokens", "look_every"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise UsageError(f"execution: {name} must be a whole number of at least 1; got {getattr(self, name)!r}")
        if self.micro_batch is not None and self.micro_batch < 1:
            raise UsageError(f"execution: micro_batch must be at least 1, or None; got {self.micro_batch!r}")
        if self.stack not in ("auto", "always", "never"):
            raise UsageError(f"execution: stack must be auto, always or never; got {self.stack!r}")
        pads = self.pad_lengths if self.pad_lengths is not None else (1,)
        if list(pads) != sorted(set(pads)) or min(pads, default=0) < 1:
            raise UsageError(f"execution: pad_lengths must rise and be above 0; got {self.pad_lengths!r}")

    def tokens_of_evaluation(self, device: str) -> int:
        """How many padded tokens an evaluation pass holds, all seeds together; more on a GPU unless it is given."""
        return self.evaluation_tokens or (8192 if device == "cpu" else 131072)

    def padded(self, length: int, device: str) -> int:
        """The length to which a batch of this longest item is padded: few lengths on a GPU, which captures each.

        >>> Execution().padded(33, "cuda"), Execution().padded(33, "cpu")
        (48, 33)
        """
        if self.pad_lengths is None and device == "cpu":
            return length
        for allowed in self.pad_lengths or GPU_LENGTHS:
            if length <= allowed:
                return allowed
        return -(-length // 128) * 128

    def first_micro_batch(self, batch: int, device: str, at_once: int) -> int:
        """How many items a pass holds at first: all on a GPU; on a CPU `at_once` of 32, at most, and the same share of
        fewer.

        >>> Execution().first_micro_batch(32, "cuda", 8), Execution().first_micro_batch(16, "cpu", 8)
        (32, 4)
        """
        few = min(at_once, max(2, batch * at_once // 32))
        return min(batch, self.micro_batch or (batch if device != "cpu" else few))
