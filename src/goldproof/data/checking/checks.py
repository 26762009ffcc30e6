"""`check`: what is wrong with a corpus before anything is trained on it. It gives a typed report and prints nothing.

Per split: rows, vocabulary, words per sample, labels, empty texts, repeated ids, exact and near duplicates, one item
with two labels, mirrored pairs. Between splits: shared items, near copies (`matches.py`) and first texts, identical
files, unseen labels. Between languages: whether rows are aligned. Words are runs of letters and digits, case aside;
in languages written without spaces their number means little.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from goldproof.data.checking.alignment import Alignment, aligned_groups, compare_rows
from goldproof.data.checking.duplicates import (
    Repeat,
    count_words,
    find_conflicts,
    find_mirrored,
    find_repeats,
    normalize,
)
from goldproof.data.checking.matches import KINDS, NEAR, SplitMatches, SplitRows, count_steps, match_rows
from goldproof.data.checking.parts import DataPart, Gathered, RowPlace, gather
from goldproof.data.columns import Columns
from goldproof.data.dataset import UNKNOWN_LANGUAGE
from goldproof.errors import UsageError

CheckProgress = Callable[[str, int, int], None]  # what is at hand, how many steps are done, and of how many
Severity = Literal["problem", "warning", "note"]
_ORDER = {"problem": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class ProblemExample:
    """A place, the place it goes with (the twin, the earlier row), and the text that stands there."""

    place: RowPlace
    other: RowPlace | None
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something found: `count` out of `total` rows (or files, or languages), with a few examples.

    A *problem* makes a score wrong, a *warning* may, a *note* is good to know.
    """

    kind: str
    severity: Severity
    where: str
    message: str
    count: int
    total: int
    examples: tuple[ProblemExample, ...] = ()


@dataclass(frozen=True, slots=True)
class SplitSummary:
    """The figures of one group, language and split; `labels` counts rows by label, unlabelled rows left out."""

    group: str
    language: str
    split: str
    files: tuple[str, ...]
    rows: int
    vocabulary: int
    words_per_sample: float
    labels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What the check found, the most serious first."""

    splits: tuple[SplitSummary, ...]
    findings: tuple[Finding, ...]
    alignments: tuple[Alignment, ...]
    unread: Mapping[str, str]

    def of(self, kind: str) -> tuple[Finding, ...]:
        """The findings of one kind."""
        return tuple(finding for finding in self.findings if finding.kind == kind)

    def to_json(self) -> str:
        """The whole report as JSON, the same bytes for the same files."""
        value = asdict(self)
        for entry, alignment in zip(value["alignments"], self.alignments, strict=True):
            entry["aligned"] = alignment.aligned
        return json.dumps(value, ensure_ascii=False, indent=2)


def check(
    source: Any,
    *,
    near: float = NEAR,
    max_examples: int = 3,
    columns: Columns | None = None,
    progress: CheckProgress | None = None,
) -> CheckReport:
    """Check files or folders; language, split and group are read off their names, columns off their headers or cells.

    A data frame, an Arrow table or rows may stand in their place, or a mapping from split to file or table:
    `check({"train": train, "test": test})`. `columns` names the columns of the files; those it does not
    name are guessed.

    `near` is the Jaccard similarity of words and neighbouring words from which rows count as near copies; 1 switches
    the search off, and only copies that differ in case, punctuation and blanks are found.
    """
    if not 0 < near <= 1:
        raise UsageError(f"near must be above 0 and at most 1; got {near}")
    gathered = gather(source, columns)
    by_language: dict[tuple[str, str], list[DataPart]] = defaultdict(list)
    by_split: dict[tuple[str, str], list[DataPart]] = defaultdict(list)
    for part in gathered.parts:
        by_language[part.group, part.language].append(part)
        by_split[part.group, part.split].append(part)
    findings: list[Finding] = []
    for parts, matches in zip(by_language.values(), _match(list(by_language.values()), near, progress), strict=True):
        for number, part in enumerate(parts):
            findings += _check_part(part, matches[number, number], near, max_examples)
        for (a, part_a), (b, part_b) in combinations(enumerate(parts), 2):
            findings += _check_splits(part_a, part_b, max_examples)
            findings += _check_copies(part_a, part_b, matches[a, b], near, max_examples)
    findings += _check_files(gathered)
    alignments = [
        alignment
        for parts in by_split.values()
        for a, b in combinations(parts, 2)
        if (alignment := compare_rows(a, b)) is not None
    ]
    findings += _check_alignments(alignments)
    findings.sort(key=lambda finding: (_ORDER[finding.severity], finding.where, finding.kind))
    summaries = tuple(_summarize(part) for part in gathered.parts)
    return CheckReport(summaries, tuple(findings), tuple(alignments), dict(gathered.unread))


def _summarize(part: DataPart) -> SplitSummary:
    texts = [*part.texts, *(pair for pair in part.pairs if pair is not None)]
    vocabulary, n_words = count_words(texts)
    labels = Counter(label for label in part.labels if label is not None)
    return SplitSummary(
        group=part.group,
        language=part.language,
        split=part.split,
        files=tuple(dict.fromkeys(part.files)),
        rows=len(part.texts),
        vocabulary=vocabulary,
        words_per_sample=n_words / len(part.texts),
        labels=dict(sorted(labels.items())),
    )


_Matches = Mapping[tuple[int, int], Sequence[SplitMatches]]


def _match(corpora: Sequence[Sequence[DataPart]], near: float, progress: CheckProgress | None) -> Iterator[_Matches]:
    """For each corpus the copies of whole rows by the numbers of its two splits, the earlier first."""
    given = [
        [
            SplitRows(str(number), part.texts, part.pairs if part.has_pairs else None, part.labels)
            for number, part in enumerate(parts)
        ]
        for parts in corpora
    ]
    n_before, n_steps = 0, sum(map(count_steps, given))
    for rows in given:

        def tell(what: str, n_done: int, before: int = n_before) -> None:
            if progress is not None:
                progress(what, before + n_done, n_steps)

        found: dict[tuple[int, int], list[SplitMatches]] = defaultdict(list)
        for match in match_rows(rows, near, tell, one_side=False):
            found[int(match.earlier), int(match.later)].append(match)
        n_before += count_steps(rows)
        yield found


def _check_part(part: DataPart, matches: Sequence[SplitMatches], near: float, max_examples: int) -> Iterator[Finding]:
    items = part.items
    what = "pairs" if part.has_pairs else "texts"
    exact = find_repeats(items)
    repeated = {repeat.row for repeat in exact}
    distinct = [row for row in range(len(items)) if row not in repeated]
    normalized = [tuple(None if text is None else normalize(text) for text in items[row]) for row in distinct]
    same = [Repeat(distinct[r.row], distinct[r.earlier]) for r in find_repeats(normalized)]
    nearly = [twin for match in matches if match.field == "row" for twin in _twins(match, match.kind >= _DIGITS)]
    empty = [Repeat(row, row) for row, item in enumerate(items) if any(t is not None and not t.strip() for t in item)]
    found: list[tuple[str, Severity, str, Sequence[Repeat]]] = [
        ("empty", "problem", "rows have an empty text", empty),
        ("repeated-id", "warning", "rows have the id of an earlier row", find_repeats(part.ids)),
        ("duplicate", "warning", f"rows repeat the {what} of an earlier row exactly", exact),
        ("conflict", "problem", "rows repeat an earlier row with another label", find_conflicts(items, part.labels)),
        ("same-but-form", "warning", "rows repeat an earlier row except for case, punctuation and spaces", same),
        ("near-duplicate", "note", f"rows nearly repeat another row{_alike(near)}", nearly),
        ("mirrored", "note", "rows have a mirrored twin, the same two texts swapped", find_mirrored(items)),
    ]
    for kind, severity, text, repeats in found:
        if repeats:
            yield _finding(kind, severity, part, text, repeats, max_examples)


def _finding(
    kind: str, severity: Severity, part: DataPart, text: str, repeats: Sequence[Repeat], max_examples: int
) -> Finding:
    examples = tuple(
        ProblemExample(
            part.place(r.row), part.place(r.earlier) if r.earlier != r.row else None, _shorten(part.texts[r.row])
        )
        for r in repeats[:max_examples]
    )
    total = len(part.texts)
    message = f"{len(repeats)} of {total} {text}"
    return Finding(kind, severity, part.name, message, len(repeats), total, examples)


def _check_splits(a: DataPart, b: DataPart, max_examples: int) -> Iterator[Finding]:
    """What the later of two splits shares with the earlier one."""
    paired = a.has_pairs and b.has_pairs
    keys: list[tuple[str, Severity, str, list[object], list[object]]] = [
        ("shared-item", "problem", "pairs" if paired else "texts", list(a.items), list(b.items)),
    ]
    if paired:
        keys.append(("shared-text", "warning", "first texts", list(a.texts), list(b.texts)))
    where = f"{a.name} / {b.split}"
    total = len(b.texts)
    for kind, severity, what, ours, theirs in keys:
        first = {key: row for row, key in reversed(list(enumerate(ours)))}
        shared = [row for row, key in enumerate(theirs) if key in first]
        if shared:
            shown = shared[:max_examples]
            twins = [a.place(first[theirs[row]]) for row in shown]
            examples = tuple(
                ProblemExample(b.place(row), twin, _shorten(b.texts[row]))
                for row, twin in zip(shown, twins, strict=True)
            )
            message = f"{len(shared)} of the {total} {what} of {b.split} also occur in {a.split}"
            yield Finding(kind, severity, where, message, len(shared), total, examples)
    unseen = sorted({label for label in b.labels if label} - {label for label in a.labels if label})
    if a.split == "train" and unseen and any(a.labels):
        count = sum(label in unseen for label in b.labels)
        message = (
            f"{count} of the {total} rows of {b.split} have a label that train does not have: {', '.join(unseen[:5])}"
        )
        yield Finding("unseen-label", "problem", where, message, count, total)


def _check_copies(
    a: DataPart, b: DataPart, matches: Sequence[SplitMatches], near: float, max_examples: int
) -> Iterator[Finding]:
    """Rows of the later split that differ from one of the earlier in form or in a few words, equal ones left aside."""
    copied: list[Repeat] = []
    contrasted: list[Repeat] = []
    for match in matches:
        differs = (match.kind > KINDS.index("exact")) | (match.field == "swapped")
        contrast = (match.kind >= _DIGITS) & (match.agree == 0)
        copied += _twins(match, differs & ~contrast)
        contrasted += _twins(match, differs & contrast)
    what, where, total = "pairs" if a.has_pairs and b.has_pairs else "texts", f"{a.name} / {b.split}", len(b.texts)
    found: list[tuple[str, Severity, str, list[Repeat]]] = [
        ("near-item", "problem", f"are near copies of rows in {a.split}{_alike(near)}", copied),
        ("contrast", "note", f"are near copies of rows in {a.split} with another label{_alike(near)}", contrasted),
    ]
    for kind, severity, text, twins in found:
        if twins:
            examples = tuple(
                ProblemExample(b.place(twin.row), a.place(twin.earlier), _shorten(b.texts[twin.row]))
                for twin in sorted(twins, key=lambda twin: twin.row)[:max_examples]
            )
            message = f"{len(twins)} of the {total} {what} of {b.split} {text}"
            yield Finding(kind, severity, where, message, len(twins), total, examples)


_DIGITS = KINDS.index("digits")


def _twins(match: SplitMatches, wanted: Any) -> list[Repeat]:
    at = np.flatnonzero(wanted)
    columns = (match.row[at].tolist(), match.of[at].tolist(), match.similarity[at].tolist())
    return [Repeat(*twin) for twin in zip(*columns, strict=True)]


def _alike(near: float) -> str:
    return f" (similarity {near} or more, or a word added)" if near < 1 else " (but for form)"


def _check_files(gathered: Gathered) -> Iterator[Finding]:
    by_digest: dict[str, list[str]] = defaultdict(list)
    for file, source in gathered.files:
        by_digest[source.sha256].append(file)
    for same in by_digest.values():
        if len(same) > 1:
            across = len({gathered.splits[file] for file in same}) > 1
            severity: Severity = "problem" if across else "warning"
            tail = ", though they are different splits" if across else ""
            message = f"{len(same)} files are identical byte for byte{tail}: {', '.join(same)}"
            yield Finding("identical-files", severity, same[0], message, len(same), len(gathered.files))


def _check_alignments(alignments: Sequence[Alignment]) -> Iterator[Finding]:
    """One finding for each group and split with several languages.

    Languages that are aligned in no split are taken for different corpora, and only noted.
    """
    related: dict[str, set[frozenset[str]]] = defaultdict(set)
    by_split: dict[tuple[str, str], list[Alignment]] = defaultdict(list)
    for alignment in alignments:
        if UNKNOWN_LANGUAGE not in alignment.languages:
            by_split[alignment.group, alignment.split].append(alignment)
        if alignment.aligned:
            related[alignment.group].add(frozenset(alignment.languages))
    for (group, split), found in by_split.items():
        clusters = aligned_groups(found)
        n_languages = sum(map(len, clusters))
        where = f"{group} {split}".strip()
        if len(clusters) == 1:
            message = f"{n_languages} languages are aligned row by row: {', '.join(clusters[0])}"
            yield Finding("aligned", "note", where, message + _counts(found), n_languages, n_languages)
            continue
        broken = [one for one in found if not one.aligned and frozenset(one.languages) in _closure(related[group])]
        together = "; ".join(", ".join(cluster) for cluster in clusters if len(cluster) > 1) or "none"
        alone = ", ".join(cluster[0] for cluster in clusters if len(cluster) == 1) or "none"
        message = f"languages aligned row by row with each other: {together}; with none: {alone}"
        if broken:
            message += f" ({_describe(broken[0])})"
        yield Finding("not-aligned", "warning" if broken else "note", where, message, len(broken), len(found))


def _closure(pairs: set[frozenset[str]]) -> set[frozenset[str]]:
    """Every two languages that a chain of aligned pairs joins."""
    joined: list[set[str]] = []
    for pair in pairs:
        touching = [group for group in joined if group & pair]
        joined = [group for group in joined if group not in touching] + [set(pair).union(*touching)]
    return {frozenset(two) for group in joined for two in combinations(sorted(group), 2)}


def _describe(alignment: Alignment) -> str:
    a, b = alignment.languages
    labels = "" if alignment.label_agreement is None else f"labels agree in {alignment.label_agreement:.0%} of rows, "
    return f"{a} and {b}: {labels}lengths correlate with {alignment.length_correlation:.2f}"


def _counts(found: Sequence[Alignment]) -> str:
    rows = {language: n for one in found for language, n in zip(one.languages, one.n_rows, strict=True)}
    if len(set(rows.values())) == 1:
        return ""
    return " (rows differ: " + ", ".join(f"{language} {n}" for language, n in sorted(rows.items())) + ")"


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:79] + "…"
