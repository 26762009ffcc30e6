"""Log-likelihoods of answers, with what questions share computed once. Imports torch.

What all questions begin with (a template, its examples) goes through a decoder once, and its keys and values stand
before every batch. A row then holds the rest of one question and all its answers but for their last tokens: an answer
sees the question and itself, not the other answers (a mask over a tree), so that k answers cost one row and not k. Rows
are sorted by length and go through in batches of a number of tokens. Only the places that answers are read from go
through the output layer.

Not every architecture takes such masks. The first questions of each kind are computed plainly too, one row for each
answer; where the two differ, everything is computed plainly.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from goldproof.jobs.watch import ITEMS, tell

LogLikelihoods = npt.NDArray[np.float64]
TokenIds = tuple[int, ...]
_TOKENS = {"cpu": 512, "cuda": 32_768}  # tokens in a batch, padding included
_SUMMED = {"cuda": 2**26}  # logits whose exponentials are summed at once; on a CPU those of one row, which stay near
_KEPT = 16  # times as many may lie in keys and values
_FEWEST_SHARED = 8  # tokens that are worth a pass of their own
_TOLERANCE = {torch.float32: 1e-3}
_ROUGH = 0.3  # in half precision
_CHECKED = 3


@dataclass(frozen=True, slots=True)
class Coded:
    """Token ids of a question's context and answers; `is_cut` where the context lost its beginning."""

    context: TokenIds
    options: tuple[TokenIds, ...]
    is_cut: bool = False


class DecoderScorer:
    """Log-likelihoods by a model that reads from left to right."""

    def __init__(self, network: Any, batch_tokens: int | None = None) -> None:
        self.network, self.device = network, network.device
        self.batch_tokens = batch_tokens or _TOKENS.get(self.device.type, 8192)
        known = inspect.signature(network.forward).parameters
        self.takes_few = "logits_to_keep" in known
        kinds = set(getattr(network.config, "layer_types", None) or ())
        takes_all = {"position_ids", "past_key_values", "attention_mask"} <= set(known)
        self.is_plain = not takes_all or bool(kinds - {"full_attention", "sliding_attention"})
        self.window = getattr(network.config, "sliding_window", None)
        self.is_checked = False
        _keep_together(network)

    @torch.inference_mode()
    def score(self, questions: Sequence[Coded]) -> list[LogLikelihoods]:
        """The log-likelihood of each answer of each question."""
        found: dict[Coded, LogLikelihoods] = {}
        different = list(dict.fromkeys(questions))
        for is_cut in (False, True):  # what lost its beginning shares none
            group = [question for question in different if question.is_cut == is_cut]
            if group:
                found.update(zip(group, self._score_group(group), strict=True))
        return [found[question] for question in questions]

    def _score_group(self, questions: Sequence[Coded]) -> list[LogLikelihoods]:
        """Of questions that may begin alike."""
        if self.is_plain or (self.window and any(_length(question) > self.window for question in questions)):
            return self._score_plainly(questions)
        values = self._score_shared(questions)
        if not self.is_checked:
            some = questions[:_CHECKED]
            plain = self._score_plainly(some)
            apart = max(float(np.abs(a - b).max(initial=0.0)) for a, b in zip(values, plain, strict=False))
            self.is_checked = len(questions) > 1
            self.is_plain = not apart <= _TOLERANCE.get(self.network.dtype, _ROUGH)
            if self.is_plain:
                return self._score_plainly(questions)
        return values

    def _score_shared(self, questions: Sequence[Coded]) -> list[LogLikelihoods]:
        prefix = _shared_beginning([question.context for question in questions])
        cache = self._read(prefix) if prefix else None
        rows = [_TreeRow.of(question, len(prefix)) for question in questions]
        values: list[LogLikelihoods] = [np.empty(0)] * len(rows)
        for batch in _batches([row.width for row in rows], len(prefix), self.batch_tokens):
            for place, found in zip(batch, self._score_rows([rows[i] for i in batch], cache, len(prefix)), strict=True):
                values[place] = found
            tell(ITEMS, len(batch))
        return values

    def _read(self, prefix: TokenIds) -> Any:
        """The keys and values of what all questions begin with."""
        few = {"logits_to_keep": 1} if self.takes_few else {}
        ids = torch.tensor([prefix], device=self.device)
        return self.network(input_ids=ids, use_cache=True, **few).past_key_values

    def _score_rows(self, rows: Sequence[_TreeRow], cache: Any, n_shared: int) -> list[LogLikelihoods]:
        width = max(len(row.context) for row in rows)
        tail = max(len(row.tail) for row in rows)
        ids = np.zeros((len(rows), width + tail), np.int64)
        kinds = np.full(ids.shape, _PADDING, np.int64)
        places = np.zeros_like(ids)
        for i, row in enumerate(rows):
            start = width - len(row.context)
            inside = slice(start, width + len(row.tail))
            ids[i, inside] = (*row.context, *row.tail)
            kinds[i, inside] = (*[_CONTEXT] * len(row.context), *row.owners)
            places[i, inside] = n_shared + np.array([*range(len(row.context)), *row.depths])
        given: dict[str, Any] = {"input_ids": torch.from_numpy(ids).to(self.device)}
        given["position_ids"] = torch.from_numpy(places).to(self.device)
        given["attention_mask"] = self._tree_mask(torch.from_numpy(kinds).to(self.device), n_shared)
        if cache is not None:
            given["past_key_values"] = copy.deepcopy(cache)
            given["past_key_values"].batch_repeat_interleave(len(rows))
        few = {"logits_to_keep": tail + 1} if self.takes_few else {}
        logits = self.network(**given, use_cache=cache is not None, **few).logits[:, -(tail + 1) :]
        return _read_rows(logits, [row.targets for row in rows])

    def _tree_mask(self, kinds: torch.Tensor, n_shared: int) -> torch.Tensor:
        """What each place may look at: the context, and of answers its own; as numbers that are added to scores."""
        n = kinds.shape[1]
        query, key = kinds[:, :, None], kinds[:, None, :]
        before = torch.ones(n, n, dtype=torch.bool, device=self.device).tril()
        seen = ((key == _CONTEXT) | (key == query)) & (key != _PADDING) & before
        seen |= torch.eye(n, dtype=torch.bool, device=self.device)
        shared = seen.new_ones(len(kinds), n, n_shared)
        whole = torch.cat([shared, seen], dim=2)[:, None]
        least = torch.finfo(self.network.dtype).min
        return torch.zeros(whole.shape, dtype=self.network.dtype, device=self.device).masked_fill_(~whole, least)

    def _score_plainly(self, questions: Sequence[Coded]) -> list[LogLikelihoods]:
        """One row for each answer, with nothing shared."""
        flat = [(i, o) for i, question in enumerate(questions) for o in range(len(question.options))]
        rows = [(*questions[i].context, *questions[i].options[o])[:-1] for i, o in flat]
        values = [np.empty(len(question.options)) for question in questions]
        for batch in _batches([len(row) for row in rows], 0, self.batch_tokens):
            width = max(len(rows[place]) for place in batch)
            ids = torch.zeros(len(batch), width, dtype=torch.int64)
            mask = torch.zeros_like(ids)
            for i, place in enumerate(batch):
                ids[i, : len(rows[place])] = torch.tensor(rows[place])
                mask[i, : len(rows[place])] = 1
            logits = self.network(input_ids=ids.to(self.device), attention_mask=mask.to(self.device)).logits
            for i, place in enumerate(batch):
                item, option = flat[place]
                answer = questions[item].options[option]
                end = len(rows[place])
                values[item][option] = _sum(logits[i, end - len(answer) : end], answer)
            tell(ITEMS, len(batch) * len(questions) / len(flat))
        return values


class EncoderDecoderScorer:
    """Log-likelihoods by a model that reads the question as a whole and then writes: each question is read once."""

    def __init__(self, network: Any, batch_tokens: int | None = None) -> None:
        self.network, self.device = network, network.device
        self.batch_tokens = batch_tokens or _TOKENS.get(self.device.type, 8192)

    @torch.inference_mode()
    def score(self, questions: Sequence[Coded]) -> list[LogLikelihoods]:
        """The log-likelihood of each answer of each question."""
        values: list[LogLikelihoods] = [np.empty(0)] * len(questions)
        for batch in _batches([len(question.context) for question in questions], 0, self.batch_tokens):
            for place, found in zip(batch, self._score_batch([questions[i] for i in batch]), strict=True):
                values[place] = found
            tell(ITEMS, len(batch))
        return values

    def _score_batch(self, questions: Sequence[Coded]) -> list[LogLikelihoods]:
        ids, mask = _padded([question.context for question in questions], self.device)
        read = self.network.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        owner = [i for i, question in enumerate(questions) for _ in question.options]
        answers = [option for question in questions for option in question.options]
        start = self.network.config.decoder_start_token_id
        before, before_mask = _padded([(start, *answer[:-1]) for answer in answers], self.device)
        logits = self.network(
            encoder_outputs=(read[owner],),
            attention_mask=mask[owner],
            decoder_input_ids=before,
            decoder_attention_mask=before_mask,
            use_cache=False,
        ).logits
        sums = iter([_sum(logits[i], answer) for i, answer in enumerate(answers)])
        return [np.array([next(sums) for _ in question.options]) for question in questions]


_PADDING, _CONTEXT = -2, -1


@dataclass(frozen=True, slots=True)
class _TreeRow:
    """The rest of a question and its answers as one row.

    `owners` and `depths` say of each token of the tail to which answer it belongs and at which place after the shared
    beginning it stands; `targets` of each answer which token is read at which place, counted from the context's last.
    """

    context: TokenIds
    tail: TokenIds
    owners: tuple[int, ...]
    depths: tuple[int, ...]
    targets: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def width(self) -> int:
        """How many tokens the row has."""
        return len(self.context) + len(self.tail)

    @classmethod
    def of(cls, question: Coded, n_shared: int) -> _TreeRow:
        """The row of a question without the shared beginning."""
        context = question.context[n_shared:]
        tail: list[int] = []
        owners: list[int] = []
        depths: list[int] = []
        targets = []
        for owner, option in enumerate(question.options):
            first = len(tail) + 1  # the column of its first token, the context's last being 0
            targets.append(tuple((0 if i == 0 else first + i - 1, token) for i, token in enumerate(option)))
            tail += option[:-1]
            owners += [owner] * (len(option) - 1)
            depths += range(len(context), len(context) + len(option) - 1)
        return cls(context, tuple(tail), tuple(owners), tuple(depths), tuple(targets))


def _read_rows(logits: torch.Tensor, targets: Sequence[Sequence[Sequence[tuple[int, int]]]]) -> list[LogLikelihoods]:
    """The sums of each row's answers, from logits (rows, places, tokens)."""
    row, column, token = (
        torch.tensor(part, device=logits.device)
        for part in zip(
            *((i, c, t) for i, answers in enumerate(targets) for answer in answers for c, t in answer), strict=True
        )
    )
    at_once = max(1, _SUMMED.get(logits.device.type, 0) // logits[0].numel())
    log_of_all = torch.cat([torch.logsumexp(each.float(), dim=-1) for each in torch.split(logits, at_once)])
    each = iter((logits[row, column, token].double() - log_of_all[row, column].double()).tolist())
    return [np.array([sum(next(each) for _ in answer) for answer in answers]) for answers in targets]


def _keep_together(network: Any) -> None:
    """Have the output layer read the last places of all rows as one matrix.

    As a slice of a batch they do not lie together in memory; torch then multiplies row by row and, in half precision,
    first copies the whole layer for each row.
    """
    head = network.get_output_embeddings()
    if head is not None:
        head.register_forward_pre_hook(_copied)


def _copied(_: Any, given: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """What goes into a layer, copied: a single place of a longer row counts as lying together, and yet does not."""
    first, *rest = given
    return first.clone(memory_format=torch.contiguous_format), *rest


def _sum(logits: torch.Tensor, answer: TokenIds) -> float:
    """The log-likelihood of an answer, from the logits at the places of its tokens."""
    logits = logits[: len(answer)].float()
    at = torch.tensor(answer, device=logits.device)
    return float((logits.gather(1, at[:, None])[:, 0].double() - torch.logsumexp(logits, dim=-1).double()).sum())


def _padded(rows: Sequence[TokenIds], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.int64)
    mask = torch.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = 1
    return ids.to(device), mask.to(device)


def _batches(widths: Sequence[int], n_shared: int, most: int) -> Iterator[list[int]]:
    """Rows sorted by length, longest first, in batches that fit."""
    order = sorted(range(len(widths)), key=lambda i: -widths[i])
    start = 0
    while start < len(order):
        width = max(1, widths[order[start]])
        size = max(1, min(most // width, _KEPT * most // (width + n_shared)))
        yield order[start : start + size]
        start += size


def _length(question: Coded) -> int:
    return len(question.context) + sum(map(len, question.options))


def _shared_beginning(contexts: Sequence[TokenIds]) -> TokenIds:
    """What all contexts begin with, but for the last token of the shortest; nothing where it is not worth a pass."""
    if len(contexts) < 2:
        return ()
    first, last = min(contexts), max(contexts)
    most = min(map(len, contexts)) - 1
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), most)
    shared = first[: min(same, most)]
    return shared if len(shared) >= _FEWEST_SHARED else ()
