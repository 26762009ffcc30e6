"""A transformers encoder loaded for one task: module, tokenizer and the parameters that a seed draws. Imports torch."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import torch

from goldproof.errors import ModelError
from goldproof.models import attention
from goldproof.models.draws import draw_normal, seeded
from goldproof.models.examples import Examples
from goldproof.models.heads import EncoderWithHead, Logits, SharedDropout
from goldproof.models.protocols import Floats, Pooling, Task, Tokenized
from goldproof.models.transformer import Transformer, n_reserved_positions
from goldproof.models.windows import cut_windows

HEAD_FILE = "goldproof_head.safetensors"
_PARTS = "model.safetensors.index.json"


@dataclass(eq=False)
class TransformerNetwork:
    """A loaded encoder with its head; see `goldproof.models.protocols.Network`."""

    module: torch.nn.Module
    backbone: Any
    tokenizer: Any
    embedding: str | None
    missing: tuple[str, ...]
    random_weights: bool
    items_at_once: int = 8

    @property
    def config(self) -> Any:
        """The configuration of the encoder."""
        return self.backbone.config

    @property
    def pad_id(self) -> int:
        """The token that fills up short items."""
        return int(self.tokenizer.pad_token_id or 0)

    @property
    def has_types(self) -> bool:
        """Whether the encoder has segment ids and its tokenizer sets them."""
        return _has_types(self.config) and "token_type_ids" in self.tokenizer.model_input_names

    @property
    def takes_bfloat16(self) -> bool:
        """Whether autocast works: DeBERTa fills its scores with a number that bfloat16 cannot hold."""
        return not str(self.config.model_type).startswith("deberta")

    @property
    def longest(self) -> int | None:
        """How many tokens the encoder takes, special ones included; None where there is no limit."""
        limit = getattr(self.config, "max_position_embeddings", None)
        if limit is not None:
            limit -= n_reserved_positions(self.config.model_type, self.pad_id)
        declared = self.tokenizer.model_max_length
        limits = [value for value in (limit, declared) if value is not None and value < 1_000_000]
        return min(limits) if limits else None

    def tokenize(self, examples: Examples, max_length: int | None) -> Tokenized:
        """Token ids with the special tokens; items that are too long are cut and counted."""
        limits = [value for value in (max_length, self.longest) if value is not None]
        limit = min(limits) if limits else None
        if examples.answers is not None:
            cut = cut_windows(self.tokenizer, examples, limit, self.has_types)
            return Tokenized(cut.ids, cut.types, None, cut.n_truncated, cut.windows)
        return tokenize(self.tokenizer, examples, limit, self.has_types)

    def drawn(self, seed: int) -> dict[str, torch.Tensor]:
        """The parameters that the weights do not give, drawn from the seed: each from its own name, so order plays no
        part.
        """
        named = dict(self.module.named_parameters())
        if self.random_weights:
            return self._all_random(named, seed)
        std = float(getattr(self.config, "initializer_range", None) or getattr(self.config, "init_std", None) or 0.02)
        return {name: draw_normal(seed, name, named[name], std) for name in self.missing}

    def _all_random(self, named: Mapping[str, torch.Tensor], seed: int) -> dict[str, torch.Tensor]:
        std = float(getattr(self.config, "initializer_range", None) or getattr(self.config, "init_std", None) or 0.02)
        with seeded("weights", seed), torch.no_grad():
            fresh = _quietly(lambda: type(self.backbone)._from_config(self.config, dtype=torch.float32))
        drawn = {name: tensor.detach() for name, tensor in fresh.named_parameters()}
        prefix = next(n for n, m in self.module.named_modules() if m is self.backbone)
        full = {f"{prefix}.{name}" if prefix else name: tensor for name, tensor in drawn.items()}
        return {
            name: full[name] if name in full else draw_normal(seed, name, tensor, std) for name, tensor in named.items()
        }

    def move_padding(self, row: int) -> None:
        """Say which row of the embedding is padding after rows were left out."""
        table = self.backbone.get_input_embeddings()
        if table.padding_idx is not None:
            table.padding_idx = row
        if is_decoder(self.config):
            self.config.pad_token_id = row  # by which its classifier finds the last token

    def save(self, state: dict[str, torch.Tensor], folder: Path) -> None:
        """Write a folder that `transformer(folder)` reads, head included."""
        from safetensors.torch import save_file

        self.module.load_state_dict(state, strict=False)
        with quiet():
            self.module.keeper.save_pretrained(folder)  # type: ignore[union-attr, operator]
            self.tokenizer.save_pretrained(folder)
        if isinstance(self.module, EncoderWithHead):
            save_file({k: v.contiguous() for k, v in self.module.head.state_dict().items()}, folder / HEAD_FILE)


@seeded("load")  # whatever a constructor draws is replaced, and the global generator stays as it was
def load_network(model: Transformer, task: Task, n_outputs: int) -> TransformerNetwork:
    """The encoder of the folder with a head for the task."""
    folder = model.source.folder
    tokenizer = open_tokenizer(model)
    config = guarded(folder, lambda: _load_config(folder))
    if config.is_encoder_decoder:
        return _load_encoder_half(model, tokenizer, config, task, n_outputs)
    per_token = task in ("tokens", "question")
    auto = _auto().AutoModelForTokenClassification if per_token else _auto().AutoModelForSequenceClassification
    padding = {"pad_token_id": tokenizer.pad_token_id} if is_decoder(config) else {}
    found, info = guarded(folder, lambda: _from_pretrained(auto, model, num_labels=n_outputs, **padding))
    missing = tuple(f"model.{name}" for name in info["missing_keys"])
    module = Logits(found, takes_types=_has_types(config))
    return _network(module, found.base_model, tokenizer, missing, model)


def check_loads(model: Transformer) -> None:
    """Raise where transformers cannot load what a study needs of a folder; of the weights only their list is read."""
    from transformers.models.auto import modeling_auto as known

    folder = model.source.folder
    open_tokenizer(model)
    config = guarded(folder, lambda: _load_config(folder))
    kind = str(getattr(config, "model_type", ""))
    if not config.is_encoder_decoder and kind not in known.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES:
        raise ModelError(
            f"{folder}: transformers has no classifier for models of the type {kind!r}, so it cannot be fine-tuned "
            "or probed here; give an encoder of texts, or let it answer the test data and pass the answers to "
            "`goldproof score`"
        )
    _check_weights(folder)


def _check_weights(folder: Path) -> None:
    """Raise where a file of weights is damaged, or holds more than tensors."""
    from safetensors import SafetensorError, safe_open

    whole = sorted(folder.glob("*.safetensors"))
    absent = [name for name in _listed_parts(folder) if not (folder / name).is_file()]
    if whole and absent:
        raise ModelError(f"{folder}: {absent[0]} is missing, which {_PARTS} lists; copy the whole folder")
    for path in whole:
        try:
            with safe_open(path, framework="pt"):
                pass
        except SafetensorError as error:
            raise ModelError(f"{folder}: the weights in {path.name} are damaged ({error}); copy them again") from None
    for path in [] if whole else sorted(folder.glob("pytorch_model*.bin")):
        try:
            torch.load(path, map_location="meta", weights_only=True, mmap=True)
        except Exception as error:
            held = "hold more than tensors" if isinstance(error, UnpicklingError) else "are damaged"
            raise ModelError(
                f"{folder}: the weights in {path.name} {held}, and are not read; such a file can run code. Give a "
                "folder with model.safetensors"
            ) from error


def _listed_parts(folder: Path) -> list[str]:
    """The files that weights in several parts are listed to lie in."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError, AttributeError):
        return sorted(set(json.loads((folder / _PARTS).read_bytes())["weight_map"].values()))
    return []


def is_decoder(config: Any) -> bool:
    """Whether an architecture reads from left to right only; its classifier looks at the last token."""
    from transformers.models.auto import modeling_auto as known

    kind = getattr(config, "model_type", "")
    return kind in known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and kind not in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES


def open_tokenizer(model: Transformer) -> Any:
    """The tokenizer of the folder."""
    folder = model.source.folder
    return guarded(folder, lambda: _load_tokenizer(folder))


def load_masked(folder: Path) -> tuple[Any, Any]:
    """The masked language model of the folder as transformers has it, and its tokenizer; an error where the weights
    have no head that was trained to fill masks, since transformers would draw one at random.
    """
    options: dict[str, Any] = {"local_files_only": True}
    tokenizer = guarded(
        folder, lambda: _auto().AutoTokenizer.from_pretrained(folder, trust_remote_code=False, **options)
    )
    if tokenizer.mask_token is None:
        raise ModelError(f"{folder}: the tokenizer has no mask; a masked language model is needed")
    network, info = guarded(
        folder,
        lambda: _auto().AutoModelForMaskedLM.from_pretrained(
            folder, use_safetensors=True, trust_remote_code=False, output_loading_info=True, **options
        ),
    )
    drawn = sorted(info["missing_keys"])
    if drawn:
        raise ModelError(
            f"{folder}: these weights have no head that was trained to fill masks ({drawn[0]} and {len(drawn) - 1} "
            "more parameters would be random numbers), so what it fills in for a word would mean nothing; give a "
            "masked language model that was saved with its head, or none (setting why.masked_model)"
        )
    return network, tokenizer


def _load_encoder_half(
    model: Transformer, tokenizer: Any, config: Any, task: Task, n_outputs: int
) -> TransformerNetwork:
    folder = model.source.folder
    whole, info = guarded(folder, lambda: _from_pretrained(_auto().AutoModel, model))
    encoder = whole.get_encoder()
    absent = {id(parameter) for name, parameter in whole.named_parameters() if name in set(info["missing_keys"])}
    hidden = int(getattr(config, "d_model", None) or config.hidden_size)
    rate = float(getattr(config, "classifier_dropout", None) or getattr(config, "dropout_rate", None) or 0.1)
    module = EncoderWithHead(whole, encoder, hidden, n_outputs, rate, per_token=task in ("tokens", "question"))
    missing = [name for name, parameter in module.named_parameters() if id(parameter) in absent]
    if (folder / HEAD_FILE).is_file():
        from safetensors.torch import load_file

        module.head.load_state_dict(load_file(folder / HEAD_FILE))
    else:
        missing += [f"head.{name}" for name, _ in module.head.named_parameters()]
    return _network(module, encoder, tokenizer, tuple(missing), model)


def _network(
    module: torch.nn.Module, backbone: Any, tokenizer: Any, missing: tuple[str, ...], model: Transformer
) -> TransformerNetwork:
    for part in list(module.modules()):
        found = getattr(part, "pos_dropout", None)
        if isinstance(found, torch.nn.Dropout):
            part.pos_dropout = SharedDropout(found.p)
    table = backbone.get_input_embeddings().weight
    embedding = next((name for name, parameter in module.named_parameters() if parameter is table), None)
    return TransformerNetwork(module, backbone, tokenizer, embedding, missing, model.random_weights)


def tokenize(tokenizer: Any, examples: Examples, limit: int | None, has_types: bool) -> Tokenized:
    """Token ids of every item; those longer than the limit are tokenized again, cut."""
    words = examples.words
    first: list[Any] = [list(entry) for entry in words] if words is not None else list(examples.texts)
    second = None if examples.pairs is None or words is not None else list(examples.pairs)
    if not first:
        return Tokenized((), () if has_types else None, () if words is not None else None)
    options = {"is_split_into_words": words is not None, "return_token_type_ids": has_types, "verbose": False}
    coded = tokenizer(first, second, **options)
    ids, types = list(coded["input_ids"]), list(coded["token_type_ids"]) if has_types else None
    places = [coded.word_ids(i) for i in range(len(ids))] if words is not None else None
    long = [i for i, entry in enumerate(ids) if limit is not None and len(entry) > limit]
    if long:
        some = None if second is None else [second[i] for i in long]
        cut = tokenizer([first[i] for i in long], some, truncation=True, max_length=limit, **options)
        for j, i in enumerate(long):
            ids[i] = cut["input_ids"][j]
            if types is not None:
                types[i] = cut["token_type_ids"][j]
            if places is not None:
                places[i] = cut.word_ids(j)
    return Tokenized(
        tuple(np.asarray(entry, np.int32) for entry in ids),
        None if types is None else tuple(np.asarray(entry, np.int32) for entry in types),
        None
        if places is None
        else tuple(_starts(place, len(entry)) for place, entry in zip(places, first, strict=True)),
        len(long),
    )


def _starts(places: list[int | None], n_words: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The position of each word's first token; -1 for a word that has none."""
    starts = np.full(n_words, -1, np.int32)
    for position, word in reversed(list(enumerate(places))):
        if word is not None:
            starts[word] = position
    return starts


def encode_texts(model: Transformer, examples: Examples, pooling: Pooling, seed: int, batch: int) -> Floats:
    """Pooled vectors of every layer, computed over items sorted by length."""
    network = load_network(model, "text", 2)
    if model.random_weights:
        network.module.load_state_dict(network.drawn(seed), strict=False)
    network.module.eval()
    tokens = network.tokenize(examples, None)
    order = np.argsort([len(entry) for entry in tokens.ids], kind="stable")
    vectors: dict[int, Floats] = {}
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        for i, vector in zip(chosen, _pooled(network, tokens, chosen, pooling), strict=True):
            vectors[int(i)] = vector
    return np.stack([vectors[i] for i in range(examples.n)])


@torch.no_grad()
def _pooled(network: TransformerNetwork, tokens: Tokenized, chosen: Any, pooling: Pooling) -> Floats:
    lengths = torch.tensor([len(tokens.ids[i]) for i in chosen])
    ids = torch.full((len(chosen), int(lengths.max())), network.pad_id)
    types = torch.zeros_like(ids)
    for row, i in enumerate(chosen):
        ids[row, : lengths[row]] = torch.from_numpy(tokens.ids[i])
        if tokens.types is not None:
            types[row, : lengths[row]] = torch.from_numpy(tokens.types[i])
    mask = (torch.arange(ids.shape[1])[None] < lengths[:, None]).long()
    extra = {"token_type_ids": types} if tokens.types is not None else {}
    layers = network.backbone(input_ids=ids, attention_mask=mask, output_hidden_states=True, **extra).hidden_states
    stacked = torch.stack(layers, dim=1)  # items, layers, tokens, features
    if pooling == "mean":
        weights = (mask / lengths[:, None])[:, None, :, None]
        return (stacked * weights).sum(2).float().numpy()
    at = torch.zeros_like(lengths) if pooling == "first" else lengths - 1
    return stacked[torch.arange(len(chosen)), :, at].float().numpy()


def _has_types(config: Any) -> bool:
    return int(getattr(config, "type_vocab_size", 0) or 0) > 1


def _from_pretrained(auto: Any, model: Transformer, **options: Any) -> tuple[Any, dict[str, Any]]:
    return auto.from_pretrained(  # type: ignore[no-any-return]
        model.source.folder,
        attn_implementation=attention.register(),
        dtype=torch.float32,
        local_files_only=True,
        use_safetensors=None if model.any_format else True,
        trust_remote_code=False,
        weights_only=True,
        output_loading_info=True,
        **options,
    )


def _load_config(folder: Path) -> Any:
    return _auto().AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)


def _load_tokenizer(folder: Path) -> Any:
    tokenizer = _auto().AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    if tokenizer.pad_token_id is None:
        # Decoders often have none. Padding is masked, so that any token does, and the end of a text is never in one.
        other = next((token for token in (tokenizer.eos_token, tokenizer.unk_token) if token is not None), None)
        if other is None:
            raise ValueError("its tokenizer has neither a padding token nor an end-of-text token to use instead")
        tokenizer.pad_token = other
    return tokenizer


def _auto() -> Any:
    import transformers

    return transformers


def guarded(folder: Path, load: Any) -> Any:
    """Run a loader of transformers; whatever it raises becomes one sentence about the folder.

    Each loader says `trust_remote_code=False`: where that is left out, transformers asks on the terminal, and a "y"
    that happens to stand on the standard input runs code from the folder.
    """
    try:
        return _quietly(load)
    except Exception as error:
        first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        refused = "; it asks to run its own code (auto_map), which Goldproof never does" if _has_code(folder) else ""
        raise ModelError(f"{folder}: the model cannot be loaded ({type(error).__name__}: {first}){refused}") from error


def _has_code(folder: Path) -> bool:
    """Whether the folder's files name Python code to be loaded with them."""
    for name in ("config.json", "tokenizer_config.json"):
        with suppress(OSError, ValueError, RecursionError):
            found = json.loads((folder / name).read_bytes())
            if isinstance(found, dict) and found.get("auto_map"):
                return True
    return False


def _quietly(load: Any) -> Any:
    with quiet():
        return load()


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers from writing to the terminal and from warning of what it uses inside itself."""
    logs = _auto().utils.logging
    level, bars = logs.get_verbosity(), logs.is_progress_bar_enabled()
    logs.set_verbosity(logging.ERROR)
    logs.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        logs.set_verbosity(level)
        if bars:
            logs.enable_progress_bar()
