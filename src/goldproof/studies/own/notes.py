"""What is said of the user's data before work starts and in the report: rows, columns, and what was done to them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from goldproof.data.dataset import UNKNOWN_LANGUAGE
from goldproof.studies.own.checks import labels_of, n_empty, n_repeated
from goldproof.studies.own.files import OpenedFile, splits_said
from goldproof.studies.own.parts import HELD_OUT, choose_rows

if TYPE_CHECKING:
    from goldproof.studies.own.resolve import OwnData, OwnSet, Wants

_MOST_SHOWN = 6
_MOST_LANGUAGES = 6
_FEW_ROWS = 4


def describe(own: OwnData, wants: Wants) -> tuple[str, ...]:
    """The notes on these data, in sentences."""
    rare = _rare_tags(own) if wants.tags else ()
    cut = _cut(own, wants.validation)
    found = (*_sizes(own), *_unused(own, wants), *_columns(own, wants.tags), *_splits(own, wants), *cut, *_drawn(own))
    return (*found, *_empty(own), *_repeated(own), *_lone_classes(own), *rare)


def _sizes(own: OwnData) -> Iterator[str]:
    """How many rows of each split there are, in each language where any is known, and which classes."""
    every = dict.fromkeys(language for language, _ in own.sets)
    counts = {
        language: ", ".join(f"{len(own.sets[language, split].data):,} {split}" for split in own.splits(language))
        for language in every
    }
    shown = list(counts.items())[:_MOST_LANGUAGES]
    said = "; ".join(f"{language}: {found}" for language, found in shown)
    more = f"; and {len(counts) - len(shown)} more languages" if len(counts) > len(shown) else ""
    rows = f"rows: {counts[UNKNOWN_LANGUAGE]}" if list(every) == [UNKNOWN_LANGUAGE] else f"rows in {said}{more}"
    classes = f", {len(own.classes)} classes ({_listed(own.classes)})" if own.classes else ""
    yield f"{own.name}: {rows}{classes}."


def _unused(own: OwnData, wants: Wants) -> Iterator[str]:
    """Languages that a study which trains on each has only test rows of."""
    if wants.source:
        return
    there = {split: _languages_of(own, split) for split in ("train", "test")}
    left_out = [language for language in there["test"] if language not in (*there["train"], *own.languages)]
    if left_out:
        yield f"Test rows in {_listed(left_out)} are not used: there are no training rows in the same language."


def _languages_of(own: OwnData, split: str) -> list[str]:
    """The languages of all rows of the files of a split, as far as a column says them."""
    found: dict[str, None] = {}
    for (_, each_split), each in own.sets.items():
        columns = each.file.columns
        if each_split == split and columns.language_column is not None:
            part = replace(each.job.arguments["part"], language="", cut="", most=None)
            found |= dict.fromkeys(choose_rows(each.file.data, part).languages)
    return list(found)


def _columns(own: OwnData, with_tags: bool) -> Iterator[str]:
    """Which column plays which part, once where all files agree."""
    seen: dict[str, str] = {}
    for each in own.sets.values():
        columns = each.file.columns
        parts = {part: name for part, name in columns.parts.items() if part not in ("id", "split")}
        said = [f"{part} {name!r}" for part, name in parts.items()]
        said += [f"tags {', '.join(map(repr, columns.tags))}"] if columns.tags and with_tags else []
        guess = f" ({_listed(each.file.by_cells)} recognised by their contents)" if each.file.by_cells else ""
        said = said or ["those of questions in SQuAD's shape"]
        seen.setdefault(f"Columns: {', '.join(said)}{guess}.", each.file.name)
    if len(seen) == 1:
        yield next(iter(seen))
    else:
        yield from (f"{name}: {said[0].lower()}{said[1:]}" for said, name in seen.items())
    tags = dict.fromkeys(name for each in own.sets.values() for name in each.file.columns.tags)
    if tags and not with_tags:
        yield f"Not used: {', '.join(map(repr, tags))}, because this study takes no item categories."


def _splits(own: OwnData, wants: Wants) -> Iterator[str]:
    """Rows that are left out because their file's column says another split, and columns that do not say the file's."""
    used: dict[Path, tuple[OpenedFile, dict[str, str]]] = {}
    for (_, split), each in own.sets.items():
        if split != "validation" or wants.validation:
            used.setdefault(each.file.path, (each.file, {}))[1][split] = each.job.arguments["part"].split
    for file, chosen in used.values():
        yield from split_notes(file, chosen)


def split_notes(file: OpenedFile, chosen: Mapping[str, str]) -> Iterator[str]:
    """What a file's column of splits did to the parts it is used for, each with the split that was chosen of its rows.

    A part of which none was chosen has all rows.
    """
    said, column = splits_said(file), file.columns.split_column
    whole = next((part for part, split in chosen.items() if not split), "")
    if whole and said and whole not in said:
        n = len(file.data)
        marked = f"No row of {file.name} is marked as {whole!r} in its column {column!r}, which has {_counted(said)}"
        yield f"{marked}: all {n:,} are used as {whole} data."
    left_out = {} if whole else {split: n for split, n in said.items() if split not in chosen.values()}
    if left_out:
        used = " or ".join(repr(split) for split in dict.fromkeys(chosen.values()))
        rest = _counted(left_out)
        yield f"Used of {file.name}: the rows that its column {column!r} marks as {used}; left out: {rest}."


def _counted(said: Mapping[str, int]) -> str:
    """Words with the numbers of their rows."""
    return _listed([f"{word!r} ({n:,} {'row' if n == 1 else 'rows'})" for word, n in sorted(said.items())])


def _cut(own: OwnData, with_validation: bool) -> Iterator[str]:
    if not with_validation:
        if any(split == "validation" for _, split in own.sets):
            yield "The validation data are not used: this study does not choose anything on them."
        return
    cut = {language: each for (language, split), each in own.sets.items() if split == "validation" and _is_cut(each)}
    if cut:
        counts = {language: (len(each.data), _n_whole(each)) for language, each in cut.items()}
        of = "each class" if own.kind in ("text", "pair") else "them"
        how = f"{100 * HELD_OUT:g} % of {of}, drawn by their texts"
        rows = _by_language(counts, "{} of the {} training rows")
        kept = "are held out to choose the checkpoint and not trained on"
        yield f"No validation data were given: {rows} ({how}) {kept}."


def _drawn(own: OwnData) -> Iterator[str]:
    """How many of the training rows are used where there are more than was asked for."""
    counts = {}
    for (language, split), each in own.sets.items():
        n = len(choose_rows(each.file.data, replace(each.job.arguments["part"], most=None)))
        if split == "train" and n > len(each.data):
            counts[language] = (len(each.data), n)
    if counts:
        rows = _by_language(counts, "{} of the {} training rows")
        by_class = ", each class by its share" if own.kind in ("text", "pair") else ""
        yield f"Used to train: {rows}{by_class}, drawn by their texts (the setting 'data.most_train')."


def _lone_classes(own: OwnData) -> Iterator[str]:
    """Classes with hardly anything to learn from, such as no test item has, and such as look alike."""
    few, none = _classes_up_to(own, "train", _FEW_ROWS), _classes_up_to(own, "test", 0)
    for found, what in ((few, f"fewer than {_FEW_ROWS + 1} training rows"), (none, "no test item")):
        if found:
            yield f"{len(found)} {'class has' if len(found) == 1 else 'classes have'} {what}: {_listed(found)}."
    forms: dict[str, list[str]] = defaultdict(list)
    for name in own.classes:
        forms[name.strip().casefold()].append(repr(name))
    alike = [" and ".join(names) for names in forms.values() if len(names) > 1]
    if alike:
        yield f"Classes that differ in blanks or in upper and lower case alone: {_listed(alike)}; are they the same?"


def _classes_up_to(own: OwnData, split: str, most: int) -> list[str]:
    """The classes that at most so many rows of a split have, in each language by itself."""
    if own.kind not in ("text", "pair"):
        return []
    several = len(own.languages) > 1
    found = []
    for (language, each_split), each in own.sets.items():
        counts = Counter(labels_of(own.kind, each.data))
        lone = [name for name in own.classes if counts[name] <= most] if each_split == split else []
        found += [f"{name} ({language})" if several else name for name in lone]
    return found


def _n_whole(held: OwnSet) -> int:
    """How many training rows there were before some were held out."""
    return len(choose_rows(held.file.data, replace(held.job.arguments["part"], cut="")))


def _by_language(counts: Mapping[str, tuple[int, int]], form: str) -> str:
    """Two numbers for each language in a sentence; of one language, or one that is not known, without its name."""
    said = [(language, form.format(*(f"{n:,}" for n in numbers))) for language, numbers in counts.items()]
    if len(said) == 1:
        return said[0][1]
    shown = [f"{text} ({language})" for language, text in said[:_MOST_LANGUAGES]]
    rest = f" and so in {len(said) - len(shown)} more languages" if len(said) > len(shown) else ""
    return ", ".join(shown) + rest


def _is_cut(each: OwnSet) -> bool:
    return bool(each.job.arguments["part"].cut == "held")


def _empty(own: OwnData) -> Iterator[str]:
    counts = {split: 0 for _, split in own.sets}
    for (_, split), each in own.sets.items():
        counts[split] += n_empty(each.data)
    found = [f"{n:,} {split}" for split, n in counts.items() if n]
    if found:
        yield f"Rows with an empty text: {', '.join(found)}. They are kept and count like any other row."


def _repeated(own: OwnData) -> Iterator[str]:
    found: dict[str, tuple[int, int]] = {}
    for (language, split), tested in own.sets.items():
        training = own.sets.get((language, "train"))
        if split == "test" and training is not None:
            n = n_repeated(tested.data, training.data)
            found |= {language: (n, len(tested.data))} if n else {}
    if found:
        items = _by_language(found, "{} of the {} test items")
        yield f"{items} also occur in the training data; a model may remember them, so its score may be too high."


def _rare_tags(own: OwnData) -> Iterator[str]:
    found = []
    for (language, split), tested in own.sets.items():
        if split == "test":
            counts = Counter(tag for tags in tested.data.table.column("tags").to_pylist() for tag in set(tags))
            where = f" ({language})" if len(own.languages) > 1 else ""
            found += [f"{tag}{where}" for tag in sorted(tag for tag, n in counts.items() if n == 1)]
    if found:
        verb = "tag occurs" if len(found) == 1 else "tags occur"
        yield (
            f"{len(found)} {verb} on one test item only: {_listed(found)}; one item says nothing about a category, "
            "so none of them is tested."
        )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    rest = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(names[:_MOST_SHOWN]) + rest
