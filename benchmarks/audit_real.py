"""`audit` on published corpora: one row each with the best shortcut, the leaks and the lights.

    python benchmarks/audit_real.py [folder of corpora] [--no-labels] [name …]

MNLI has its development set only and CLCD its training files only: shortcuts are then cross-validated, those of CLCD on
3,000 rows of the 10,000, drawn at random. "Second text only" stands beside the best, as literature has it for NLI.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from goldproof.builders.logic.build import CorpusRecipe, build_corpus
from goldproof.builders.logic.write import write_corpus
from goldproof.data.dataset import Dataset, concat
from goldproof.data.one_split import read_split
from goldproof.judging.audit.audit import Audit, audit_splits
from goldproof.judging.audit.settings import AuditSettings
from goldproof.report.numbers import format_interval

ROOT = Path(__file__).parents[1].parent / "shared" / "data"
CLCD = (
    "simple_negation",
    "boolean_coordination",
    "quantifier",
    "equality_and_definite_description",
    "comparative",
    "counting",
    "mixed",
)
FILES: Mapping[str, tuple[Mapping[str, tuple[str, ...]], str]] = {
    "RTE": ({"train": ("entailment/en/train.jsonl",), "test": ("entailment/en/val.jsonl",)}, "en"),
    "TERRa ru (no test labels)": (
        {
            "train": ("entailment/ru/train.jsonl",),
            "validation": ("entailment/ru/val.jsonl",),
            "test": ("entailment/ru/test.jsonl",),
        },
        "ru",
    ),
    **{
        f"TERRa {code}": (
            {
                "train": (f"entailment/{code}/train.jsonl",),
                "validation": (f"entailment/{code}/val.jsonl",),
                "test": (f"entailment/{code}/test.jsonl",),
            },
            code,
        )
        for code in ("fr", "de", "sv")
    },
    "XNLI sw": ({"train": ("xnli/sw/dev.tsv",), "test": ("xnli/sw/test.tsv",)}, "sw"),
    "XNLI ur": ({"train": ("xnli/ur/dev.tsv",), "test": ("xnli/ur/test.tsv",)}, "ur"),
    "XNLI de": (
        {"train": ("xnli/de/train.txt",), "validation": ("xnli/de/dev.txt",), "test": ("xnli/de/test.txt",)},
        "de",
    ),
    "MNLI dev": ({"test": ("entailment/mnli/dev_matched.tsv",)}, "en"),
    "MRPC": ({"train": ("glue/mrpc/msr_paraphrase_train.txt",), "test": ("glue/mrpc/msr_paraphrase_test.txt",)}, "en"),
    "CoLA": (
        {
            "train": ("glue/cola/in_domain_train.tsv",),
            "test": ("glue/cola/in_domain_dev.tsv", "glue/cola/out_of_domain_dev.tsv"),
        },
        "en",
    ),
    "STS-B": (
        {"train": ("glue/stsb/train.csv",), "validation": ("glue/stsb/dev.csv",), "test": ("glue/stsb/test.csv",)},
        "en",
    ),
    "SST-2": (
        {"train": ("glue/sst2/train.tsv",), "validation": ("glue/sst2/dev.tsv",), "test": ("glue/sst2/test.tsv",)},
        "en",
    ),
    "SIB-200 en": (
        {
            "train": ("topics/sib200/en/train.tsv",),
            "validation": ("topics/sib200/en/dev.tsv",),
            "test": ("topics/sib200/en/test.tsv",),
        },
        "en",
    ),
    **{f"CLCD {name}": ({"test": (f"logic/en/{name}_train.csv",)}, "en") for name in CLCD},
    "WikiANN en": ({"train": ("entities/wikiann/en/train.txt",), "test": ("entities/wikiann/en/test.txt",)}, "en"),
}
CLCD_ROWS = 3_000
OURS = "ours, closed, mixed"


def splits_of(root: Path, name: str) -> dict[str, Dataset]:
    if name == OURS:
        with tempfile.TemporaryDirectory() as folder:
            write_corpus(build_corpus(CorpusRecipe(task="7", preset="closed")), Path(folder), "jsonl")
            return {role: read_split(Path(folder) / f"{role}.jsonl", role, None, "en") for role in ("train", "test")}
    files, language = FILES[name]
    found = {}
    for role, several in files.items():
        parts = [read_split(root / file, role, None, language) for file in several]
        renamed = [part.with_column("id", [f"{n}-{i}" for i in range(len(part))]) for n, part in enumerate(parts)]
        found[role] = parts[0] if len(parts) == 1 else concat(role, renamed)
    return found


def row(name: str, found: Audit, seconds: float) -> str:
    sizes = " / ".join(f"{len(data):,}" for data in found.material.splits.values())
    leaked = found.copies.leaked[found.material.judged]
    leaks = "one split" if len(found.material.splits) == 1 else f"{int(leaked.sum())} ({100 * leaked.mean():.1f} %)"
    firsts = sum(each.n for each in found.copies.shared if each.field == "text" and each.earlier != each.later)
    lights = " ".join(f"{light.name}:{light.colour}" for light in found.lights)
    if isinstance(found.shortcuts, str):
        return f"| {name} | {sizes} | {leaks} | {firsts} | {found.shortcuts} | | | | {lights} | {seconds:.0f} |"
    judged = found.shortcuts.judged
    unit = "%" if judged.n_classes else ""
    digits = 1 if judged.n_classes else 3
    scale = 100 if judged.n_classes else 1
    best = judged.best
    score = f"{best.name} {scale * best.score.value:.{digits}f} {format_interval(best.score, digits, unit)}"
    second = next((each.score for each in judged.scores if each.name == "second text only"), None)
    one_side = "" if second is None else f"{scale * second.value:.{digits}f} {format_interval(second, digits, unit)}"
    floor = f"{100 * judged.floor:.1f}" if judged.n_classes else "0"
    return (
        f"| {name} | {sizes} | {leaks} | {firsts} | {score} | {floor} | {100 * best.share.value:.1f} % | {one_side} | "
        f"{lights} | {seconds:.0f} |"
    )


def main(root: Path, names: list[str], labels: bool) -> None:
    titles = ("corpus", "rows", "test rows with a copy", "with a known first text", "best shortcut", "floor")
    more = ("of the way", "second text only", "lights", "seconds")
    print(f"| {' | '.join((*titles, *more))} |\n{'|---' * 10}|", flush=True)
    for name in names or [*FILES, OURS]:
        splits = splits_of(root, name)
        start = time.perf_counter()
        most = CLCD_ROWS if name.startswith("CLCD") else AuditSettings().most_test
        found = audit_splits(splits, AuditSettings(name=name, labels=labels, most_test=most))
        print(row(name, found, time.perf_counter() - start), flush=True)


if __name__ == "__main__":
    given = sys.argv[1:]
    folder = Path(given.pop(0)) if given else ROOT
    main(folder, [name for name in given if name != "--no-labels"], "--no-labels" not in given)
