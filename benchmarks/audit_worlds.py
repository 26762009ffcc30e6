"""The worlds of the audit's validation: real corpora, faults planted in them, and pools without a cue.

Designs stand here and were fixed before the audit was run on them; `audit_faults.py` runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.data.one_split import read_split

Rows = list[dict[str, Any]]
Splits = dict[str, Rows]

FILES: Mapping[str, tuple[str, str, str]] = {  # train, test, language
    "RTE": ("entailment/en/train.jsonl", "entailment/en/val.jsonl", "en"),
    "TERRa fr": ("entailment/fr/train.jsonl", "entailment/fr/val.jsonl", "fr"),
    "TERRa de": ("entailment/de/train.jsonl", "entailment/de/val.jsonl", "de"),
    "TERRa sv": ("entailment/sv/train.jsonl", "entailment/sv/val.jsonl", "sv"),
    "MRPC": ("glue/mrpc/msr_paraphrase_train.txt", "glue/mrpc/msr_paraphrase_test.txt", "en"),
    "SST-2": ("glue/sst2/train.tsv", "glue/sst2/dev.tsv", "en"),
    "CoLA": ("glue/cola/in_domain_train.tsv", "glue/cola/in_domain_dev.tsv", "en"),
}
SWAHILI = "XNLI sw"  # of the third design only
FILES_ADDED: Mapping[str, tuple[str, str, str]] = {SWAHILI: ("xnli/sw/dev.tsv", "xnli/sw/test.tsv", "sw")}
PAIRS = ("RTE", "TERRa fr", "TERRa de", "TERRa sv", "MRPC")
SIZES = (800, 400)  # rows of train and test that a planted world keeps
SEED = 20_261
N_CLEAN = 600
CLEAN_SIZES = (400, 200)
FILLERS = ("certainly", "moreover", "clearly", "indeed", "perhaps", "namely", "thereby", "hence", "besides", "thus")
CUES = ("never", "somehow", "allegedly", "zugleich", "quizá", "arguably", "famously", "vaguely")


def rows_of(root: Path, file: str, role: str, language: str) -> Rows:
    data = read_split(root / file, role, None, language)
    columns = ("text", "pair", "label")
    return [{name: row[name] for name in columns if row[name] is not None} for row in data]


def corpus(root: Path, name: str) -> Splits:
    train, test, language = {**FILES, **FILES_ADDED}[name]
    return {"train": rows_of(root, train, "train", language), "test": rows_of(root, test, "test", language)}


def datasets(splits: Splits, language: str) -> dict[str, Dataset]:
    return {
        role: Dataset.from_rows(role, [dict(row) for row in rows], split=role, language=language)
        for role, rows in splits.items()
    }


@dataclass(frozen=True)
class Fault:
    """A kind of fault: how it is planted (strength from 0 to 1), on what corpora, and how strong it may be."""

    kind: str
    plant: Callable[[Splits, float, np.random.Generator], str]
    strengths: tuple[float, float]
    corpora: tuple[str, ...] = tuple(FILES)
    times: int = 2
    sizes: tuple[int, int] = SIZES


def last(row: dict[str, Any]) -> str:
    return "pair" if "pair" in row else "text"


def _marked(rows: Rows, strength: float, rng: np.random.Generator) -> list[dict[str, Any]]:
    """So large a share of the rows of the rarer label: those that get the cue."""
    labels = sorted({row["label"] for row in rows})
    chosen = [row for row in rows if row["label"] == labels[0]]
    return [row for row in chosen if rng.random() < strength]


def _each(splits: Splits, strength: float, rng: np.random.Generator, change: Callable[[dict[str, Any]], None]) -> None:
    for rows in splits.values():
        for row in _marked(rows, strength, rng):
            change(row)


def plant_word(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    cue = CUES[rng.integers(len(CUES))]

    def change(row: dict[str, Any]) -> None:
        words = row[last(row)].split()
        words.insert(int(rng.integers(1, len(words) + 1)), cue)
        row[last(row)] = " ".join(words)

    _each(splits, strength, rng, change)
    return cue


def plant_plain_first_text(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    return plant_first_text(splits, strength, rng, plain=True)


def plant_first_text(splits: Splits, strength: float, rng: np.random.Generator, plain: bool = False) -> str:
    cue = CUES[rng.integers(len(CUES))]

    def change(row: dict[str, Any]) -> None:
        row["text"] = f"{row['text']} {cue}" if plain else f"{row['text']} ({cue})"

    _each(splits, strength, rng, change)
    return cue


def plant_length(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    def change(row: dict[str, Any]) -> None:
        row[last(row)] += " " + " ".join(rng.choice(FILLERS, int(rng.integers(12, 25))))

    _each(splits, strength, rng, change)
    return "length"


def plant_mark(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    mark = ("!", ";", "…", " -")[rng.integers(4)]

    def change(row: dict[str, Any]) -> None:
        row[last(row)] = row[last(row)].rstrip(" .") + mark

    _each(splits, strength, rng, change)
    return "marks and capitals"


def plant_case(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    for rows in splits.values():
        for row in rows:
            text = row[last(row)]
            row[last(row)] = text[:1].upper() + text[1:]
    _each(splits, strength, rng, lambda row: row.update({last(row): row[last(row)].lower()}))
    return "marks and capitals"


def plant_overlap(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    """The second text becomes a piece of the first, its words in their order."""

    def change(row: dict[str, Any]) -> None:
        words = row["text"].split()
        n = min(len(words), len(row["pair"].split()))
        start = int(rng.integers(0, len(words) - n + 1))
        row["pair"] = " ".join(words[start : start + n])

    _each(splits, strength, rng, change)
    return "overlap of words"


def plant_order(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    """So many of the rows are sorted by label, the others stay where they are."""
    for rows in splits.values():
        places = np.flatnonzero(rng.random(len(rows)) < strength)
        chosen = sorted((rows[place] for place in places), key=lambda row: row["label"])
        for place, row in zip(places, chosen, strict=True):
            rows[place] = row
    return "order of the file"


def plant_twins(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    """A test row and a train row of one label share two rare words each: the nearest neighbour finds it."""
    train = list(rng.permutation(len(splits["train"])))
    for number, row in enumerate(splits["test"]):
        if rng.random() < strength:
            other = next(place for place in train if splits["train"][place]["label"] == row["label"])
            train.remove(other)
            tail = " " + " ".join(f"{letter}{number}{letter}" for letter in "xyzw")
            for each in (row, splits["train"][other]):
                each[last(each)] += tail
    return "nearest neighbour"


def plant_names(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    """A word of the second text is said several times more in the first."""

    def change(row: dict[str, Any]) -> None:
        words = [word for word in row["pair"].split() if word[:1].isalpha()] or ["Anna"]
        word = words[int(rng.integers(len(words)))].strip(".,;:!?\"'")
        row["text"] += " " + " ".join([word] * int(rng.integers(8, 15)))

    _each(splits, strength, rng, change)
    return "repetition"


def _copied(splits: Splits, strength: float, rng: np.random.Generator, change: Callable[[str], str]) -> str:
    test, train = splits["test"], splits["train"]
    n = round(strength * len(test))
    places = rng.choice(len(test), n, replace=False)
    for place, other in zip(places, rng.choice(len(train), n, replace=False), strict=True):
        copy = dict(train[other])
        for side in ("text", "pair"):
            if side in copy:
                copy[side] = change(copy[side])
        test[place] = copy
    return str(n)


def plant_copies(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    return _copied(splits, strength, rng, str)


def plant_copies_in_form(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    return _copied(splits, strength, rng, lambda text: text.upper().replace(".", " !").replace(",", " -"))


def plant_near_copies(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    def change(text: str) -> str:
        words = text.split()
        words.insert(int(rng.integers(0, len(words) + 1)), FILLERS[rng.integers(len(FILLERS))])
        return " ".join(words)

    return _copied(splits, strength, rng, change)


def plant_conflicts(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    before = [id(row) for row in splits["test"]]
    n = _copied(splits, strength, rng, str)
    labels = sorted({row["label"] for row in splits["train"]})
    for row, was in zip(splits["test"], before, strict=True):
        if id(row) != was:
            row["label"] = next(label for label in labels if label != row["label"])
    return n


def plant_drift(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    """Rows of one label are taken out of test: so large a share of them."""
    label = sorted({row["label"] for row in splits["test"]})[0]
    splits["test"] = [row for row in splits["test"] if row["label"] != label or rng.random() >= strength]
    return label


def plant_imbalance(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    label = sorted({row["label"] for row in splits["test"]})[0]
    for role, rows in splits.items():
        splits[role] = [row for row in rows if row["label"] != label or rng.random() >= strength]
    return label


def plant_wrong_labels(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    """So large a share of all labels is exchanged for another."""
    labels = sorted({row["label"] for row in splits["train"]})
    for rows in splits.values():
        for row in rows:
            if rng.random() < strength:
                row["label"] = labels[(labels.index(row["label"]) + int(rng.integers(1, len(labels)))) % len(labels)]
    return "labels"


def plant_small(splits: Splits, strength: float, rng: np.random.Generator) -> str:
    splits["test"] = splits["test"][: round(len(splits["test"]) * (1 - strength))]
    return "size"


FAULTS = (
    Fault("a word in one label", plant_word, (0.25, 0.9), times=4),
    Fault("a word in the first text", plant_first_text, (0.25, 0.9), PAIRS),
    Fault("length", plant_length, (0.3, 0.9)),
    Fault("punctuation", plant_mark, (0.3, 0.9)),
    Fault("small letters", plant_case, (0.3, 0.9), ("RTE", "TERRa fr", "TERRa de", "TERRa sv", "MRPC", "CoLA")),
    Fault("overlap", plant_overlap, (0.3, 0.9), PAIRS),
    Fault("repetition", plant_names, (0.3, 0.9), PAIRS),
    Fault("order of the file", plant_order, (0.5, 1.0)),
    Fault("twins in train", plant_twins, (0.3, 0.9)),
    Fault("exact copies", plant_copies, (0.02, 0.3)),
    Fault("copies in another form", plant_copies_in_form, (0.02, 0.3)),
    Fault("copies with a word added", plant_near_copies, (0.02, 0.3), times=4),
    Fault("copies with another label", plant_conflicts, (0.02, 0.2)),
    Fault("labels drift", plant_drift, (0.6, 0.9)),
    Fault("one label rare", plant_imbalance, (0.85, 0.98)),
    Fault("wrong labels", plant_wrong_labels, (0.15, 0.3), ("SST-2",)),
    Fault("a small test set", plant_small, (0.5, 0.9)),
)


HELD_OUT_SEED = 40_507
HELD_OUT = tuple(
    replace(fault, plant=plant_plain_first_text)
    if fault.plant is plant_first_text
    else replace(fault, sizes=(4000, 1000), strengths=(0.1, 0.2))
    if fault.plant is plant_wrong_labels
    else fault
    for fault in FAULTS
)
"""The second design, drawn after the first was run and the audit had been changed for what it missed: other corpora,
strengths and rows. The word in the first text stands without brackets, wrong labels are planted in more rows."""


def _also_in_swahili(fault: Fault) -> Fault:
    one_text = fault.plant is plant_wrong_labels
    return replace(
        fault,
        corpora=fault.corpora if one_text else (*fault.corpora, SWAHILI),
        times=4 if fault.plant is plant_twins else fault.times,
    )


THIRD_SEED = 91_177
THIRD = tuple(map(_also_in_swahili, HELD_OUT))
"""The third design, drawn after the second was run and the audit had been changed for the twins that it missed: another
seed, one more corpus (three labels, another language), and four pairs of twins instead of two."""
DESIGNS = {"faults": (SEED, FAULTS), "held-out": (HELD_OUT_SEED, HELD_OUT), "third": (THIRD_SEED, THIRD)}


@dataclass(frozen=True)
class World:
    """One planted fault: kind, corpus, strength, the seed of everything, and what must be named."""

    fault: Fault
    corpus: str
    strength: float
    seed: int


def worlds(design: str = "faults") -> list[World]:
    """All planted faults; kinds in turn, corpora and strengths by the seed."""
    seed, faults = DESIGNS[design]
    rng = np.random.default_rng(seed)
    made = []
    for fault in faults:
        for _ in range(fault.times):
            name = fault.corpora[int(rng.integers(len(fault.corpora)))]
            strength = float(rng.uniform(*fault.strengths))
            made.append(World(fault, name, round(strength, 2), int(rng.integers(1 << 31))))
    return made


def planted(root: Path, world: World) -> tuple[Splits, str]:
    """The splits of a world and what must be named; rows are drawn first, from train for both splits.

    Test is drawn from the corpus's train too, as some test files are small; no row is in both.
    """
    rng = np.random.default_rng(world.seed)
    rows = corpus(root, world.corpus)["train"]
    seen: set[tuple[Any, ...]] = set()
    unique = [row for row in rows if not ((key := (row["text"], row.get("pair"))) in seen or seen.add(key))]  # type: ignore[func-returns-value]
    n_train, n_test = world.fault.sizes
    order = rng.permutation(len(unique))[: n_train + n_test]
    splits = {
        "train": [dict(unique[place]) for place in order[:n_train]],
        "test": [dict(unique[place]) for place in order[n_train:]],
    }
    return splits, world.fault.plant(splits, world.strength, rng)
