"""A language model with its weights in memory: tokens of contexts and answers, turns of a conversation, text. Imports
torch.

The tokens of an answer are those that the tokenizer adds when the answer is put after its context; blanks at the end of
the context count with the answer. Log-likelihoods themselves are in `likelihoods.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from goldproof.draws import draw_fraction
from goldproof.errors import ModelError
from goldproof.jobs.watch import ITEMS, tell
from goldproof.models.language_model import LanguageModel
from goldproof.models.likelihoods import Coded, DecoderScorer, EncoderDecoderScorer
from goldproof.models.protocols import Likelihoods, PromptQuestion, Sampling, Written
from goldproof.models.transformer_network import quiet

_GENERATED_AT_ONCE = {"cpu": 16, "cuda": 128}


@dataclass(eq=False)
class OpenLanguageModel:
    """A loaded language model; see `goldproof.models.protocols.Respondent`."""

    network: Any
    tokenizer: Any
    scorer: DecoderScorer | EncoderDecoderScorer
    chat: str
    start: tuple[int, ...]
    longest: int | None

    @property
    def has_dialogue(self) -> bool:
        """Whether turns are put in a form of the model's own."""
        return self.chat == "auto" and bool(getattr(self.tokenizer, "chat_template", None))

    def dialogue(self, turns: Sequence[str]) -> str:
        """The turns in the form of the model, or as they are, one after the other."""
        if not self.has_dialogue:
            return "".join(turns)
        roles = ("user", "assistant")
        said = [{"role": roles[place % 2], "content": turn} for place, turn in enumerate(turns)]
        return str(self.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True))

    def likelihoods(self, questions: Sequence[PromptQuestion]) -> list[Likelihoods]:
        """Log-probabilities of each question's answers."""
        coded = self._code(questions)
        values = self.scorer.score(coded)
        return [Likelihoods(found, each.is_cut) for found, each in zip(values, coded, strict=True)]

    def generate(self, contexts: Sequence[str], ids: Sequence[str], sampling: Sampling) -> list[Written]:
        """What the model goes on with after each context, up to its end or the most tokens."""
        coded = self._contexts(contexts, sampling.most_tokens)
        order = sorted(range(len(coded)), key=lambda i: -len(coded[i]))
        at_once = _GENERATED_AT_ONCE.get(self.network.device.type, 16)
        found = [Written("")] * len(coded)
        for start in range(0, len(order), at_once):
            rows = order[start : start + at_once]
            texts = self._generate_batch([coded[i] for i in rows], [ids[i] for i in rows], sampling)
            for row, text in zip(rows, texts, strict=True):
                found[row] = text
            tell(ITEMS, len(rows))
        return found

    def _contexts(self, contexts: Sequence[str], room: int) -> list[list[int]]:
        """Token ids of the contexts; what is too long loses its beginning."""
        if self.network.config.is_encoder_decoder:
            coded = self.tokenizer(list(contexts), verbose=False)["input_ids"]
            return [list(each[-self.longest :] if self.longest else each) for each in coded]
        coded = [self._with_start(each) for each in self._plain_ids(contexts)]
        return [each[-(self.longest - room) :] if self.longest else each for each in coded]

    @torch.inference_mode()
    def _generate_batch(self, rows: list[list[int]], ids: Sequence[str], sampling: Sampling) -> list[Written]:
        from transformers import LogitsProcessorList

        width, pad = max(map(len, rows)), self.tokenizer.pad_token_id or 0
        is_decoder = not self.network.config.is_encoder_decoder
        padded = torch.full((len(rows), width), pad)
        mask = torch.zeros_like(padded)
        for place, row in enumerate(rows):
            inside = slice(width - len(row), width) if is_decoder else slice(0, len(row))
            padded[place, inside] = torch.tensor(row)
            mask[place, inside] = 1
        device = self.network.device
        processors = LogitsProcessorList([_Chance(ids, sampling)] if sampling.temperature > 0 else [])
        with quiet():
            made = self.network.generate(
                padded.to(device),
                attention_mask=mask.to(device),
                max_new_tokens=sampling.most_tokens,
                do_sample=False,
                pad_token_id=pad,
                logits_processor=processors,
            )
        new = made[:, width:] if is_decoder else made[:, 1:]  # without the token that begins an answer
        texts = self.tokenizer.batch_decode(new, skip_special_tokens=True)
        cut = (new.shape[1] >= sampling.most_tokens) & ~torch.isin(new, self._ends().to(new.device)).any(dim=1)
        return [Written(str(text), bool(is_cut)) for text, is_cut in zip(texts, cut.tolist(), strict=True)]

    def _ends(self) -> torch.Tensor:
        """The tokens that end an answer."""
        ends = self.network.generation_config.eos_token_id
        return torch.tensor([] if ends is None else [ends] if isinstance(ends, int) else list(ends), dtype=torch.long)

    def _code(self, questions: Sequence[PromptQuestion]) -> list[Coded]:
        """Token ids of contexts and answers."""
        split = [_move_blanks(question) for question in questions]
        if self.network.config.is_encoder_decoder:
            return self._code_apart(split)
        contexts = self._plain_ids([each.context for each in split])
        whole = self._plain_ids([each.context + option for each in split for option in each.options])
        coded, place = [], 0
        for question, context in zip(split, contexts, strict=True):
            options = [ids[len(context) :] for ids in whole[place : place + len(question.options)]]
            place += len(question.options)
            _check_options(question, options)
            coded.append(self._fitted(self._with_start(context), options))
        return coded

    def _code_apart(self, questions: Sequence[PromptQuestion]) -> list[Coded]:
        """The same for an encoder and a decoder: the context with its special tokens, the answers without."""
        contexts = self.tokenizer([each.context for each in questions], verbose=False)["input_ids"]
        answers = self._plain_ids([option for each in questions for option in each.options])
        coded, place = [], 0
        for question, context in zip(questions, contexts, strict=True):
            options = answers[place : place + len(question.options)]
            place += len(question.options)
            _check_options(question, options)
            is_cut = self.longest is not None and len(context) > self.longest
            coded.append(Coded(tuple(context[-self.longest :] if is_cut else context), _tuples(options), is_cut))  # type: ignore[operator]
        return coded

    def _fitted(self, context: list[int], options: Sequence[Sequence[int]]) -> Coded:
        """A context that leaves room for the longest answer; what is too long loses its beginning."""
        room = None if self.longest is None else self.longest + 1 - max(map(len, options), default=1)
        is_cut = room is not None and len(context) > room
        return Coded(tuple(context[-room:] if is_cut and room is not None else context), _tuples(options), is_cut)

    def _plain_ids(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        options = {"add_special_tokens": False, "return_attention_mask": False, "return_token_type_ids": False}
        return [list(ids) for ids in self.tokenizer(list(texts), verbose=False, **options)["input_ids"]]

    def _with_start(self, ids: list[int]) -> list[int]:
        """The ids after those that the tokenizer puts before every text, unless they stand there; never nothing."""
        start = list(self.start)
        found = ids if start and ids[: len(start)] == start else [*start, *ids]
        return found or [self._first_of_all()]

    def _first_of_all(self) -> int:
        """The token that stands where there is no context: the end of a text before."""
        for token in (self.tokenizer.eos_token_id, self.tokenizer.bos_token_id, self.tokenizer.pad_token_id):
            if token is not None:
                return int(token)
        raise ModelError("an empty prompt cannot be asked: the tokenizer has no token that begins or ends a text")


class _Chance:
    """Chooses a token by chance, of which the seed, the item and the number of the token decide alone."""

    def __init__(self, ids: Sequence[str], sampling: Sampling) -> None:
        self.ids, self.sampling, self.step = ids, sampling, 0

    def __call__(self, _: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        at = [draw_fraction("sampling", self.sampling.seed, item, self.step) for item in self.ids]
        self.step += 1
        shares = torch.softmax(scores.double() / self.sampling.temperature, dim=-1).cumsum(-1)
        drawn = torch.tensor(at, dtype=torch.float64, device=scores.device)[:, None] * shares[:, -1:]
        chosen = torch.searchsorted(shares, drawn).clamp(max=scores.shape[1] - 1)
        return torch.full_like(scores, -torch.inf).scatter(1, chosen, 0.0)


def open_model(model: LanguageModel) -> OpenLanguageModel:
    """Load a language model onto a GPU where there is one."""
    from goldproof.models.language_loading import load_language_model

    network, tokenizer = load_language_model(model)
    longest = _longest(network.config, tokenizer)
    scorer = EncoderDecoderScorer(network) if network.config.is_encoder_decoder else DecoderScorer(network)
    return OpenLanguageModel(network, tokenizer, scorer, model.chat, _start_of(tokenizer), longest)


def _longest(config: Any, tokenizer: Any) -> int | None:
    """The most tokens that a model takes, as its configuration or else its tokenizer says; None without a limit."""
    if str(config.model_type) in ("t5", "mt5", "umt5"):
        return None  # positions relative to each other
    for name in ("max_position_embeddings", "n_positions", "max_sequence_length", "n_ctx"):
        found = getattr(config, name, None)
        if isinstance(found, int) and found > 0:
            return found
    declared = int(tokenizer.model_max_length)
    return declared if declared < 1_000_000 else None


def _start_of(tokenizer: Any) -> tuple[int, ...]:
    """What the tokenizer puts before every text: a token for its beginning, or nothing."""
    plain = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a")["input_ids"]
    for place in range(len(full) - len(plain) + 1):
        if full[place : place + len(plain)] == plain:
            return tuple(full[:place])
    return ()


def _move_blanks(question: PromptQuestion) -> PromptQuestion:
    """The blanks at the end of the context moved to the answers, as a tokenizer would cut the whole."""
    kept = question.context.rstrip()
    blanks = question.context[len(kept) :]
    if not blanks:
        return question
    return PromptQuestion(kept, tuple(blanks + option for option in question.options))


def _check_options(question: PromptQuestion, options: Sequence[Sequence[int]]) -> None:
    for text, ids in zip(question.options, options, strict=True):
        if not ids:
            raise ModelError(
                f"the answer {text!r} adds no token after {question.context[-40:]!r}, so it has no likelihood; give "
                "another word for its label"
            )


def _tuples(options: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(ids) for ids in options)
