"""Loads a language model and its tokenizer out of a folder, with its head, on the device and in the precision wanted.
Imports torch.
"""

from __future__ import annotations

from typing import Any

import torch

from goldproof.errors import ModelError
from goldproof.models.language_model import LanguageModel
from goldproof.models.transformer_network import guarded, quiet


def load_language_model(model: LanguageModel) -> tuple[Any, Any]:
    """The network, ready to be asked, and its tokenizer."""
    import transformers

    folder = model.source.folder
    options: dict[str, Any] = {"local_files_only": True}
    tokenizer = guarded(
        folder, lambda: transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False, **options)
    )
    config = guarded(
        folder, lambda: transformers.AutoConfig.from_pretrained(folder, trust_remote_code=False, **options)
    )
    auto = transformers.AutoModelForSeq2SeqLM if config.is_encoder_decoder else transformers.AutoModelForCausalLM
    if type(config) not in auto._model_mapping:
        raise ModelError(
            f"{folder}: models of the type {config.model_type!r} do not generate text, so they cannot be asked; give a "
            "decoder or a sequence-to-sequence model"
        )
    loading = {"dtype": getattr(torch, model.precision), "use_safetensors": None if model.any_format else True}
    network, info = guarded(
        folder,
        lambda: auto.from_pretrained(
            folder, output_loading_info=True, weights_only=True, trust_remote_code=False, **loading, **options
        ),
    )
    if info["missing_keys"]:
        raise ModelError(
            f"{folder}: the weights lack {sorted(info['missing_keys'])[0]!r}, without which it gives no text; it "
            "may be an encoder or a model without its head"
        )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with quiet():
        return network.to(device).eval().requires_grad_(False), tokenizer
