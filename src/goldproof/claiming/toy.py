"""Small files and a small model to show a page with: generated reviews, and a transformer that knows their words."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from goldproof.claiming.data import TOY
from goldproof.models.tiny import write_tiny_model
from goldproof.report.write import write_file
from goldproof.studies.corruption import toy

WORD = re.compile(r"\w+|[^\w\s]")


def write_reviews(folder: Path) -> tuple[Path, Path]:
    """Write generated reviews, to train on and to test on, and give the files."""
    paths = []
    for split in ("train", "test"):
        data, text = toy.generate(TOY, split), io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["text", "label"])
        writer.writerows(zip(data.texts, data.table.column("label").to_pylist(), strict=True))
        paths.append(folder / f"reviews-{split}.csv")
        write_file(paths[-1], text.getvalue())
    return paths[0], paths[1]


def write_reviews_model(folder: Path) -> Path:
    """Write a transformer of two layers with random weights that knows the words of the reviews."""
    texts = [text for split in ("train", "test") for text in toy.generate(TOY, split).texts]
    words = {word for text in texts for word in WORD.findall(text)}
    if not (folder / "config.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_tiny_model(folder, words)
    return folder
