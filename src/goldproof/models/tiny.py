"""Tiny transformers made on the spot: two layers of random weights with a word tokenizer, for tests, examples and dry
runs.

They have the architecture of the real families and none of their knowledge. Nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from goldproof.errors import UsageError
from goldproof.extras import require
from goldproof.models.protocols import RUNNING

_WIDE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
_SEQ2SEQ = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
}
_T5 = {"d_model": 32, "d_kv": 16, "num_layers": 2, "num_decoder_layers": 1, "num_heads": 2, "d_ff": 64}
_DISENTANGLED = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": ("bert", _WIDE),
    "roberta": ("roberta", {**_WIDE, "type_vocab_size": 1}),
    "xlm-r": ("xlm-roberta", {**_WIDE, "type_vocab_size": 1}),
    "distilbert": ("distilbert", {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64}),
    "electra": ("electra", {**_WIDE, "embedding_size": 16}),
    "mpnet": ("mpnet", _WIDE),
    "albert": ("albert", {**_WIDE, "embedding_size": 16}),
    "modernbert": (
        "modernbert",
        {**_WIDE, "local_attention": 8, "global_attn_every_n_layers": 2, "classifier_pooling": "mean"},
    ),
    "deberta": ("deberta", {**_WIDE, **_DISENTANGLED}),
    "deberta-v2": ("deberta-v2", {**_WIDE, **_DISENTANGLED}),
    "deberta-v3": (
        "deberta-v2",
        {**_WIDE, **_DISENTANGLED, "position_buckets": 8, "share_att_key": True, "norm_rel_ebd": "layer_norm"},
    ),
    "t5": ("t5", _T5),
    "mt5": ("mt5", {**_T5, "feed_forward_proj": "gated-gelu"}),
    "bart": ("bart", _SEQ2SEQ),
    "mbart": ("mbart", _SEQ2SEQ),
}
DECODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("gpt2", {"n_embd": 32, "n_layer": 2, "n_head": 2}),
    "llama": ("llama", {**_WIDE, "num_key_value_heads": 1}),
}
"""Models that read from left to right, the second with keys and values that heads share."""

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def write_tiny_model(
    folder: Path,
    words: Iterable[str],
    family: str = "bert",
    *,
    n_positions: int = 64,
    seed: int = 0,
    speaks: bool = False,
) -> Path:
    """Write a tiny model of a family into a folder, with a tokenizer that knows these words; gives the folder.

    One that `speaks` has the head that gives text, as decoders and sequence-to-sequence models have.
    """
    known = FAMILIES | DECODERS
    if family not in known:
        raise UsageError(f"there is no family {family!r}; there are: {', '.join(known)}")
    require(RUNNING)
    import transformers

    from goldproof.models.draws import seeded
    from goldproof.models.transformer_network import quiet

    vocabulary = {word: i for i, word in enumerate([*SPECIAL, *sorted(set(words) - set(SPECIAL))])}
    kind, settings = known[family]
    config = transformers.AutoConfig.for_model(
        kind,
        **settings,
        vocab_size=len(vocabulary),
        max_position_embeddings=n_positions,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        cls_token_id=0,
        sep_token_id=2,
        decoder_start_token_id=1,
        initializer_range=0.2,
    )
    with quiet(), seeded("tiny", family, seed):
        auto = transformers.AutoModelForSeq2SeqLM if config.is_encoder_decoder else transformers.AutoModelForCausalLM
        made = (auto if speaks else transformers.AutoModel).from_config(config, trust_remote_code=False)
        made.save_pretrained(folder)
        has_types = getattr(config, "type_vocab_size", 0) > 1
        word_tokenizer(vocabulary, n_positions, has_types=has_types).save_pretrained(folder)
    return folder


def word_tokenizer(vocabulary: dict[str, int], n_positions: int, *, has_types: bool = True) -> Any:
    """A tokenizer that splits at blanks and punctuation and knows these words; the first five are special."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=n_positions - 2,
        model_input_names=["input_ids", *(["token_type_ids"] if has_types else []), "attention_mask"],
    )
