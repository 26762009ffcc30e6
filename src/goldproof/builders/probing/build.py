"""`build_tasks`: probing tasks from treebanks, in two passes over the sentences and memory bounded by the sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from goldproof.builders.probing import filters, targets
from goldproof.builders.probing.balance import DEPTH_SHARES, balance, correlate, decorrelate
from goldproof.builders.probing.sampling import LabelledSentence, Sampler, rank_of
from goldproof.builders.probing.source import Treebanks
from goldproof.builders.probing.splits import SplitSizes, TaskRow, split_rows
from goldproof.builders.probing.survey import Survey, survey
from goldproof.builders.probing.tasks import DEPTHS, ProbingTask, RuleContext, choose_tasks
from goldproof.builders.probing.tree import Tree
from goldproof.builders.probing.verdict import RuleVerdict
from goldproof.data.checking.duplicates import normalize
from goldproof.data.dataset import Dataset, Provenance, SourceFile
from goldproof.errors import UsageError
from goldproof.extras import require

_MIN_SHARE = 0.1  # of the words of a part of speech that must carry a feature a task needs


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """The rules of the paper; `min_per_class` is what a class needs, below it the task (or the lemma) is left out."""

    tasks: tuple[str, ...] = ()
    sizes: SplitSizes = field(default_factory=SplitSizes)
    seed: int = 0
    tokens: tuple[int, int] = (5, 25)
    min_frequency: float = 0.9
    min_per_class: int = 10
    word_ranks: tuple[int, int] = (1500, 3000)
    n_words: int = 1000
    n_sequences: int = 19
    one_part_of_speech: bool = True
    lexicon: str | None = None

    def __post_init__(self) -> None:
        least, most = self.tokens
        if not 1 <= least < most:
            raise UsageError(f"tokens must be a minimum of at least 1 and a larger maximum; got {least} and {most}")
        if self.min_per_class < 3:
            raise UsageError(f"min_per_class must be at least 3, one for each split; got {self.min_per_class}")


@dataclass(frozen=True, slots=True)
class BuiltTask:
    """The rows of a task, how many sentences got no label and why, and figures that belong to the task."""

    task: ProbingTask
    rows: tuple[TaskRow, ...]
    labelled: Mapping[str, int]
    reasons: Mapping[str, int]
    notes: Mapping[str, float | int | str | None]

    def dataset(self, language: str, provenance: Provenance) -> Dataset:
        """The rows as a dataset."""
        rows = [
            {
                "id": f"{number}:{row.candidate.id}",
                "split": row.split,
                "text": row.candidate.text,
                "label": row.candidate.label,
                "tokens": list(row.candidate.tokens),
            }
            for number, row in enumerate(self.rows)
        ]
        made = Dataset.from_rows(self.task.name, rows, language=language)
        return Dataset(self.task.name, made.table, provenance)


@dataclass(frozen=True, slots=True)
class Built:
    """The tasks that were built, and why the others were not."""

    language: str
    settings: BuildSettings
    files: tuple[SourceFile, ...]
    tasks: tuple[BuiltTask, ...]
    skipped: Mapping[str, str]
    n_sentences: int
    left_out: Mapping[str, int]

    @property
    def provenance(self) -> Provenance:
        """Where the sentences come from."""
        return Provenance("probing tasks from " + ", ".join(file.name for file in self.files), self.files)


@dataclass(slots=True)
class _Work:
    """A task while sentences pass by."""

    task: ProbingTask
    sampler: Sampler
    labelled: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    lengths: Counter[tuple[str, int]] = field(default_factory=Counter)


def build_tasks(treebanks: Treebanks, settings: BuildSettings | None = None) -> Built:
    """Label, sample, balance and split the sentences of the treebanks for each task that they allow."""
    settings = settings or BuildSettings()
    tasks = choose_tasks(settings.tasks)
    require(*filters.filter_needs(treebanks.language, settings.min_frequency))
    left_out: Counter[str] = Counter()
    found = survey(treebanks.trees(left_out))
    skipped = {task.name: why for task in tasks if (why := why_impossible(task, treebanks.language, found))}
    words = targets.choose_words(found, settings.word_ranks, settings.n_words, settings.min_per_class)
    context = RuleContext(
        treebanks.language,
        settings.seed,
        settings.tokens,
        found,
        frozenset(words.lemmas),
        frozenset(targets.choose_sequences(found, settings.n_sequences, settings.min_per_class)),
    )
    works = [_Work(task, Sampler(_capacity(task, context, settings))) for task in tasks if task.name not in skipped]
    _label_all(treebanks, works, context, settings, left_out)
    built = []
    for work in works:
        outcome = _finish(work, settings, words)
        if isinstance(outcome, str):
            skipped[work.task.name] = outcome
        else:
            built.append(outcome)
    files = treebanks.describe()
    return Built(treebanks.language, settings, files, tuple(built), skipped, found.n_sentences, dict(left_out))


def why_impossible(task: ProbingTask, language: str, found: Survey) -> str | None:
    """Why the language or the treebank does not allow a task, or None."""
    if task.languages and language not in task.languages:
        return f"its rules are for {', '.join(task.languages)}; the language is {language}"
    for upos, feature in task.needs:
        share = found.share_with(upos, feature)
        if share < _MIN_SHARE:
            return f"the treebank lacks {feature}: {share:.1%} of its words tagged {upos} have it"
    return None


def _capacity(task: ProbingTask, context: RuleContext, settings: BuildSettings) -> int:
    """Candidates to keep of each stratum: a class, or for TreeDepth a depth and length."""
    if task.name == "TreeDepth":
        n_lengths = context.lengths[1] - context.lengths[0] + 1
        return max(settings.min_per_class, 3 * settings.sizes.total // (len(DEPTHS) * n_lengths) + 1)
    if task.varies:
        return settings.sizes.total // 2
    n_classes = len(task.classes or (context.word_targets if task.name == "WC" else context.top_classes)) or 1
    return max(settings.min_per_class, -(-settings.sizes.total // n_classes))


def _label_all(
    treebanks: Treebanks, works: list[_Work], context: RuleContext, settings: BuildSettings, left_out: Counter[str]
) -> None:
    frequency = filters.make_frequency(treebanks.language) if settings.min_frequency > 0 else None
    lexicon = filters.read_lexicon(settings.lexicon)
    is_single = filters.make_is_single(treebanks.language, context.survey, lexicon)
    least, most = settings.tokens
    for tree in treebanks.trees(check=False):
        if not least <= len(tree.surface) <= most:
            left_out[f"not {least} to {most} tokens"] += 1
        elif frequency is not None and (frequency(tree) or 0.0) < settings.min_frequency:
            left_out[f"mean frequency of lemmas below {settings.min_frequency} per million"] += 1
        else:
            key = normalize(tree.sentence.text)
            for work in works:
                _offer(work, tree, key, context, is_single if settings.one_part_of_speech else None)


def _offer(work: _Work, tree: Tree, key: str, context: RuleContext, is_single: filters.IsSingle | None) -> None:
    verdict = work.task.rule(tree, context)
    reason = _why_not(work.task, verdict, is_single)
    if verdict.label is None or reason:
        work.reasons[reason] += 1
        return
    work.labelled[verdict.label] += 1
    candidate = LabelledSentence(
        key,
        tree.sentence.id,
        verdict.label,
        verdict.tokens or tree.forms,
        verdict.target.form if verdict.target else None,
        rank_of(context.seed, work.task.name, key),
    )
    if work.task.name == "TreeDepth":
        cell = (verdict.label, len(candidate.tokens))
        work.lengths[cell] += 1
        work.sampler.offer(cell, candidate)
    else:
        work.sampler.offer(verdict.label, candidate)


def _why_not(task: ProbingTask, verdict: RuleVerdict, is_single: filters.IsSingle | None) -> str:
    if verdict.label is None:
        return verdict.reason
    if task.semantic and is_single is not None and verdict.target and not is_single(verdict.target.form):
        return "the target word has several parts of speech"
    return ""


def _finish(work: _Work, settings: BuildSettings, words: targets.WordTargets) -> BuiltTask | str:
    strata = work.sampler.strata()
    notes: dict[str, float | int | str | None] = {}
    if work.task.name == "TreeDepth":
        chosen = _finish_depths(work, strata, settings, notes)
    else:
        chosen = {str(label): rows for label, rows in sorted(strata.items(), key=lambda item: str(item[0]))}
    if work.task.varies:
        chosen = {label: rows for label, rows in chosen.items() if label in _classes(work, chosen)}
    if not work.task.classes:  # lemmas, sequences: those that are too rare are left out
        chosen = {label: rows for label, rows in chosen.items() if len(rows) >= settings.min_per_class}
    small = _why_too_small(work, chosen, settings.min_per_class)
    if small:
        return small
    if work.task.name == "WC":
        notes |= {"lemmas": len(chosen), "first rank": words.first_rank, "last rank": words.last_rank}
    if work.task.name != "TreeDepth":
        chosen = balance(chosen, settings.sizes.total // len(chosen))
    rows = split_rows(chosen, settings.sizes)
    return BuiltTask(work.task, rows, dict(sorted(work.labelled.items())), dict(work.reasons.most_common()), notes)


def _finish_depths(
    work: _Work,
    strata: Mapping[Hashable, list[LabelledSentence]],
    settings: BuildSettings,
    notes: dict[str, float | int | str | None],
) -> dict[str, list[LabelledSentence]]:
    cells = {stratum: rows for stratum, rows in strata.items() if isinstance(stratum, tuple)}
    chosen = decorrelate(cells, DEPTH_SHARES, settings.sizes.total)
    after = Counter((row.label, len(row.tokens)) for rows in chosen.values() for row in rows)
    notes["correlation of depth and length before"] = correlate(work.lengths)
    notes["correlation of depth and length after"] = correlate(after)
    return chosen


def _classes(work: _Work, chosen: Mapping[str, list[LabelledSentence]]) -> tuple[str, ...]:
    """The classes that must be there; of genders those that a hundredth of the sentences have, rarer ones are slips."""
    if not work.task.varies:
        return work.task.classes or tuple(chosen)
    return tuple(label for label in work.task.classes if 100 * work.labelled[label] >= work.labelled.total() > 0)


def _why_too_small(work: _Work, chosen: Mapping[str, list[LabelledSentence]], least: int) -> str | None:
    labels = _classes(work, chosen)
    if len(labels) < 2:
        return f"fewer than two classes have {least} sentences"
    label = min(labels, key=lambda name: len(chosen.get(name, ())))
    n = len(chosen.get(label, ()))
    if n >= least:
        return None
    common = max(work.reasons.items(), key=lambda item: item[1], default=None)
    tail = f"; most sentences were left out because {common[0]} ({common[1]})" if common else ""
    return f"class {label} has {n} sentences, and {least} are needed{tail}"
