"""`LanguageModel`: a decoder or a sequence-to-sequence model of transformers that answers prompts, as it is.

It is a description that may stand in a job; torch and transformers are loaded when it is opened. It does not train, and
builds no prompts.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from goldproof.errors import GoldproofError
from goldproof.extras import Need, require
from goldproof.jobs.names import named
from goldproof.models.source import BIN, ModelSource, find_source

if TYPE_CHECKING:
    from goldproof.models.language_network import OpenLanguageModel

ASKING = Need("models", "asking a language model")
AskingPrecision = Literal["float32", "bfloat16", "float16"]
_HEADS = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")


@named("models.LanguageModel")
@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A pretrained language model, told by the digest of its weights, and the precision of its numbers on any device.

    `chat` says whether the turns of a conversation are put in the model's own form: where it has one, or never.
    """

    source: ModelSource
    precision: AskingPrecision = "float32"
    chat: Literal["auto", "never"] = "auto"
    any_format: bool = False

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.source.folder.name

    @property
    def digest(self) -> str:
        """The digest of the weights and of what was asked of them."""
        return hashlib.sha256(f"language model {self.source.digest} {self.precision} {self.chat}".encode()).hexdigest()

    def open(self) -> OpenLanguageModel:
        """The model with its weights in memory; the one that was opened last is kept there."""
        require(ASKING)
        return _opened(self, str(self.source.folder))


@functools.lru_cache(maxsize=1)
def _opened(model: LanguageModel, folder: str) -> OpenLanguageModel:
    from goldproof.models.language_network import open_model

    return open_model(model)


def language_model(
    name: str | Path, *, precision: AskingPrecision = "float32", chat: Literal["auto", "never"] = "auto"
) -> LanguageModel:
    """The language model in a local folder, or of a hub name that was downloaded before."""
    any_format = str(name).startswith(BIN)
    return LanguageModel(
        find_source(str(name).removeprefix(BIN), any_format=any_format), precision, chat, any_format=any_format
    )


def speaks(name: str) -> bool:
    """Whether a name in the settings is that of a folder whose configuration says that it generates text."""
    if name in ("", "fake"):
        return False
    plain = name.removeprefix(BIN)
    folder = Path(plain).expanduser()
    try:
        if not folder.is_dir():
            folder = find_source(plain, any_format=name.startswith(BIN)).folder
        found = json.loads((folder / "config.json").read_bytes())
    except (GoldproofError, OSError, ValueError, RecursionError):
        return False  # what is wrong with it is said by whoever loads it
    architectures = found.get("architectures") if isinstance(found, dict) else None
    return isinstance(architectures, list) and any(str(each).endswith(_HEADS) for each in architectures)
