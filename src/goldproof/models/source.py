"""Where weights lie and what they are: a local folder or a hub name becomes a folder and the digest of its files.

Identity is the digest, never the path: a changed folder is a changed model, a moved one is not. Weights must be in
safetensors and code from the folder is never run, unless that is asked for. Nothing is downloaded unless that is
asked for.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from goldproof.errors import MissingExtraError, ModelError
from goldproof.extras import Need, require
from goldproof.jobs import location
from goldproof.jobs.names import named

TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model", "spm.model")
IDENTITY_SUFFIXES = (".json", ".safetensors", ".txt", ".model")
_CHUNK = 1 << 22


@named("models.Source")
@dataclass(frozen=True, slots=True)
class ModelSource:
    """The digest of a model's files and the folder they lie in; the folder is no part of what the model is."""

    digest: str
    folder: Path = location()


_STOOD_IN = "not at hand: "
_stand_ins: ContextVar[list[str] | None] = ContextVar("stand_ins", default=None)


@contextmanager
def standing_in() -> Iterator[list[str]]:
    """While jobs are only listed, a downloaded model that is not at hand is stood in for; gives the names of those.

    What stands in has a digest of its own, so that no value of a store is ever taken for that of the real model.
    """
    names: list[str] = []
    token = _stand_ins.set(names)
    try:
        yield names
    finally:
        _stand_ins.reset(token)


BIN = "bin:"
"""Before a folder whose weights are in PyTorch's own format, which are then allowed."""

_OTHER_WEIGHTS = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack")
_ONLY_RUN = {".onnx": "ONNX", ".gguf": "GGUF"}
_HUB_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)?")
_BEHIND_AN_API = re.compile(r"(\w+/)?(gpt-\d|chatgpt|o\d(-|$)|claude|gemini|command-r|grok)", re.IGNORECASE)


def find_source(name: str | Path, *, any_format: bool = False, download: bool = False) -> ModelSource:
    """The folder of a model and its digest; `name` is a local folder or a name on the hub that has been downloaded
    before. Of a folder of sentence-transformers it is the transformer in it.
    """
    try:
        if (stand_in := _stand_in(name)) is not None:
            return stand_in
        folder = _transformer_in(_folder(name, download))
        _check(folder, any_format)
        return ModelSource(digest_folder(folder, any_format=any_format), folder)
    except OSError as error:
        raise ModelError(f"{name}: the model's folder cannot be read ({error.strerror or error})") from None


def _stand_in(name: str | Path) -> ModelSource | None:
    """What stands for a model of the hub that is not at hand, where jobs are only listed."""
    names = _stand_ins.get()
    if names is None or isinstance(name, Path) or not _may_be_hub_name(name) or Path(name).expanduser().is_dir():
        return None
    try:
        _hub_folder(name, download=False)
    except (ModelError, MissingExtraError):
        if name not in names:
            names.append(name)
        return ModelSource(f"{_STOOD_IN}{name}", Path(name))
    return None


def is_stood_in(form: object) -> bool:
    """Whether the arguments of a job, in their canonical form, name a model that is stood in for.

    >>> is_stood_in({"model": {"digest": "not at hand: roberta-base"}}), is_stood_in({"seed": 1})
    (True, False)
    """
    if isinstance(form, dict):
        return any(map(is_stood_in, form.values()))
    if isinstance(form, list | tuple):
        return any(map(is_stood_in, form))
    return isinstance(form, str) and form.startswith(_STOOD_IN)


def _may_be_hub_name(name: str) -> bool:
    return bool(_HUB_NAME.fullmatch(name)) and not _BEHIND_AN_API.match(name) and not Path(name).exists()


def digest_folder(folder: Path, *, any_format: bool = False) -> str:
    """SHA-256 over the names and contents of the files that make the model, in the order of their names."""
    suffixes = (*IDENTITY_SUFFIXES, ".bin") if any_format else IDENTITY_SUFFIXES
    files = sorted(path for path in folder.iterdir() if path.suffix in suffixes and path.is_file())
    total = hashlib.sha256()
    for path in files:
        total.update(f"{path.name}\0{digest_file(path)}\n".encode())
    return total.hexdigest()


def digest_file(path: Path) -> str:
    """SHA-256 of a file's bytes; a file that has not changed is read once."""
    status = path.stat()
    return _digest(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=256)
def _digest(path: Path, size: int, modified: int) -> str:
    """SHA-256 of a file's bytes; size and time of change are there so that a changed file is read again."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _folder(name: str | Path, download: bool) -> Path:
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if _BEHIND_AN_API.match(str(name)):
        raise ModelError(
            f"the model {str(name)!r} is behind an API, and its weights cannot be trained or probed; let it answer the "
            "test data, and give its answers to `goldproof score`"
        )
    if folder.is_file():
        if folder.suffix in _ONLY_RUN:
            raise _only_run(folder, folder.name)
        raise ModelError(f"{folder}: this is a file; give the folder with config.json, weights and a tokenizer")
    if isinstance(name, Path) or not _may_be_hub_name(name):
        hint = "; a name before = has no slash" if "=" in str(name) else ""
        raise ModelError(
            f"there is no folder {str(name)!r}; give a folder with config.json, weights and a tokenizer{hint}"
        )
    return _hub_folder(name, download)


def _hub_folder(name: str, download: bool) -> Path:
    require(Need("models", f"looking up {name!r}, which is no folder, as a name on the hub", ("huggingface_hub",)))
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(name, local_files_only=not download, ignore_patterns=["*.bin", "*.h5", "*.msgpack"])
        )
    except Exception as error:  # noqa: BLE001  the hub's client raises a dozen kinds; all mean "not at hand"
        how = "could not be downloaded" if download else "is neither a folder nor a downloaded model"
        raise ModelError(
            f"the model {name!r} {how} ({type(error).__name__}); give a local folder, or download it once with "
            f"`hf download {name}`"
        ) from None


def _transformer_in(folder: Path) -> Path:
    """The folder of the transformer where sentence-transformers put it, itself or one inside; else the folder."""
    listed = folder / "modules.json"
    if (folder / "config.json").is_file() or not listed.is_file():
        return folder
    try:
        modules = json.loads(listed.read_bytes())
        inside = [str(each["path"]) for each in modules if str(each["type"]).endswith(".Transformer")]
    except (ValueError, KeyError, TypeError, RecursionError):
        return folder
    found = (folder / inside[0]).resolve() if inside else folder
    return found if found.is_relative_to(folder.resolve()) else folder


def _only_run(where: Path, file: str) -> ModelError:
    """The error for weights that can be run and not trained."""
    return ModelError(
        f"{where}: the weights are in {file}; {_ONLY_RUN[Path(file).suffix]} can be run, not trained or probed. Give "
        "the folder of the model that it was made from, with its safetensors, or let it answer the test data and "
        "pass the answers to `goldproof score`"
    )


def _check(folder: Path, any_format: bool) -> None:
    is_configured = (folder / "config.json").is_file()
    if not is_configured and (folder / "adapter_config.json").is_file():
        raise ModelError(
            f"{folder}: this is an adapter; merge it into its model (merge_and_unload of peft), save that, and "
            "give its folder"
        )
    has_weights = any(path.suffix in (".safetensors", *_OTHER_WEIGHTS) for path in folder.iterdir())
    runnable = next((path for path in sorted(folder.rglob("*")) if path.suffix in _ONLY_RUN), None)
    if runnable is not None and not has_weights:
        raise _only_run(folder, str(runnable.relative_to(folder)))
    if not is_configured:
        raise ModelError(
            f"{folder}: there is no config.json; a model's folder holds config.json, weights and a tokenizer"
        )
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        raise ModelError(
            f"{folder}: there is no tokenizer; one of these files must be there: {', '.join(TOKENIZER_FILES)}"
        )
    if any(folder.glob("*.safetensors")):
        return
    other = sorted(path.name for path in folder.iterdir() if path.suffix in _OTHER_WEIGHTS)
    if any_format and any(Path(name).suffix == ".bin" for name in other):
        return
    if other:
        raise ModelError(
            f"{folder}: the weights are in {other[0]}, not in safetensors; such files can run code when they are read. "
            f"Convert them to model.safetensors, or allow a .bin file with model={BIN}FOLDER, in Python "
            "any_format=True; only tensors are then read from it (weights_only)"
        )
    raise ModelError(f"{folder}: there are no weights; a file such as model.safetensors must be there")
