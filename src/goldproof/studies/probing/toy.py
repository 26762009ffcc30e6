"""Generated probing tasks in toy languages, so that the study runs with no corpus at hand.

Single words decide `past_present` and `subj_number`, their number `sentence_length`; `bigram_shift` is decided by their
order alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.jobs import step

TASKS = ("sentence_length", "bigram_shift", "past_present", "subj_number")
_WORDS = {
    "en": ("cat dog bird fish mouse horse", "cats dogs birds fish mice horses", "sees finds calls", "saw found called",
           "here now today often quietly again outside slowly"),
    "ru": ("кот пёс дрозд лещ мышь конь", "коты псы дрозды лещи мыши кони", "видит найдёт ждёт", "видел нашёл ждал",
           "тут здесь сегодня часто тихо снова снаружи медленно"),
}  # fmt: skip


def _rows_made(arguments: Mapping[str, Any]) -> float | None:
    n: int = arguments["n"]
    return n


@step(version=1, name="goldproof.probing.generate", size=_rows_made, paced_by=())
def generate(task: str, language: str, n: int, seed: int) -> Dataset:
    """So many sentences of a task, a tenth of the labels wrong, in three splits."""
    if language not in _WORDS or task not in TASKS:
        raise UsageError(f"generated tasks are {', '.join(TASKS)} in {', '.join(_WORDS)}; got {task!r} in {language!r}")
    rng = np.random.default_rng([seed, TASKS.index(task), len(language)])
    rows = []
    for number in range(n):
        text, label = _sentence(task, language, rng)
        split = "train" if number < 0.6 * n else "validation" if number < 0.7 * n else "test"
        rows.append({"text": f"{text} {number}", "label": label, "split": split})
    return Dataset.from_rows(f"generated-{task}-{language}", rows, language=language)


def _sentence(task: str, language: str, rng: np.random.Generator) -> tuple[str, str]:
    one, many, present, past, more = (words.split() for words in _WORDS[language])
    label, shown = bool(rng.random() < 0.5), bool(rng.random() < 0.9)
    value = {task: label == shown}
    plural, was = (value.get(name, bool(rng.random() < 0.5)) for name in ("subj_number", "past_present"))
    tail = [str(rng.choice(more)) for _ in range(1 + int(rng.integers(3)) + 4 * value.get("sentence_length", 0))]
    words = [str(rng.choice(many if plural else one)), str(rng.choice(past if was else present)), str(rng.choice(one))]
    words += tail
    if value.get("bigram_shift"):
        words[1], words[2] = words[2], words[1]
    return " ".join(words), "yes" if label else "no"
