"""Trains a head that fills masks on an encoder that has none, in minutes: what `why.masked_model` can then ask.

    python examples/corruption/masked_model.py --model ENCODER --out FOLDER --keep-out CORPUS:SPLIT … -- CORPUS:SPLIT …
    python examples/corruption/masked_model.py --model ENCODER --out FOLDER --texts FILE[:COLUMN] … --device cuda
                                               --passes 20 --batch 256

The corpora are those of `goldproof list`, in English; --texts names files besides or instead of them, with a text on
each line, or with a column between tabs: its number from 1, or its name in the first line. Every text of at least four
words counts once. ENCODER is a folder with an encoder of BERT's layout, of which the lowest --layers are used. FOLDER
gets a masked language model that transformers loads.

One pass over the texts, or --passes, in each of the first eight of which masks are drawn anew; then these masks come
again. In each text, a quarter of the words that the tokenizer leaves whole is masked *in the text*, as a
question of `goldproof run corruption` masks its word; the loss is that of the words behind the masks. The layers, the
head and the rows of those pieces that the texts hold are trained; no other piece can be guessed afterwards. The head
starts from nothing but how often each word is. Left out are texts that share eight words in a row with a text of
--keep-out or --keep-out-texts: name there what the questions will be asked about. After each pass 2,000 texts that were
held out are asked: how often the word behind the mask comes first and among five, and how many bits it takes, beside a
guess by frequency alone.

Every 100 steps (on a GPU after each pass) all is saved in FOLDER.state; started again, a run that was broken off goes
on from there. On a CPU the same call gives the same model; on a GPU it nearly does, since sums there have no fixed
order.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from transformers import AutoConfig, AutoTokenizer, BertForMaskedLM

from goldproof.data.corpora.catalog import find_corpus, load

SHARE, BATCH, POOL, LONGEST, SAVE, MASKINGS = 0.25, 64, 50, 96, 100, 8
SAME_WORDS, FREQUENT = 8, 100
RATE, HEAD_RATE, WARMUP = 3e-4, 2e-3, 0.06
NEVER = -30.0  # the bias of a piece that no text holds
AfterPass = Callable[[int], None]
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
class Way:
    """Where and how long it learns: passes over the texts, texts in a batch, and what the rates are multiplied by."""

    device: str = "cpu"
    passes: int = 1
    batch: int = BATCH
    rates: float = 1.0


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


def read_files(names: Sequence[str]) -> list[str]:
    """The same of files: each line a text, or a column of a table with tabs (`FILE:2`, `FILE:sentence`)."""
    found: dict[str, None] = {}
    for name in names:
        path, column = (name, "") if Path(name).exists() else name.rpartition(":")[::2]
        if not Path(path).is_file():
            sys.exit(f"{name}: there is no such file; give FILE, or FILE:COLUMN for a column of a table with tabs")
        lines = Path(path).read_text("utf-8-sig").splitlines()
        if column:
            rows = [line.split("\t") for line in lines]
            if not column.isdecimal() and column not in rows[0]:
                sys.exit(f"{path}: the first line has no column {column!r}; it has: {', '.join(rows[0])}")
            place = int(column) - 1 if column.isdecimal() else rows[0].index(column)
            lines = [row[place] for row in rows[not column.isdecimal() :] if len(row) > place]
        found.update((text.strip(), None) for text in lines if len(text.split()) > 3)
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


def whole_words(tokenizer: Any, whole: dict[str, int | None], text: str) -> list[tuple[int, int]]:
    """Where the words stand that the tokenizer leaves whole; `whole` has the piece of each word, or None."""
    places = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word not in whole:
            ids = tokenizer(" " + word, add_special_tokens=False)["input_ids"]
            whole[word] = ids[0] if len(ids) == 1 and ids[0] != tokenizer.unk_token_id else None
        if whole[word] is not None:
            places.append(match.span())
    return places


def mask_texts(
    tokenizer: Any,
    whole: dict[str, int | None],
    texts: Sequence[tuple[str, list[tuple[int, int]]]],
    rng: np.random.Generator,
) -> list[MaskedText | None]:
    """Texts, each with a quarter of its whole words masked, at least one; None where one is too long."""
    shown, behind = [], []
    for text, places in texts:
        n = max(1, round(SHARE * len(places)))
        chosen = sorted(int(i) for i in rng.choice(len(places), n, replace=False))
        parts, last, hidden = [], 0, []
        for start, end in (places[i] for i in chosen):
            parts += [text[last:start], tokenizer.mask_token]
            hidden.append(whole[text[start:end]])
            last = end
        shown.append("".join([*parts, text[last:]]))
        behind.append(hidden)
    coded = tokenizer(shown, return_attention_mask=False, verbose=False)["input_ids"] if shown else []
    return [
        MaskedText(ids, hidden) if len(ids) <= LONGEST else None  # type: ignore[arg-type]
        for ids, hidden in zip(coded, behind, strict=True)
    ]


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


def batches(texts: Sequence[MaskedText], size: int, rng: np.random.Generator) -> Iterator[list[MaskedText]]:
    """Batches of texts of about the same length, in random order."""
    order = rng.permutation(len(texts))
    for start in range(0, len(order), size * POOL):
        pool = sorted(order[start : start + size * POOL], key=lambda i: len(texts[i].ids))
        found = [pool[i : i + size] for i in range(0, len(pool), size)]
        for i in rng.permutation(len(found)):
            yield [texts[j] for j in found[int(i)]]


@dataclass(frozen=True)
class Pieces:
    """The tokenizer, where each of its pieces stands among those of the texts, and how often each is behind a mask."""

    tokenizer: Any
    place_of: np.ndarray
    counts: np.ndarray

    def tensors(self, batch: Sequence[MaskedText], device: str) -> tuple[torch.Tensor, ...]:
        """Ids, attention mask, places of the masks, and what is behind them, as numbers among the pieces."""
        pad_id = self.tokenizer.pad_token_id
        ids = np.full((len(batch), max(len(each.ids) for each in batch)), pad_id)
        for row, each in enumerate(batch):
            ids[row, : len(each.ids)] = each.ids
        behind = np.concatenate([each.behind for each in batch])
        places = np.flatnonzero(ids == self.tokenizer.mask_token_id)
        kept = (self.place_of[ids], (ids != pad_id).astype(np.int64), places, self.place_of[behind])
        return tuple(torch.from_numpy(each).to(device, non_blocking=True) for each in kept)


def optimizer_of(filler: Filler, rates: float) -> torch.optim.Optimizer:
    """AdamW, with a higher rate for the head, which starts at random."""
    head = list(filler.model.cls.predictions.transform.parameters())
    rest = [each for each in filler.parameters() if all(each is not one for one in head)]
    parts = [{"params": rest, "peak": rates * RATE}, {"params": head, "peak": rates * HEAD_RATE}]
    return torch.optim.AdamW(parts, lr=RATE, weight_decay=0.01, betas=(0.9, 0.98), fused=True)


def train(
    filler: Filler, maskings: Sequence[Sequence[MaskedText]], pieces: Pieces, way: Way, state: Path, after: AfterPass
) -> None:
    """The passes over the texts: rates that rise and fall linearly over all of them, bfloat16 for the products.

    `after` is called at the end of each pass but the last, with its number.
    """
    every, ends = list[list[MaskedText]](), dict[int, int]()
    for number in range(way.passes):
        rng = np.random.default_rng((0, number) if number else 0)
        every += batches(maskings[number % len(maskings)], way.batch, rng)
        ends[len(every)] = number + 1
    optimizer = optimizer_of(filler, way.rates)
    first, losses, n_tokens = 0, list[float](), 0
    if state.exists():
        kept = torch.load(state, weights_only=True)
        if kept.get("of", len(every)) != len(every):
            sys.exit(f"{state}: is of a run of {kept['of']} steps; this one has {len(every)}; delete it to begin anew")
        filler.load_state_dict(kept["weights"])
        optimizer.load_state_dict(kept["optimizer"])
        first, losses = kept["step"], kept["losses"]
    filler.train()
    spent, began, waiting = 0.0, clock(way.device), list[torch.Tensor]()
    for step in range(first, len(every)):
        torch.manual_seed(step)
        share = (step + 1) / len(every)
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * min(share / WARMUP, (1 - share) / (1 - WARMUP) + 1e-3)
        ids, mask, places, behind = pieces.tensors(every[step], way.device)
        with torch.autocast(way.device, dtype=torch.bfloat16):
            logits = filler(ids, mask, places)
        loss = F.cross_entropy(logits, behind)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(filler.parameters(), 1.0)
        optimizer.step()
        waiting.append(loss.detach())
        n_tokens += sum(len(each.ids) for each in every[step])
        if step + 1 in ends or ((step + 1) % SAVE == 0 and way.device == "cpu"):
            losses += [each.item() / np.log(2).item() for each in waiting]
            waiting.clear()
            spent += clock(way.device) - began
            kept = {"weights": filler.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
            torch.save({**kept, "losses": losses, "of": len(every)}, state.with_suffix(".part"))
            state.with_suffix(".part").replace(state)
            say(f"step {step + 1} of {len(every)}: {np.mean(losses[-SAVE:]):.2f} bits, {n_tokens / spent:.0f} tokens/s")
            if ends.get(step + 1, way.passes) < way.passes:
                after(ends[step + 1])
                filler.train()
            began = clock(way.device)


def clock(device: str) -> float:
    """Seconds: of the processor on a CPU, and on a GPU those of the clock, when all is done that was asked of it."""
    if device == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


@torch.no_grad()
def ask(filler: Filler, texts: Sequence[MaskedText], pieces: Pieces, device: str) -> Guessed:
    """What the held-out words come to; those that no training text holds count as wrong and are in no bits."""
    filler.eval()
    chance = np.log2(pieces.counts / pieces.counts.sum())
    by_count = np.argsort(-pieces.counts, kind="stable")
    first, five, bits, wanted = [], [], [], []
    for start in range(0, len(texts), BATCH):
        given = pieces.tensors(texts[start : start + BATCH], device)
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
    folder: Path,
    texts: Sequence[str],
    others: Sequence[str],
    sizes: Sizes,
    state: Path,
    way: Way = Way(),  # noqa: B008
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
        folder,
        local_files_only=True,
        output_loading_info=True,
        num_hidden_layers=sizes.layers,
        dtype=torch.float32,
    )
    if not all(name.startswith("cls.") for name in info["missing_keys"]):
        sys.exit(f"{folder}: an encoder of BERT's layout is needed; its weights lack {sorted(info['missing_keys'])[0]}")
    rng, whole = np.random.default_rng(0), dict[str, int | None]()
    clean = without(texts, others)
    say(f"{len(texts)} texts; {len(texts) - len(clean)} share {SAME_WORDS} words in a row with those that are kept out")
    drawn = [clean[i] for i in rng.permutation(len(clean))[: sizes.most + sizes.held_out]]
    placed = [(text, places) for text in drawn if (places := whole_words(tokenizer, whole, text))]
    masked = [
        (one, each)
        for one, each in zip(placed, mask_texts(tokenizer, whole, placed, rng), strict=True)
        if each is not None
    ]
    asked, maskings = [each for _, each in masked[: sizes.held_out]], [[each for _, each in masked[sizes.held_out :]]]
    for number in range(1, min(way.passes, MASKINGS)):
        again = mask_texts(
            tokenizer, whole, [one for one, _ in masked[sizes.held_out :]], np.random.default_rng((1, number))
        )
        maskings.append([each for each in again if each is not None])
    learnt, every = maskings[0], [each for some in maskings for each in some]
    behind = Counter(piece for each in every for piece in each.behind)
    held = {piece for each in (*every, *asked) for piece in each.ids}
    numbers = np.asarray(sorted(held | behind.keys() | {tokenizer.pad_token_id}))
    counts = np.asarray([behind[piece] + 0.1 for piece in numbers])
    place_of = np.full(len(tokenizer), -1)
    place_of[numbers] = np.arange(len(numbers))
    pieces = Pieces(tokenizer, place_of, counts)
    filler = Filler(model, numbers, counts).to(way.device)
    n_tokens, n_masks = sum(len(each.ids) for each in learnt), sum(len(each.behind) for each in learnt)
    say(f"{len(learnt)} texts, {n_tokens} tokens, {n_masks} masks, {len(numbers)} pieces")

    def tell_pass(number: int) -> None:
        for line in told(ask(filler, asked, pieces, way.device)):
            say(f"pass {number} of {way.passes}: {line}")

    train(filler, maskings, pieces, way, state, tell_pass)
    found = ask(filler, asked, pieces, way.device)
    return filler.to("cpu").whole(), tokenizer, found


def say(line: str) -> None:
    """Print at once."""
    print(line, flush=True)


def main() -> None:
    """Read, train, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", metavar="CORPUS:SPLIT")
    parser.add_argument("--texts", nargs="+", metavar="FILE[:COLUMN]", default=[])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--keep-out", nargs="+", metavar="CORPUS:SPLIT", default=[])
    parser.add_argument("--keep-out-texts", nargs="+", metavar="FILE[:COLUMN]", default=[])
    parser.add_argument("--layers", type=int, default=Sizes.layers)
    parser.add_argument("--most", type=int, default=Sizes.most, help="so many texts at most are trained on")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--passes", type=int, default=Way.passes)
    parser.add_argument("--batch", type=int, default=Way.batch, help="texts in a batch")
    parser.add_argument("--rates", type=float, default=Way.rates, help="what the learning rates are multiplied by")
    given = parser.parse_args()
    if not given.corpora and not given.texts:
        parser.error("no texts: name corpora (CORPUS:SPLIT), or files after --texts")
    if given.passes < 1 or given.batch < 1 or given.rates <= 0:
        parser.error("--passes and --batch must be at least 1 and --rates above 0")
    if given.device == "cuda" and not torch.cuda.is_available():
        parser.error("torch finds no GPU: --device cpu")
    began = time.process_time(), time.perf_counter()
    sizes, state = Sizes(given.layers, given.most), given.out.with_suffix(".state")
    way = Way(given.device, given.passes, given.batch, given.rates)
    texts = list(dict.fromkeys([*read_texts(given.corpora), *read_files(given.texts)]))
    others = [*read_texts(given.keep_out), *read_files(given.keep_out_texts)]
    model, tokenizer, found = make_masked_model(given.model, texts, others, sizes, state, way)
    for line in told(found):
        say(line)
    model.save_pretrained(given.out)
    tokenizer.save_pretrained(given.out)
    state.unlink()
    spent, passed = time.process_time() - began[0], time.perf_counter() - began[1]
    say(f"{given.out}; {spent:.0f} s of processor time, {passed:.0f} s in all")


if __name__ == "__main__":
    main()
