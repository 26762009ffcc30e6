"""Whether a masked language model fills in the first removed word, in the original and in the corrupted text.

One mask stands for the whole word, so a word that the tokenizer splits into several pieces cannot be guessed; such
questions count as wrong, as in Talman et al. (2022, Table 5), and their number is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from goldproof.builders.corruption.removal import Cloze, make_cloze
from goldproof.builders.tagging import read_table
from goldproof.data.dataset import Dataset
from goldproof.errors import ModelError, UsageError
from goldproof.extras import require
from goldproof.jobs import step
from goldproof.jobs.names import named
from goldproof.models.protocols import RUNNING
from goldproof.models.source import ModelSource
from goldproof.models.transformer import n_reserved_positions
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import wilson
from goldproof.statistics.proportions import mcnemar, paired_proportions


@named("measures.Guess")
@dataclass(frozen=True, slots=True)
class ClozeGuess:
    """A question's word and what the model put in its place: in the original and in the corrupted text."""

    word: str
    original: str
    corrupted: str
    one_piece: bool


@dataclass(frozen=True, slots=True)
class ClozeAccuracy:
    """Accuracy in both texts, their paired difference (original − corrupted) and McNemar's mid-p.

    `n_several_pieces` questions ask for a word that no single piece can fill.
    """

    original: Estimate
    corrupted: Estimate
    difference: Estimate
    p_value: float
    n_several_pieces: int


@step(version=1, name="goldproof.ask_masked", requires=(RUNNING,))
def ask_masked(
    model: ModelSource, data: Dataset, taggings: pa.Table, classes: tuple[str, ...], preset: str = "offsets"
) -> list[ClozeGuess]:
    """What the masked language model in a folder puts in the place of the first word of the classes in each text.

    Texts are those of both columns, each distinct one once; those without such a word are left out.
    """
    require(RUNNING)
    from goldproof.models.transformer_network import load_masked

    network, tokenizer = load_masked(model.folder)
    known = read_table(taggings)
    texts = dict.fromkeys(text for text in [*data.texts, *data.pairs] if text is not None)
    asked = (make_cloze(text, known[text], classes, tokenizer.mask_token, preset) for text in texts)
    return guess_words(network, tokenizer, [question for question in asked if question is not None])


def guess_words(model: Any, tokenizer: Any, questions: Sequence[Cloze], batch_size: int = 32) -> list[ClozeGuess]:
    """What a masked language model of transformers puts in the place of each question's mask.

    The questions must hold the tokenizer's own mask. Texts too long for the model lose their end; where the mask goes
    with it, the guess is empty.
    """
    if tokenizer.mask_token is None:
        raise ModelError("the tokenizer has no mask; a masked language model is needed")
    for question in questions:
        if tokenizer.mask_token not in question.original or tokenizer.mask_token not in question.corrupted:
            raise UsageError(f"a question has no mask {tokenizer.mask_token!r}: {question.original!r}")
    originals = _fill(model, tokenizer, [question.original for question in questions], batch_size)
    corrupted = _fill(model, tokenizer, [question.corrupted for question in questions], batch_size)
    return [
        ClozeGuess(question.word, first, second, _is_one_piece(tokenizer, question.word))
        for question, first, second in zip(questions, originals, corrupted, strict=True)
    ]


def cloze_accuracy(guesses: Sequence[ClozeGuess]) -> ClozeAccuracy:
    """How often the word was guessed; letter case does not count.

    >>> found = cloze_accuracy([ClozeGuess("cat", "cat", "dog", True), ClozeGuess("Sun", "sun", "sun", True)])
    >>> found.original.value, found.corrupted.value
    (1.0, 0.5)
    """
    if not guesses:
        raise UsageError("cloze accuracy needs at least one guess; got none")
    first = [guess.original.lower() == guess.word.lower() for guess in guesses]
    second = [guess.corrupted.lower() == guess.word.lower() for guess in guesses]
    only_first = sum(a and not b for a, b in zip(first, second, strict=True))
    only_second = sum(b and not a for a, b in zip(first, second, strict=True))
    n = len(guesses)
    return ClozeAccuracy(
        wilson(sum(first), n),
        wilson(sum(second), n),
        paired_proportions(only_first, only_second, n),
        mcnemar(only_first, only_second),
        sum(not guess.one_piece for guess in guesses),
    )


def _fill(model: Any, tokenizer: Any, texts: Sequence[str], batch_size: int) -> list[str]:
    """The likeliest piece at the first mask of each text, as text; texts of about the same length together."""
    import torch

    model.eval()
    reserved = n_reserved_positions(model.config.model_type, getattr(model.config, "pad_token_id", 0) or 0)
    longest = min(int(tokenizer.model_max_length), int(model.config.max_position_embeddings) - reserved)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    filled = [""] * len(texts)
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        batch = tokenizer(
            [texts[i] for i in rows], padding=True, truncation=True, max_length=longest, return_tensors="pt"
        ).to(model.device)
        is_mask = batch["input_ids"] == tokenizer.mask_token_id
        with torch.inference_mode():
            scores = _scores_at(model, batch, is_mask.int().argmax(dim=1))
        for row, piece, has_mask in zip(rows, scores.argmax(dim=-1).tolist(), is_mask.any(dim=1).tolist(), strict=True):
            filled[row] = tokenizer.decode([piece]).strip() if has_mask else ""
    return filled


def _scores_at(model: Any, batch: Any, places: Any) -> Any:
    """The scores of all pieces at one place of each text, texts × pieces.

    The last layer, whose work grows with the vocabulary, is asked about these places alone.
    """
    import torch

    rows = torch.arange(len(places), device=places.device)
    last = model.get_output_embeddings()
    if last is None:
        return model(**batch).logits[rows, places]
    hook = last.register_forward_pre_hook(lambda _, given: (given[0][rows, places][:, None],))
    try:
        return model(**batch).logits[:, 0]
    finally:
        hook.remove()


def _is_one_piece(tokenizer: Any, word: str) -> bool:
    """Whether the word, with a space before it, is one piece."""
    return len(tokenizer(" " + word, add_special_tokens=False)["input_ids"]) == 1
