"""Trains a head that fills masks on an encoder that has none, in minutes: what `why.masked_model` can then ask.

    python examples/corruption/masked_model.py --model ENCODER --out FOLDER --keep-out CORPUS:SPLIT … -- CORPUS:SPLIT …

The corpora are those of `goldproof list`, in English; every text of at least four words counts once. ENCODER is a
folder with an encoder of BERT's layout, of which the lowest --layers are used. FOLDER gets a masked language model that
transformers loads.

One pass over the texts. In each, a quarter of the words that the tokenizer leaves whole is masked *in the text*, as a
question of `goldproof run corruption` masks its word; the loss is that of the words behind the masks. The layers, the
head and the rows of those pieces that the texts hold are trained; no other piece can be guessed afterwards. The head
starts from nothing but how often each word is. Left out are texts that share eight words in a row with a text of
--keep-out: name there what the questions will be asked about. Then 2,000 texts that were held out are asked: how often
the word behind the mask comes first and among five, and how many bits it takes, beside a guess by frequency alone.

Every 100 steps all is saved in FOLDER.state; started again, a run that was broken off goes on from there.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from transformers import AutoConfig, AutoTokenizer, BertForMaskedLM

from goldproof.data.corpora.catalog import find_corpus, load

SHARE, BATCH, POOL, LONGEST, SAVE = 0.25, 64, 50, 96, 100
SAME_WORDS, FREQUENT = 8, 100
RATE, HEAD_RATE, WARMUP = 3e-4, 2e-3, 0.06
NEVER = -30.0  # the bias of a piece that no text holds
_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]{2,}(?![\w'’-])")


@dataclass(frozen=True)
class MaskedText:
    """The pieces of a text with masks, and the pieces behind the masks, in order."""

    ids: list[int]
    behind: list[int]


@dataclass(frozen=True)
class Sizes:
    """How many layers of the encoder, how many texts at most to learn from, and how many are held out."""

    layers: int = 6
    most: int = 60_000
    held_out: int = 2000


@dataclass(frozen=True)
class Guessed:
    """Of held-out words: the shares guessed first and among five, bits a word, the same by frequency alone."""

    n: int
    n_rarer: int
    first: float
    among_five: float
    bits: float
    rarer_first: float
    frequency_first: float
    frequency_five: float
    frequency_bits: float


def read_texts(names: Sequence[str]) -> list[str]:
    """Every distinct text of at least four words, of the splits that are named."""
    found: dict[str, None] = {}
    for name in names:
        corpus, _, split = name.partition(":")
        language = "en" if len(find_corpus(corpus)[0].languages) > 1 else None
        data = load(corpus, language=language, split=split or None)
        found.update((text.strip(), None) for text in (*data.texts, *data.pairs) if text and len(text.split()) > 3)
    return list(found)


def runs_of_words(text: str) -> Iterator[tuple[str, ...]]:
    """Every run of eight words of a text, or all of its words where there are fewer."""
    words = re.findall(r"\w+", text.lower())
    for start in range(max(1, len(words) - SAME_WORDS + 1)):
        yield tuple(words[start : start + SAME_WORDS])


def without(texts: Sequence[str], others: Sequence[str]) -> list[str]:
    """The texts that share no run of words with the others."""
    known = {run for other in others for run in runs_of_words(other)}
    return [text for text in texts if known.isdisjoint(runs_of_words(text))]


def mask_text(tokenizer: Any, whole: dict[str, int | None], text: str, rng: np.random.Generator) -> MaskedText | None:
    """A text with a quarter of its whole words masked, at least one; None where it has none or is too long."""
    places = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word not in whole:
            ids = tokenizer(" " + word, add_special_tokens=False)["input_ids"]
            whole[word] = ids[0] if len(ids) == 1 and ids[0] != tokenizer.unk_token_id else None
        if whole[word] is not None:
            places.append(match.span())
    if not places:
        return None
    n = max(1, round(SHARE * len(places)))
    chosen = sorted(int(i) for i in rng.choice(len(places), n, replace=False))
    parts, last, behind = [], 0, []
    for start, end in (places[i] for i in chosen):
        parts += [text[last:start], tokenizer.mask_token]
        behind.append(whole[text[start:end]])
        last = end
    ids = tokenizer("".join([*parts, text[last:]]))["input_ids"]
    return MaskedText(ids, behind) if len(ids) <= LONGEST else None  # type: ignore[arg-type]


class Filler(torch.nn.Module):
    """The encoder with its head, over those pieces alone that the texts hold."""

    def __init__(self, model: BertForMaskedLM, pieces: np.ndarray, counts: np.ndarray) -> None:
        super().__init__()
        self.model = model
        self.pieces = torch.from_numpy(pieces)
        self.table = torch.nn.Parameter(model.bert.embeddings.word_embeddings.weight.detach()[self.pieces].clone())
        self.bias = torch.nn.Parameter(torch.from_numpy(np.log(counts / counts.sum())).float())
        scale = float(self.table.detach().norm(dim=1).mean())
        torch.nn.init.constant_(model.cls.predictions.transform.LayerNorm.weight, 0.1 / scale)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Logits of the pieces at the places, which are numbers of tokens in the batch."""
        states = self.model.bert(inputs_embeds=F.embedding(ids, self.table), attention_mask=mask).last_hidden_state
        asked = self.model.cls.predictions.transform(states.flatten(0, 1)[places])
        return F.linear(asked, self.table, self.bias.to(asked.dtype)).float()

    def whole(self) -> BertForMaskedLM:
        """The model as transformers knows it, all pieces in their places."""
        with torch.no_grad():
            self.model.bert.embeddings.word_embeddings.weight[self.pieces] = self.table
            self.model.cls.predictions.bias.fill_(NEVER)
            self.model.cls.predictions.bias[self.pieces] = self.bias
        return self.model


def batches(texts: Sequence[MaskedText], rng: np.random.Generator) -> Iterator[list[MaskedText]]:
    """Batches of texts of about the same length, in random order."""
    order = rng.permutation(len(texts))
    for start in range(0, len(order), BATCH * POOL):
        pool = sorted(order[start : start + BATCH * POOL], key=lambda i: len(texts[i].ids))
        found = [pool[i : i + BATCH] for i in range(0, len(pool), BATCH)]
        for i in rng.permutation(len(found)):
            yield [texts[j] for j in found[int(i)]]


def tensors(batch: Sequence[MaskedText], place_of: np.ndarray, mask_id: int, pad_id: int) -> tuple[torch.Tensor, ...]:
    """Ids, attention mask, places of the masks, and what is behind them, as numbers among the pieces."""
    longest = max(len(each.ids) for each in batch)
    ids = np.full((len(batch), longest), pad_id)
    for row, each in enumerate(batch):
        ids[row, : len(each.ids)] = each.ids
    behind = np.concatenate([each.behind for each in batch])
    places = np.flatnonzero(ids == mask_id)
    kept = (torch.from_numpy(each) for each in (place_of[ids], (ids != pad_id).astype(np.int64), places))
    return (*kept, torch.from_numpy(place_of[behind]))


def optimizer_of(filler: Filler) -> torch.optim.Optimizer:
    """AdamW, with a higher rate for the head, which starts at random."""
    head = list(filler.model.cls.predictions.transform.parameters())
    rest = [each for each in filler.parameters() if all(each is not one for one in head)]
    parts = [{"params": rest, "peak": RATE}, {"params": head, "peak": HEAD_RATE}]
    return torch.optim.AdamW(parts, lr=RATE, weight_decay=0.01, betas=(0.9, 0.98), fused=True)


def train(filler: Filler, texts: Sequence[MaskedText], place_of: np.ndarray, tokenizer: Any, state: Path) -> None:
    """One pass over the texts: rates that rise and fall linearly, bfloat16 for the products."""
    every, optimizer = list(batches(texts, np.random.default_rng(0))), optimizer_of(filler)
    first, losses, n_tokens = 0, list[float](), 0
    if state.exists():
        kept = torch.load(state, weights_only=True)
        filler.load_state_dict(kept["weights"])
        optimizer.load_state_dict(kept["optimizer"])
        first, losses = kept["step"], kept["losses"]
    filler.train()
    began = time.process_time()
    for step in range(first, len(every)):
        torch.manual_seed(step)
        share = (step + 1) / len(every)
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * min(share / WARMUP, (1 - share) / (1 - WARMUP) + 1e-3)
        ids, mask, places, behind = tensors(every[step], place_of, tokenizer.mask_token_id, tokenizer.pad_token_id)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = filler(ids, mask, places)
        loss = F.cross_entropy(logits, behind)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(filler.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item() / np.log(2).item())
        n_tokens += int(mask.sum())
        if (step + 1) % SAVE == 0 or step + 1 == len(every):
            spent = time.process_time() - began
            kept = {"weights": filler.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
            torch.save({**kept, "losses": losses}, state.with_suffix(".part"))
            state.with_suffix(".part").replace(state)
            say(f"step {step + 1} of {len(every)}: {np.mean(losses[-SAVE:]):.2f} bits, {n_tokens / spent:.0f} tokens/s")


@torch.no_grad()
def ask(
    filler: Filler, texts: Sequence[MaskedText], place_of: np.ndarray, tokenizer: Any, counts: np.ndarray
) -> Guessed:
    """What the held-out words come to; those that no training text holds count as wrong and are in no bits."""
    filler.eval()
    chance = np.log2(counts / counts.sum())
    by_count = np.argsort(-counts, kind="stable")
    first, five, bits, wanted = [], [], [], []
    for start in range(0, len(texts), BATCH):
        given = tensors(texts[start : start + BATCH], place_of, tokenizer.mask_token_id, tokenizer.pad_token_id)
        logits, behind = filler(*given[:3]), given[3]
        best = logits.topk(5, dim=1).indices
        first += (best[:, 0] == behind).tolist()
        five += (best == behind[:, None]).any(dim=1).tolist()
        bits += (-torch.log_softmax(logits, 1).gather(1, behind.clamp(min=0)[:, None])[:, 0] / np.log(2)).tolist()
        wanted += behind.tolist()
    target = np.asarray(wanted)
    known, rarer = target >= 0, ~np.isin(target, by_count[:FREQUENT])
    return Guessed(
        len(target),
        int(rarer.sum()),
        float(np.mean(first)),
        float(np.mean(five)),
        float(np.mean(np.asarray(bits)[known])),
        float(np.mean(np.asarray(first)[rarer])) if rarer.any() else 0.0,
        float(np.mean(target == by_count[0])),
        float(np.mean(np.isin(target, by_count[:5]))),
        float(np.mean(-chance[target[known]])),
    )


def told(found: Guessed) -> list[str]:
    """The held-out words in sentences."""
    return [
        f"{found.n} held-out words: {100 * found.first:.1f} % guessed first, {100 * found.among_five:.1f} % among "
        f"five, {found.bits:.2f} bits a word",
        f"by frequency alone: {100 * found.frequency_first:.1f} %, {100 * found.frequency_five:.1f} %, "
        f"{found.frequency_bits:.2f} bits",
        f"{found.n_rarer} of them beyond the {FREQUENT} most frequent words: {100 * found.rarer_first:.1f} % guessed "
        "first (by frequency none)",
    ]


def make_masked_model(
    folder: Path, texts: Sequence[str], others: Sequence[str], sizes: Sizes, state: Path
) -> tuple[BertForMaskedLM, Any, Guessed]:
    """The model and its tokenizer, and what the held-out words come to."""
    kind = AutoConfig.from_pretrained(folder, local_files_only=True).model_type
    if kind != "bert":
        sys.exit(
            f"{folder}: an encoder of BERT's layout is needed (model_type 'bert' in its config.json); got {kind!r}"
        )
    torch.manual_seed(0)  # the head is drawn by transformers
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model, info = BertForMaskedLM.from_pretrained(
        folder, local_files_only=True, output_loading_info=True, num_hidden_layers=sizes.layers
    )
    if not all(name.startswith("cls.") for name in info["missing_keys"]):
        sys.exit(f"{folder}: an encoder of BERT's layout is needed; its weights lack {sorted(info['missing_keys'])[0]}")
    rng, whole = np.random.default_rng(0), dict[str, int | None]()
    clean = without(texts, others)
    say(f"{len(texts)} texts; {len(texts) - len(clean)} share {SAME_WORDS} words in a row with those that are kept out")
    drawn = [clean[i] for i in rng.permutation(len(clean))[: sizes.most + sizes.held_out]]
    masked = [each for text in drawn if (each := mask_text(tokenizer, whole, text, rng))]
    asked, learnt = masked[: sizes.held_out], masked[sizes.held_out :]
    behind = Counter(piece for each in learnt for piece in each.behind)
    held = {piece for each in (*learnt, *asked) for piece in each.ids}
    pieces = np.asarray(sorted(held | behind.keys() | {tokenizer.pad_token_id}))
    counts = np.asarray([behind[piece] + 0.1 for piece in pieces])
    place_of = np.full(len(tokenizer), -1)
    place_of[pieces] = np.arange(len(pieces))
    filler = Filler(model, pieces, counts)
    n_tokens, n_masks = sum(len(each.ids) for each in learnt), sum(behind.values())
    say(f"{len(learnt)} texts, {n_tokens} tokens, {n_masks} masks, {len(pieces)} pieces")
    train(filler, learnt, place_of, tokenizer, state)
    return filler.whole(), tokenizer, ask(filler, asked, place_of, tokenizer, counts)


def say(line: str) -> None:
    """Print at once."""
    print(line, flush=True)


def main() -> None:
    """Read, train, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="+", metavar="CORPUS:SPLIT")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--keep-out", nargs="+", metavar="CORPUS:SPLIT", default=[])
    parser.add_argument("--layers", type=int, default=Sizes.layers)
    parser.add_argument("--most", type=int, default=Sizes.most, help="so many texts at most are trained on")
    given = parser.parse_args()
    began = time.process_time()
    sizes, state = Sizes(given.layers, given.most), given.out.with_suffix(".state")
    texts, others = read_texts(given.texts), read_texts(given.keep_out)
    model, tokenizer, found = make_masked_model(given.model, texts, others, sizes, state)
    for line in told(found):
        say(line)
    model.save_pretrained(given.out)
    tokenizer.save_pretrained(given.out)
    state.unlink()
    say(f"{given.out}; {time.process_time() - began:.0f} s of processor time")


if __name__ == "__main__":
    main()
