"""`Readout`: how one vector for each layer is read off a text. A description; it loads no torch and reads nothing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from goldproof.errors import UsageError
from goldproof.jobs.names import named
from goldproof.models.protocols import Pooling


@named("models.Readout")
@dataclass(frozen=True, slots=True)
class Readout:
    """Which tokens make the vector, and in which precision.

    `mean` is over all tokens that are not padding, with the special ones unless `special_tokens` is off; `first` is the
    CLS token of encoders that have one; `last` is the last token that is not padding. `dtype` is the precision in which
    vectors are kept, `compute` the one the encoder computes in. `seed` draws the weights of a random twin.

    >>> Readout(pooling="first").special_tokens
    True
    """

    pooling: Pooling = "mean"
    special_tokens: bool = True
    max_length: int | None = None
    dtype: Literal["float16", "float32"] = "float16"
    compute: Literal["float32", "bfloat16"] = "float32"
    seed: int = 0

    def __post_init__(self) -> None:
        allowed = {
            "pooling": ("mean", "first", "last"),
            "dtype": ("float16", "float32"),
            "compute": ("float32", "bfloat16"),
        }
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise UsageError(f"{name} must be one of {', '.join(values)}; got {getattr(self, name)!r}")
        if self.max_length is not None and self.max_length < 3:
            raise UsageError(
                f"max_length must be at least 3 tokens, or None for the model's own; got {self.max_length}"
            )

    def key(self, digest: str) -> str:
        """The identity of what is read off a model with this digest."""
        parts = (self.pooling, self.special_tokens, self.max_length, self.dtype, self.compute, self.seed)
        return hashlib.sha256(f"readout 1 {digest} {parts}".encode()).hexdigest()
