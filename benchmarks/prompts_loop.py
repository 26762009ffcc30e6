"""A plain loop over requests, which does with a decoder what lm-evaluation-harness's transformers backend does, for
machines where that is not installed.

As in `HFLM.loglikelihood` of lm-evaluation-harness 0.4.13: each request (context and continuation) is tokenized by
itself; requests whose tokens are the same but for the last go through the model once; the longest come first; batches
of one number of rows are padded on the right, without an attention mask; the output layer and `log_softmax` are over
all places and the whole vocabulary; what is asked for is read row by row. Nothing else is shared. Numbers are of the
weights' precision throughout, unless `softmax` says otherwise (`softmax_dtype` there). What the harness does besides,
its caches, bars and checks, is left out, so that the loop can only be the faster one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from goldproof.models.protocols import PromptQuestion

MOST = 64  # rows: the harness's `max_batch_size`, with which "auto" begins

Request = tuple[list[int], list[int]]


@dataclass
class PlainLoop:
    """A decoder and its tokenizer, rows in a batch, and the precision of log_softmax (None: that of the logits)."""

    network: Any
    tokenizer: Any
    batch: int
    softmax: torch.dtype | None = None

    @classmethod
    def load(cls, folder: str, precision: str, device: str, batch: int, softmax: str | None = None) -> PlainLoop:
        """As the harness loads them."""
        from transformers import AutoModelForCausalLM, AutoTokenizer

        network = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, precision), local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        kind = None if softmax is None else getattr(torch, softmax)
        return cls(network.to(device).eval(), tokenizer, batch, kind)

    def requests(self, prompts: Sequence[Sequence[PromptQuestion]]) -> list[Request]:
        """Tokens of the context and of what comes after it, of each answer of each question."""
        found = []
        for question in (each for questions in prompts for each in questions):
            kept = question.context.rstrip()
            blanks = question.context[len(kept) :]
            for option in question.options:
                whole = self.tokenizer.encode(kept + blanks + option)
                context = self.tokenizer.encode(kept)
                found.append((context, whole[len(context) :]))
        return found

    def values(self, requests: Sequence[Request]) -> list[float]:
        """The log-likelihood of each request."""
        same: dict[tuple[int, ...], list[int]] = {}
        for place, (context, answer) in enumerate(requests):
            same.setdefault((*context, *answer[:-1]), []).append(place)
        one_of = [max(places, key=lambda i: len(requests[i][1])) for places in same.values()]
        whole = [context + answer for context, answer in requests]
        order = sorted(one_of, key=lambda i: (-len(whole[i]), whole[i]))
        found = [0.0] * len(requests)
        for start in range(0, len(order), self.batch):
            self._batch(requests, order[start : start + self.batch], same, found)
        return found

    def _batch(
        self, requests: Sequence[Request], batch: list[int], same: dict[tuple[int, ...], list[int]], found: list[float]
    ) -> None:
        device = self.network.device
        rows = [torch.tensor((requests[i][0] + requests[i][1])[:-1], device=device) for i in batch]
        width = max(map(len, rows))
        logs = self._logs(torch.stack([F.pad(row, (0, width - len(row))) for row in rows]))
        for log, row, place in zip(logs, rows, batch, strict=True):
            mine = log[len(row) - len(requests[place][1]) : len(row)][None]
            likeliest = mine.argmax(dim=-1)
            for other in same[(*requests[place][0], *requests[place][1][:-1])]:
                answer = torch.tensor(requests[other][1], device=device)[None]
                n = answer.shape[1]
                bool((likeliest[:, -n:] == answer).all())  # `is_greedy`, which each request is told
                found[other] = float(mine[:, -n:].gather(2, answer[..., None]).sum())

    @torch.no_grad()
    def _logs(self, ids: torch.Tensor) -> torch.Tensor:
        return F.log_softmax(self.network(ids).logits, dim=-1, dtype=self.softmax)

    def fit(self, requests: Sequence[Request]) -> None:
        """Take the largest batch with which the longest request fits: 64, or half as often as memory runs out."""
        width = max(len(context) + len(answer) - 1 for context, answer in requests)
        self.batch = MOST
        while self.batch > 1:
            try:
                self._logs(torch.ones((self.batch, width), dtype=torch.int64, device=self.network.device))
                return
            except torch.OutOfMemoryError:
                torch.cuda.empty_cache()
                self.batch //= 2

    def __call__(self, prompts: Sequence[Sequence[PromptQuestion]]) -> np.ndarray:
        """Log-likelihoods of all requests of all prompts, asked at once."""
        return np.array(self.values(self.requests(prompts))).reshape(len(prompts), len(prompts[0]), -1)
