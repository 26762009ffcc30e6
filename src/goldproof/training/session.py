"""The course of a training: steps, evaluations, snapshots, and what is done when memory or a seed fails. Imports
torch.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from goldproof.errors import TrainingError, UsageError
from goldproof.models.examples import Examples
from goldproof.models.protocols import Floats, Trainable
from goldproof.training.batching import Ints, pack, prepare
from goldproof.training.finetune import Hooks
from goldproof.training.graphs import make_stepper
from goldproof.training.inference import make_runtime, predict_items
from goldproof.training.optimizer import Moments, Tensors, decay_factor
from goldproof.training.outcome import Conduct, Outcome, Progress
from goldproof.training.recipe import Execution, Recipe, Seeds
from goldproof.training.selection import label_codes, score_logits
from goldproof.training.stacked import Board, Lanes, initial_parameters, make_board
from goldproof.training.tracks import Track, identity_of, open_track


def run(  # noqa: PLR0913  the arguments of finetune_many, checked, with the classes
    model: Trainable,
    train: Examples,
    evaluate: Mapping[str, Examples],
    recipe: Recipe,
    seeds: Sequence[Seeds],
    how: Execution,
    hooks: Hooks,
    classes: Sequence[str],
) -> list[Outcome | TrainingError]:
    """Train every seed; groups of those that start from the same step run together."""
    device = find_device(how)
    network = model.load(recipe.task, max(1, len(classes)), train)
    if recipe.precision == "bfloat16" and not network.takes_bfloat16:
        raise UsageError("recipe: this model cannot be trained in bfloat16 by transformers; give float32 or tf32")
    prepared = prepare(network, train, evaluate, recipe, classes, how.active_rows_only)
    n_steps = recipe.n_steps(train.n)
    identity = identity_of(model.digest, train, evaluate, recipe, hooks.average)
    tracks = [open_track(seed, i, hooks, identity, n_steps) for i, seed in enumerate(seeds)]
    with arithmetic(recipe):
        board = make_board(network, prepared, recipe, how, n_steps, device)
        session = Session(board, evaluate, tuple(classes), hooks, identity)
        for group in groups(tracks, how, device):
            session.run(group)
    return [track.result or TrainingError("the training was not run") for track in tracks]


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


def groups(tracks: Sequence[Track], how: Execution, device: torch.device) -> list[list[Track]]:
    """Tracks that can run together: those at the same step, as many as are allowed."""
    stacked = how.stack == "always" or (how.stack == "auto" and device.type != "cpu")
    size = how.most_lanes if stacked else 1
    waiting = [track for track in tracks if track.result is None]
    return [group[i : i + size] for group in by_step(waiting) for i in range(0, len(group), size)]


class Session:
    """Runs groups of tracks over one board."""

    def __init__(
        self, board: Board, evaluate: Mapping[str, Examples], classes: tuple[str, ...], hooks: Hooks, identity: str
    ) -> None:
        self.board = board
        self.evaluate = evaluate
        self.classes = classes
        self.hooks = hooks
        self.identity = identity
        self.points = board.recipe.points(len(board.prepared.train.lengths))
        self.evaluation_tokens = board.how.tokens_of_evaluation(board.device.type)
        self._wrote = time.monotonic()

    def run(self, tracks: Sequence[Track]) -> None:
        """Train a group to its end; where memory is too small for all of it, in halves."""
        waiting: deque[list[Track]] = deque([list(tracks)])
        while waiting:
            group = waiting.popleft()
            try:
                self._train(self._start(group), group)
                continue
            except torch.OutOfMemoryError as error:
                reason = str(error).split(". ")[0]
            release(self.board.device)
            if len(group) == 1:
                group[0].result = TrainingError(
                    f"memory is too small even for one item at a time ({group[0].seeds}): {reason}"
                )
            else:
                waiting.extendleft(self._halves([track for track in group if track.result is None]))

    def _halves(self, group: list[Track]) -> list[list[Track]]:
        """The group in two, to start again from their last snapshots or from the beginning."""
        for track in group:
            track.rewind(self.identity)
        middle = len(group) // 2
        return [same for part in (group[middle:], group[:middle]) for same in by_step(part)]

    def _start(self, tracks: Sequence[Track]) -> Lanes:
        """Lanes at the step that the tracks are at."""
        seeds = [track.seeds for track in tracks]
        states = [track.state for track in tracks if track.state is not None]
        if states:
            return Lanes(self.board, seeds, _restore(states, self.board), tracks[0].n_done)
        moments = Moments.fresh(initial_parameters(self.board, seeds), self.hooks.average)
        return Lanes(self.board, seeds, moments, tracks[0].n_done)

    def _train(self, lanes: Lanes, tracks: list[Track]) -> None:
        self.board.network.module.train()
        stepper = make_stepper(lanes)
        if lanes.n_done == 0 and 0 in self.points and not tracks[0].points:
            self._evaluate(lanes, tracks)
        while tracks and lanes.n_done < self.board.n_steps:
            self._advance(lanes, stepper, tracks)
            done = lanes.n_done
            is_point, is_last = done in self.points, done == self.board.n_steps
            if not (is_point or is_last or done % self.board.how.look_every == 0 or self._is_due()):
                continue
            ended = self._look(lanes, tracks, is_point, is_last)
            if any(ended):
                kept = [i for i, end in enumerate(ended) if not end]
                tracks = [tracks[i] for i in kept]
                if kept:
                    lanes = self._narrowed(lanes, kept)
                    stepper = make_stepper(lanes)
            if tracks and self._is_due():
                self._snapshot(lanes, tracks)

    def _advance(self, lanes: Lanes, stepper: object, tracks: Sequence[Track]) -> None:
        """One step; when memory runs out, again with half the micro-batch."""
        while True:
            try:
                stepper(lanes.widths[lanes.n_done])  # type: ignore[operator]
                break
            except torch.OutOfMemoryError:
                if lanes.micro_batch == 1:
                    raise
            lanes.micro_batch = -(-lanes.micro_batch // 2)
            for track in tracks:
                track.n_halvings += 1
            release(self.board.device)
        lanes.n_done += 1
        for track in tracks:
            track.n_done = lanes.n_done
            track.micro_batch = lanes.micro_batch
            track.n_lanes = max(track.n_lanes, lanes.n)
        if self.hooks.progress is not None:
            self.hooks.progress(Progress(lanes.seeds, lanes.n_done, self.board.n_steps))

    def _look(self, lanes: Lanes, tracks: Sequence[Track], is_point: bool, is_last: bool) -> list[bool]:
        """Fetch losses, evaluate at a point, and say which lanes have ended."""
        losses, norms = lanes.losses.cpu().numpy(), lanes.norms.cpu().numpy()
        for i, (track, alive) in enumerate(zip(tracks, lanes.alive(), strict=True)):
            track.take_losses(losses[:, i], norms[:, i], lanes.n_done)
            if not alive:
                track.fail(self.board.recipe)
        if is_point:
            self._evaluate(lanes, tracks)
        for i, track in enumerate(tracks):
            if track.result is None and (is_last or track.stopped_at is not None):
                self._finish(lanes, track, i)
        return [track.result is not None for track in tracks]

    def _evaluate(self, lanes: Lanes, tracks: Sequence[Track]) -> None:
        """Logits of every set at a point, which counts in the average where one is kept."""
        found = self._predict(lanes.with_fixed_rows(self._decay(lanes.n_done)))
        if lanes.n_done > 0:
            lanes.moments.add_to_sums()
        for i, track in enumerate(tracks):
            if track.result is None:
                track.take_logits(lanes.n_done, self._sets([logits[i] for logits in found]))
                self._consider_stopping(track)

    def _predict(self, parameters: Tensors) -> list[Floats]:
        """Logits of all items, in one pass sorted by length; in smaller batches when memory runs out."""
        while True:
            try:
                packed = self.board.prepared.evaluate
                return predict_items(self.board.runtime, parameters, packed, self.evaluation_tokens)
            except torch.OutOfMemoryError:
                if self.evaluation_tokens < 2:
                    raise
            self.evaluation_tokens //= 2
            release(self.board.device)

    def _decay(self, n_done: int) -> float:
        return decay_factor(self.board.recipe, n_done, self.board.n_steps)

    def _averaged(self, lanes: Lanes, track: Track, lane: int) -> dict[str, Floats] | None:
        """The logits of one lane's mean weights; lane by lane, so that little more memory is needed."""
        if not self.hooks.average:
            return None
        decays = [self._decay(point) for point in track.points if point > 0]
        return self._sets([logits[0] for logits in self._predict(lanes.averaged(lane, decays))])

    def _sets(self, logits: Sequence[Floats]) -> dict[str, Floats]:
        """One lane's logits by set; for token tasks those of every word's first token."""
        starts = self.board.prepared.evaluate.starts
        rows: list[Floats] = list(logits)
        if starts is not None:
            rows = [_at_words(logit, start) for logit, start in zip(logits, starts, strict=True)]
        n_outputs = max(1, len(self.classes))
        join = np.concatenate if starts is not None else np.stack
        empty = np.zeros((0, n_outputs), np.float32)
        return {name: join(rows[a:b]) if b > a else empty for name, (a, b) in self.board.prepared.bounds.items()}

    def _consider_stopping(self, track: Track) -> None:
        rule = self.board.recipe.early_stopping
        if rule is None or not track.points or track.points[-1] == 0:
            return
        items = self.evaluate[rule.on]
        if self.board.recipe.task == "tokens":
            labels = [label for labels in items.word_labels or () for label in labels]
        else:
            labels = list(items.labels or ())  # type: ignore[arg-type]
        codes = label_codes(self.classes, labels)
        scores = [score_logits(rule.rule, logits, codes) for logits in track.logits[rule.on]]
        if len(scores) - 1 - int(np.argmax(scores)) >= rule.patience:
            track.stopped_at = track.n_done

    def _finish(self, lanes: Lanes, track: Track, lane: int) -> None:
        if track.weights is not None:
            self.board.network.save(whole_state(lanes, lane), track.weights)
        vocabulary = self.board.prepared.vocabulary
        conduct = Conduct(
            str(self.board.device),
            track.n_lanes,
            track.micro_batch,
            track.n_halvings,
            tuple(track.resumed_at),
            None if vocabulary is None else len(vocabulary.learned),
            lanes.captured,
        )
        items = {name: found.ids for name, found in self.evaluate.items()}
        averaged = self._averaged(lanes, track, lane)
        track.finish(self.classes, items, dict(self.board.prepared.n_truncated), conduct, averaged)

    def _narrowed(self, lanes: Lanes, kept: Sequence[int]) -> Lanes:
        narrowed = Lanes(self.board, [lanes.seeds[i] for i in kept], lanes.select(kept), lanes.n_done)
        narrowed.micro_batch = lanes.micro_batch
        narrowed.losses.copy_(lanes.losses[:, list(kept)])
        narrowed.norms.copy_(lanes.norms[:, list(kept)])
        return narrowed

    def _is_due(self) -> bool:
        return bool(self.hooks.scratch) and time.monotonic() - self._wrote >= self.board.how.snapshot_seconds

    def _snapshot(self, lanes: Lanes, tracks: Sequence[Track]) -> None:
        for i, track in enumerate(tracks):
            track.write(self.identity, lanes.select([i], torch.device("cpu")))
        self._wrote = time.monotonic()


def whole_state(lanes: Lanes, lane: int) -> dict[str, torch.Tensor]:
    """All parameters of one lane, with every row of the embedding."""
    board = lanes.board
    state = {name: tensor[lane].detach().cpu() for name, tensor in lanes.moments.parameters.items()}
    name, vocabulary = board.network.embedding, board.prepared.vocabulary
    if name is not None and vocabulary is not None:
        drawn = board.network.drawn(lanes.seeds[lane].init)
        table = drawn.get(name, dict(board.network.module.named_parameters())[name].detach()).clone()
        table *= decay_factor(board.recipe, lanes.n_done, board.n_steps)
        table[torch.from_numpy(vocabulary.learned)] = state[name]
        state[name] = table
    return state


def predict_with(model: Trainable, examples: Examples, recipe: Recipe, n_outputs: int, how: Execution) -> Floats:
    """Logits of a model as it is; those of every word, one after the other, for token tasks."""
    bare = examples.without_labels()
    network = model.load(recipe.task, n_outputs, bare)
    tokens = network.tokenize(bare, recipe.max_length)
    packed = pack(tokens, bare.ids, network.pad_id, None)
    drawn = network.drawn(0)
    with arithmetic(recipe):
        runtime = make_runtime(network.module, find_device(how), recipe.precision)
        given = {
            name: drawn.get(name, t.detach()).to(runtime.device)[None] for name, t in network.module.named_parameters()
        }
        found = predict_items(runtime, given, packed, how.tokens_of_evaluation(runtime.device.type))
    starts = packed.starts
    if starts is None:
        return np.stack([logits[0] for logits in found])
    return np.concatenate([_at_words(logits[0], start) for logits, start in zip(found, starts, strict=True)])


def release(device: torch.device) -> None:
    """Give memory that is free but held back to the device."""
    if device.type == "cuda":
        torch.cuda.empty_cache()


def _at_words(logits: Floats, starts: Ints) -> Floats:
    found: Floats = logits[np.maximum(starts, 0)]
    found[starts < 0] = np.nan
    return found


def by_step(tracks: Sequence[Track]) -> list[list[Track]]:
    """Tracks grouped by the step that they are at."""
    found: dict[int, list[Track]] = {}
    for track in tracks:
        found.setdefault(track.n_done, []).append(track)
    return list(found.values())


def _restore(states: Sequence[Moments], board: Board) -> Moments:
    """Lanes from snapshots, each of one lane; parameters in the module's order, in which norms are summed."""
    names = [name for name, _ in board.network.module.named_parameters()]
    parts = zip(*(state.parts() for state in states), strict=True)
    return Moments(
        *(
            {name: torch.cat([p[name] for p in part]).to(board.device) for name in names if name in part[0]}
            for part in parts
        )
    )
