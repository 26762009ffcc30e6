"""The trainer of a group of seeds: it makes the steps, evaluates, writes snapshots, and goes on when memory or a seed
fails. Imports torch.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from goldproof.errors import TrainingError, UsageError
from goldproof.jobs.watch import SKIPPED, STEPS, CutShortError, tell
from goldproof.models.examples import Examples
from goldproof.models.protocols import Floats, Trainable
from goldproof.models.windows import read_answers
from goldproof.training.cuda_graphs import make_stepper
from goldproof.training.finetune import Hooks
from goldproof.training.inference import place_module, predict_items
from goldproof.training.outcome import ExecutionFacts, Progress, TrainingOutcome
from goldproof.training.packing import Ints, entry_ids, may_be_absent, pack, prepare
from goldproof.training.recipe import Execution, Recipe, Seeds
from goldproof.training.seed_stack import SeedStack, SharedSetup, initial_parameters, make_shared_setup
from goldproof.training.seed_training import SeedTraining, identity_of, open_training
from goldproof.training.selection import label_codes, score_answers, score_logits, score_tagged
from goldproof.training.stacked_optimizer import OptimizerState, Tensors, decay_factor


def run(  # noqa: PLR0913  the arguments of finetune_many, checked, with the classes
    model: Trainable,
    train: Examples,
    evaluate: Mapping[str, Examples],
    recipe: Recipe,
    seeds: Sequence[Seeds],
    how: Execution,
    hooks: Hooks,
    classes: Sequence[str],
) -> list[TrainingOutcome | TrainingError]:
    """Train every seed; groups of those that start from the same step run together."""
    device = find_device(how)
    network = model.load(recipe.task, n_outputs(recipe, classes), train)
    if recipe.precision == "bfloat16" and not network.takes_bfloat16:
        raise UsageError("recipe: this model cannot be trained in bfloat16 by transformers; give float32 or tf32")
    prepared = prepare(network, train, evaluate, recipe, classes, how.active_rows_only)
    n_steps = recipe.n_steps(len(prepared.train.items))
    identity = identity_of(model.digest, train, evaluate, recipe, hooks.average)
    trainings = [open_training(seed, i, hooks, identity, n_steps) for i, seed in enumerate(seeds)]
    with arithmetic(recipe):
        shared = make_shared_setup(network, prepared, recipe, how, n_steps, device)
        session = GroupTrainer(shared, evaluate, tuple(classes), hooks, identity)
        session.places = {seed: place for place, seed in enumerate(seeds)}
        for group in groups(trainings, how, device):
            session.run(group)
    return [training.result or TrainingError("the training was not run") for training in trainings]


def find_device(how: Execution) -> torch.device:
    """The device that was asked for; with "auto" a GPU where there is one."""
    if how.device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(how.device)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        first = str(error).splitlines()[0]
        raise UsageError(
            f"execution: the device {how.device!r} cannot be used here ({first}); give auto, cpu or cuda"
        ) from None
    return device


@contextmanager
def arithmetic(recipe: Recipe) -> Iterator[None]:
    """Within the block matrix products have the recipe's precision on every device."""
    backend = torch.backends.cuda.matmul
    before = backend.fp32_precision
    backend.fp32_precision = "tf32" if recipe.precision == "tf32" else "ieee"
    try:
        yield
    finally:
        backend.fp32_precision = before


def groups(trainings: Sequence[SeedTraining], how: Execution, device: torch.device) -> list[list[SeedTraining]]:
    """Trainings that can run together: those at the same step, as many as are allowed."""
    stacked = how.stack == "always" or (how.stack == "auto" and device.type != "cpu")
    size = how.most_lanes if stacked else 1
    waiting = [training for training in trainings if training.result is None]
    return [group[i : i + size] for group in by_step(waiting) for i in range(0, len(group), size)]


class GroupTrainer:
    """Trains groups of seeds to their end, each group as one stack; all groups share one setup."""

    def __init__(
        self,
        shared: SharedSetup,
        evaluate: Mapping[str, Examples],
        classes: tuple[str, ...],
        hooks: Hooks,
        identity: str,
    ) -> None:
        self.shared = shared
        self.evaluate = evaluate
        self.classes = classes
        self.hooks = hooks
        self.identity = identity
        self.points = shared.recipe.points(len(shared.prepared.train.lengths))
        self.evaluation_tokens = shared.how.tokens_of_evaluation(shared.device.type)
        self._wrote = time.monotonic()
        self.places: dict[Seeds, int] = {}

    def run(self, trainings: Sequence[SeedTraining]) -> None:
        """Train a group to its end; where memory is too small for all of it, in halves."""
        waiting: deque[list[SeedTraining]] = deque([list(trainings)])
        while waiting:
            group = waiting.popleft()
            try:
                self._train(self._start(group), group)
                continue
            except torch.OutOfMemoryError as error:
                reason = str(error).split(". ")[0]
            release(self.shared.device)
            if len(group) == 1:
                group[0].result = TrainingError(
                    f"there is too little memory even for one item at a time ({group[0].seeds}): {reason}"
                )
            else:
                waiting.extendleft(self._halves([training for training in group if training.result is None]))

    def _halves(self, group: list[SeedTraining]) -> list[list[SeedTraining]]:
        """The group in two, to start again from their last snapshots or from the beginning."""
        for training in group:
            training.rewind(self.identity)
        middle = len(group) // 2
        return [same for part in (group[middle:], group[:middle]) for same in by_step(part)]

    def _start(self, trainings: Sequence[SeedTraining]) -> SeedStack:
        """A stack of the trainings' seeds, at the step that they are at."""
        seeds = [training.seeds for training in trainings]
        states = [training.state for training in trainings if training.state is not None]
        if states:
            return SeedStack(self.shared, seeds, _restore(states, self.shared), trainings[0].n_done)
        state = OptimizerState.fresh(initial_parameters(self.shared, seeds), self.hooks.average)
        return SeedStack(self.shared, seeds, state, trainings[0].n_done)

    def _train(self, stack: SeedStack, trainings: list[SeedTraining]) -> None:
        self.shared.network.module.train()
        stepper = make_stepper(stack)
        if stack.n_done == 0 and 0 in self.points and not trainings[0].points:
            self._evaluate(stack, trainings)
        tell(SKIPPED, stack.n_done * stack.n)
        while trainings and stack.n_done < self.shared.n_steps:
            self._advance(stack, stepper, trainings)
            self._tell(stack, trainings)
            done = stack.n_done
            is_point, is_last = done in self.points, done == self.shared.n_steps
            if not (is_point or is_last or done % self.shared.how.look_every == 0 or self._is_due()):
                continue
            ended = self._look(stack, trainings, is_point, is_last)
            if any(ended):
                kept = [i for i, end in enumerate(ended) if not end]
                trainings = [trainings[i] for i in kept]
                if kept:
                    stack = self._narrowed(stack, kept)
                    stepper = make_stepper(stack)
            if trainings and self._is_due():
                self._snapshot(stack, trainings)

    def _advance(self, stack: SeedStack, stepper: object, trainings: Sequence[SeedTraining]) -> None:
        """One step; when memory runs out, again with half the micro-batch."""
        while True:
            try:
                stepper()  # type: ignore[operator]
                break
            except torch.OutOfMemoryError:
                if stack.micro_batch == 1:
                    raise
            stack.micro_batch = -(-stack.micro_batch // 2)
            for training in trainings:
                training.n_halvings += 1
            release(self.shared.device)
        stack.n_done += 1
        for training in trainings:
            training.n_done = stack.n_done
            training.micro_batch = stack.micro_batch
            training.n_lanes = max(training.n_lanes, stack.n)
        if self.hooks.progress is not None:
            self.hooks.progress(Progress(stack.seeds, stack.n_done, self.shared.n_steps))

    def _tell(self, stack: SeedStack, trainings: Sequence[SeedTraining]) -> None:
        """Tell whoever watches of a step; where that ends the work, leave a snapshot unless an evaluation is due."""
        try:
            tell(STEPS, stack.n)
        except CutShortError:
            if self.hooks.scratch and stack.n_done not in self.points and stack.n_done < self.shared.n_steps:
                ended = self._look(stack, trainings, is_point=False, is_last=False)
                if not any(ended):
                    self._snapshot(stack, trainings)
            raise

    def _look(self, stack: SeedStack, trainings: Sequence[SeedTraining], is_point: bool, is_last: bool) -> list[bool]:
        """Fetch losses, evaluate at a point, and say which seeds have ended."""
        losses, norms = stack.losses.cpu().numpy(), stack.norms.cpu().numpy()
        for i, (training, alive) in enumerate(zip(trainings, stack.alive(), strict=True)):
            training.take_losses(losses[:, i], norms[:, i], stack.n_done)
            if not alive:
                training.fail(self.shared.recipe)
        if is_point:
            self._evaluate(stack, trainings)
        for i, training in enumerate(trainings):
            if training.result is None and (is_last or training.stopped_at is not None):
                self._finish(stack, training, i)
        return [training.result is not None for training in trainings]

    def _evaluate(self, stack: SeedStack, trainings: Sequence[SeedTraining]) -> None:
        """Logits of every set at a point, which counts in the average where one is kept."""
        found = self._predict(stack.with_fixed_rows(self._decay(stack.n_done)))
        if stack.n_done > 0:
            stack.state.add_to_sums()
        for i, training in enumerate(trainings):
            if training.result is None:
                training.take_logits(stack.n_done, self._sets([logits[i] for logits in found]))
                self._consider_stopping(training)

    def _predict(self, parameters: Tensors) -> list[Floats]:
        """Logits of all items, in one pass sorted by length; in smaller batches when memory runs out."""
        while True:
            try:
                packed = self.shared.prepared.evaluate
                return predict_items(self.shared.placed, parameters, packed, self.evaluation_tokens)
            except torch.OutOfMemoryError:
                if self.evaluation_tokens < 2:
                    raise
            self.evaluation_tokens //= 2
            release(self.shared.device)

    def _decay(self, n_done: int) -> float:
        return decay_factor(self.shared.recipe, n_done, self.shared.n_steps)

    def _averaged(self, stack: SeedStack, training: SeedTraining, place: int) -> dict[str, Floats] | None:
        """The logits of one seed's mean weights; seed by seed, so that little more memory is needed."""
        if not self.hooks.average:
            return None
        decays = [self._decay(point) for point in training.points if point > 0]
        return self._sets([logits[0] for logits in self._predict(stack.averaged(place, decays))])

    def _sets(self, logits: Sequence[Floats]) -> dict[str, Floats]:
        """One seed's logits by set; for token tasks those of every word's first token."""
        starts = self.shared.prepared.evaluate.starts
        rows: list[Floats] = list(logits)
        if starts is not None:
            rows = [_at_words(logit, start) for logit, start in zip(logits, starts, strict=True)]
        windows = self.shared.prepared.windows
        if windows is not None:
            rows = list(read_answers(rows, windows, may_be_absent=self.shared.prepared.may_be_absent))
        join = np.concatenate if starts is not None else np.stack
        empty = np.zeros((0, 3 if windows is not None else max(1, len(self.classes))), np.float32)
        return {name: join(rows[a:b]) if b > a else empty for name, (a, b) in self.shared.prepared.bounds.items()}

    def _consider_stopping(self, training: SeedTraining) -> None:
        rule = self.shared.recipe.early_stopping
        if rule is None or not training.points or training.points[-1] == 0:
            return
        items = self.evaluate[rule.on]
        if rule.rule == "answer_f1":
            scores = [score_answers(found, items) for found in training.logits[rule.on]]
            if len(scores) - 1 - int(np.argmax(scores)) >= rule.patience:
                training.stopped_at = training.n_done
            return
        if self.shared.recipe.task == "tokens":
            labels = [label for labels in items.word_labels or () for label in labels]
        else:
            labels = list(items.labels or ())  # type: ignore[arg-type]
        codes = label_codes(self.classes, labels)
        if rule.rule == "span_f1":
            lengths = [len(labels) for labels in items.word_labels or ()]
            scores = [score_tagged(logits, codes, lengths, self.classes) for logits in training.logits[rule.on]]
        else:
            scores = [score_logits(rule.rule, logits, codes) for logits in training.logits[rule.on]]
        if len(scores) - 1 - int(np.argmax(scores)) >= rule.patience:
            training.stopped_at = training.n_done

    def _finish(self, stack: SeedStack, training: SeedTraining, place: int) -> None:
        if training.weights is not None:
            self.shared.network.save(whole_state(stack, place), training.weights)
        used_rows = self.shared.prepared.used_rows
        conduct = ExecutionFacts(
            str(self.shared.device),
            training.n_lanes,
            training.micro_batch,
            training.n_halvings,
            tuple(training.resumed_at),
            None if used_rows is None else len(used_rows.learned),
            stack.captured,
        )
        items = {name: found.ids for name, found in self.evaluate.items()}
        averaged = self._averaged(stack, training, place)
        training.finish(self.classes, items, dict(self.shared.prepared.n_truncated), conduct, averaged)
        is_alone = training.n_lanes == 1 and len(self.places) > 1
        if self.hooks.finished is not None and is_alone and isinstance(training.result, TrainingOutcome):
            self.hooks.finished(self.places[training.seeds], training.result)

    def _narrowed(self, stack: SeedStack, kept: Sequence[int]) -> SeedStack:
        narrowed = SeedStack(self.shared, [stack.seeds[i] for i in kept], stack.select(kept), stack.n_done)
        narrowed.micro_batch = stack.micro_batch
        narrowed.losses.copy_(stack.losses[:, list(kept)])
        narrowed.norms.copy_(stack.norms[:, list(kept)])
        return narrowed

    def _is_due(self) -> bool:
        return bool(self.hooks.scratch) and time.monotonic() - self._wrote >= self.shared.how.snapshot_seconds

    def _snapshot(self, stack: SeedStack, trainings: Sequence[SeedTraining]) -> None:
        for i, training in enumerate(trainings):
            training.write(self.identity, stack.select([i], torch.device("cpu")))
        self._wrote = time.monotonic()


def whole_state(stack: SeedStack, place: int) -> dict[str, torch.Tensor]:
    """All parameters of one seed, with every row of the embedding."""
    shared = stack.shared
    state = {name: tensor[place].detach().cpu() for name, tensor in stack.state.parameters.items()}
    name, used_rows = shared.network.embedding, shared.prepared.used_rows
    if name is not None and used_rows is not None:
        drawn = shared.network.drawn(stack.seeds[place].init)
        table = drawn.get(name, dict(shared.network.module.named_parameters())[name].detach()).clone()
        table *= decay_factor(shared.recipe, stack.n_done, shared.n_steps)
        table[torch.from_numpy(used_rows.learned)] = state[name]
        state[name] = table
    return state


def predict_with(model: Trainable, examples: Examples, recipe: Recipe, n_outputs: int, how: Execution) -> Floats:
    """Logits of a model as it is; those of every word, one after the other, for token tasks."""
    bare = examples.without_labels()
    network = model.load(recipe.task, n_outputs, bare)
    tokens = network.tokenize(bare, recipe.max_length)
    packed = pack(tokens, entry_ids(bare.ids, tokens), network.pad_id, None)
    drawn = network.drawn(0)
    with arithmetic(recipe):
        placed = place_module(network.module, find_device(how), recipe.precision)
        given = {
            name: drawn.get(name, t.detach()).to(placed.device)[None] for name, t in network.module.named_parameters()
        }
        found = predict_items(placed, given, packed, how.tokens_of_evaluation(placed.device.type))
    if tokens.windows is not None:
        return read_answers([logits[0] for logits in found], tokens.windows, may_be_absent=may_be_absent(examples))
    starts = packed.starts
    if starts is None:
        return np.stack([logits[0] for logits in found])
    return np.concatenate([_at_words(logits[0], start) for logits, start in zip(found, starts, strict=True)])


def n_outputs(recipe: Recipe, classes: Sequence[str]) -> int:
    """How many numbers the model gives: one for each class, one in a regression, two of each token for questions."""
    return 2 if recipe.task == "question" else max(1, len(classes))


def release(device: torch.device) -> None:
    """Give memory that is free but held back to the device."""
    if device.type == "cuda":
        torch.cuda.empty_cache()


def _at_words(logits: Floats, starts: Ints) -> Floats:
    found: Floats = logits[np.maximum(starts, 0)]
    found[starts < 0] = np.nan
    return found


def by_step(trainings: Sequence[SeedTraining]) -> list[list[SeedTraining]]:
    """Trainings grouped by the step that they are at."""
    found: dict[int, list[SeedTraining]] = {}
    for training in trainings:
        found.setdefault(training.n_done, []).append(training)
    return list(found.values())


def _restore(states: Sequence[OptimizerState], shared: SharedSetup) -> OptimizerState:
    """A stack's state from snapshots, each of one seed; parameters in the module's order, in which norms are summed."""
    names = [name for name, _ in shared.network.module.named_parameters()]
    parts = zip(*(state.parts() for state in states), strict=True)
    return OptimizerState(
        *(
            {name: torch.cat([p[name] for p in part]).to(shared.device) for name in names if name in part[0]}
            for part in parts
        )
    )
