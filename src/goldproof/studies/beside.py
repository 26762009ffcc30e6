"""Whether a paper's numbers may stand beside ours: only for its own corpus and model; what else differs is said.

A number that was measured on other data or of another model is no yardstick, so it is not shown. Where corpus and model
are the paper's and the run is smaller or trained otherwise, the number stands, and a note says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldproof.studies.shared import parse_folder

SIZE, TRAINING = "other size", "other training"


@dataclass(frozen=True, slots=True)
class Beside:
    """Whether the paper's numbers stand beside ours, and in what our run differs from its."""

    stands: bool
    differs: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What is said under a table that shows them; nothing where nothing differs.

        >>> Beside(True, ("other size", "other training")).note
        'The paper used the same corpus and model, but: other size, other training.'
        """
        if not (self.stands and self.differs):
            return ""
        return f"The paper used the same corpus and model, but: {', '.join(self.differs)}."

    def of(self, is_same: bool, differs: tuple[str, ...] = ()) -> Beside:
        """The same for one table that asks for more: that this is the same too, and where it differs."""
        return Beside(self.stands and is_same, tuple(dict.fromkeys((*self.differs, *differs))))


def beside(*, same_corpus: bool, same_model: bool, same_size: bool = True, same_training: bool = True) -> Beside:
    """Whether a paper's numbers stand beside those of a run.

    >>> beside(same_corpus=True, same_model=True, same_size=False)
    Beside(stands=True, differs=('other size',))
    >>> beside(same_corpus=True, same_model=False).stands
    False
    """
    named = ((SIZE, same_size), (TRAINING, same_training))
    return Beside(same_corpus and same_model, tuple(name for name, is_same in named if not is_same))


def is_model(given: str, *names: str) -> bool:
    """Whether a model as it was given is one of these of the hub: its name, a folder of that name, or a hub's cache.

    >>> is_model("bert-base-multilingual-cased", "bert-base-multilingual-cased")
    True
    >>> is_model("mine=/models/LaBSE@ru", "sentence-transformers/LaBSE")
    True
    >>> is_model("E5=/tmp/models/e5", "sentence-transformers/LaBSE")
    False
    """
    parsed = parse_folder(given)
    folder = parsed.folder.partition("@")[0].rstrip("/")
    parts = {part.rpartition("--")[2].lower() for part in folder.split("/")[-3:]}
    return any(name.rpartition("/")[2].lower() in {*parts, parsed.name.lower()} for name in names)
