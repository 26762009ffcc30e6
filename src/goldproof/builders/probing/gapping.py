"""The Gapping task from files of the AGRR-2019 corpus (Ponomareva et al. 2019): 1 where a predicate is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from goldproof.builders.probing.balance import balance
from goldproof.builders.probing.build import BuildSettings, Built, BuiltTask
from goldproof.builders.probing.sampling import LabelledSentence, Sampler, rank_of
from goldproof.builders.probing.splits import split_rows
from goldproof.builders.probing.tasks import TASKS
from goldproof.data.checking.duplicates import normalize
from goldproof.data.corpora.published import read_published
from goldproof.data.formats.files import describe_file
from goldproof.errors import DataError

_TOKEN = re.compile(r"\w+(?:-\w+)*|[^\w\s]")


def tokenize(text: str) -> tuple[str, ...]:
    """Words, with their inner hyphens, and single marks.

    >>> tokenize("Я ездила дважды, кто-то – трижды.")
    ('Я', 'ездила', 'дважды', ',', 'кто-то', '–', 'трижды', '.')
    """
    return tuple(_TOKEN.findall(text))


def build_gapping(paths: Sequence[str | Path], settings: BuildSettings | None = None) -> Built:
    """The task from AGRR files: their sentences pooled, filtered by length, balanced and split anew."""
    settings = settings or BuildSettings()
    task = TASKS["Gapping"]
    sampler = Sampler(settings.sizes.total // 2)
    labelled: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    least, most = settings.tokens
    n_sentences = 0
    for path in map(Path, paths):
        for item in read_published(path, "agrr-tsv", language="ru", split="all"):
            n_sentences += 1
            tokens = tokenize(item["text"])
            if not least <= len(tokens) <= most:
                left_out[f"not {least} to {most} tokens"] += 1
                continue
            labelled[item["label"]] += 1
            key = normalize(item["text"])
            rank = rank_of(settings.seed, task.name, key)
            identity = f"{path.name} {item['id']}"
            sampler.offer(item["label"], LabelledSentence(key, identity, item["label"], tokens, None, rank))
    classes = {str(label): rows for label, rows in sorted(sampler.strata().items(), key=lambda item: str(item[0]))}
    small = [label for label in task.classes if len(classes.get(label, ())) < settings.min_per_class]
    if small:
        n = len(classes.get(small[0], ()))
        raise DataError(f"class {small[0]} has {n} sentences, and {settings.min_per_class} are needed", path=paths[0])
    rows = split_rows(balance(classes, settings.sizes.total // 2), settings.sizes)
    built = BuiltTask(task, rows, dict(sorted(labelled.items())), {}, {})
    files = tuple(describe_file(Path(path)) for path in paths)
    return Built("ru", settings, files, (built,), {}, n_sentences, dict(left_out))
