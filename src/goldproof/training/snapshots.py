"""Snapshots: a training's state in one file, written aside and renamed, to take it up again. Safetensors and JSON,
never pickle.

A file that is damaged, or that belongs to another training, counts as absent.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldproof.errors import StoreError

if TYPE_CHECKING:
    import torch

FILE = "training.safetensors"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A seed's tensors and what is known about it."""

    tensors: Mapping[str, torch.Tensor]
    facts: Mapping[str, Any]


def write_snapshot(folder: Path, identity: str, snapshot: Snapshot) -> None:
    """Replace the folder's snapshot; what was there stays whole until the new one is complete."""
    from safetensors.torch import save_file

    aside = folder / f".{secrets.token_hex(8)}.part"  # nobody can foresee it, and so put a link there
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_file(dict(snapshot.tensors), aside, metadata={"identity": identity, "facts": json.dumps(snapshot.facts)})
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(folder / FILE)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        raise StoreError(f"{folder}: the snapshot of a training cannot be written ({error.strerror})") from error


def read_snapshot(folder: Path, identity: str) -> Snapshot | None:
    """The folder's snapshot of this very training; None where there is none, or none that is whole."""
    from safetensors import SafetensorError, safe_open

    path = folder / FILE
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            facts = file.metadata() or {}
            if facts.get("identity") != identity:
                return None
            return Snapshot({name: file.get_tensor(name) for name in file.keys()}, json.loads(facts["facts"]))  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, KeyError):
        return None
