"""What is said of the user's data before work starts and in the report: rows, columns, and what was done to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from goldproof.studies.own.checks import n_repeated
from goldproof.studies.own.parts import HELD_OUT, choose_rows

if TYPE_CHECKING:
    from goldproof.studies.own.resolve import OwnData, OwnSet, Wants

_MOST_SHOWN = 6
_MOST_LANGUAGES = 6


def describe(own: OwnData, wants: Wants) -> tuple[str, ...]:
    """The notes on these data, in sentences."""
    rare = _rare_tags(own) if wants.tags else ()
    return (*_sizes(own), *_columns(own, wants.tags), *_cut(own, wants.validation), *_repeated(own), *rare)


def _sizes(own: OwnData) -> Iterator[str]:
    every = dict.fromkeys(language for language, _ in own.sets)
    counts = {
        language: {split: len(own.sets[language, split].data) for split in own.splits(language)} for language in every
    }
    shown = list(counts.items())[:_MOST_LANGUAGES]
    said = [f"{language}: " + ", ".join(f"{n:,} {split}" for split, n in found.items()) for language, found in shown]
    more = f"; and {len(counts) - len(shown)} more languages" if len(counts) > len(shown) else ""
    classes = f", {len(own.classes)} classes ({_listed(own.classes)})" if own.classes else ""
    yield f"{own.name}: rows in {'; '.join(said)}{more}{classes}."


def _columns(own: OwnData, with_tags: bool) -> Iterator[str]:
    """Which column plays which part, once where all files agree."""
    seen: dict[str, str] = {}
    for each in own.sets.values():
        columns = each.file.columns
        parts = {part: name for part, name in columns.parts.items() if part not in ("id", "split")}
        said = [f"{part} {name!r}" for part, name in parts.items()]
        said += [f"tags {', '.join(map(repr, columns.tags))}"] if columns.tags and with_tags else []
        guess = f" ({_listed(each.file.by_cells)} by what stands in it)" if each.file.by_cells else ""
        said = said or ["those of questions in SQuAD's shape"]
        seen.setdefault(f"Columns: {', '.join(said)}{guess}.", each.file.name)
    if len(seen) == 1:
        yield next(iter(seen))
    else:
        yield from (f"{name}: {said[0].lower()}{said[1:]}" for said, name in seen.items())


def _cut(own: OwnData, with_validation: bool) -> Iterator[str]:
    if not with_validation:
        if any(split == "validation" for _, split in own.sets):
            yield "The validation data are not used: this study chooses nothing on them."
        return
    for (language, split), held in own.sets.items():
        if split == "validation" and _is_cut(held):
            n = len(held.data)
            whole = len(choose_rows(held.file.data, replace(held.job.arguments["part"], cut="")))
            yield (
                f"No validation data were given ({language}): {n} of the {whole:,} training rows ({100 * HELD_OUT:g} % "
                "of each class, drawn by their texts) are held out to choose the checkpoint, and not trained on."
            )


def _is_cut(each: OwnSet) -> bool:
    return bool(each.job.arguments["part"].cut == "held")


def _repeated(own: OwnData) -> Iterator[str]:
    for (language, split), tested in own.sets.items():
        training = own.sets.get((language, "train"))
        if split == "test" and training is not None:
            n = n_repeated(tested.data, training.data)
            if n:
                yield (
                    f"{n} of the {len(tested.data):,} test items ({language}) also stand in the training data; a model "
                    "may remember them, so its score may be too high."
                )


def _rare_tags(own: OwnData) -> Iterator[str]:
    for (language, split), tested in own.sets.items():
        if split != "test":
            continue
        counts = Counter(tag for tags in tested.data.table.column("tags").to_pylist() for tag in set(tags))
        rare = [tag for tag, n in counts.items() if n == 1]
        if rare:
            verb = "tag stands" if len(rare) == 1 else "tags stand"
            yield (
                f"{len(rare)} {verb} on one test item only ({language}): {_listed(sorted(rare))}; one item says "
                "nothing of a category, so none of them is tested."
            )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    rest = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(names[:_MOST_SHOWN]) + rest
