"""Where tasks come from: suites of the catalog, a folder of one's own, or generated sentences. It only makes jobs."""

from __future__ import annotations

from pathlib import Path

from goldproof.data.corpora.catalog import catalog
from goldproof.data.corpora.steps import corpus_job, published_job
from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.jobs import Job
from goldproof.studies.probing import generated
from goldproof.studies.probing.names import SUITES, paper_tasks, part_of
from goldproof.studies.probing.settings import Config
from goldproof.studies.probing.tasks import Facts, Prepared, describe, prepare

GENERATED_ROWS = 600
_FILES = {"train": "tr.txt", "validation": "va.txt", "test": "te.txt"}


def tasks_of(config: Config, language: str) -> tuple[str, ...]:
    """The tasks in a language, in order: those asked for, as far as its corpus has them."""
    there = _all_tasks(config, language)
    if not config.tasks:
        return there
    if config.corpus == "paper":
        return tuple(task for task in there if task in config.tasks)
    missing = [task for task in config.tasks if task not in there]
    if missing:
        raise UsageError(f"{config.corpus!r} has no task {missing[0]!r} in {language!r}; it has: {', '.join(there)}")
    return config.tasks


def task_job(config: Config, language: str, task: str) -> Job[Prepared]:
    """The job that makes a task ready."""
    return prepare.job(_raw(config, language, task), task, language, config.sizes)


def facts_job(config: Config, language: str, task: str) -> Job[Facts]:
    """The figures of a task."""
    return describe.job(task_job(config, language, task))


def _all_tasks(config: Config, language: str) -> tuple[str, ...]:
    if config.corpus == "generated":
        return generated.TASKS
    if config.corpus == "paper":
        return paper_tasks(language)
    if config.corpus in SUITES:
        return tuple(catalog()[config.corpus].parts)
    folder = _folder(config, language)
    files = [path.stem for path in folder.glob("*.txt")]
    folders = [path.parent.name for path in folder.glob(f"*/{_FILES['test']}")]
    if not files and not folders:
        raise UsageError(
            f"the folder {folder} has no tasks; a task is TASK.txt (split, label, text) or TASK/{{tr,va,te}}.txt "
            "(text, label)"
        )
    return tuple(sorted({*files, *folders}))


def _raw(config: Config, language: str, task: str) -> Job[Dataset]:
    if config.corpus == "generated":
        return generated.generate.job(task, language, GENERATED_ROWS, seed=0)
    if config.corpus == "paper" or config.corpus in SUITES:
        suite = config.corpus if config.corpus in SUITES else "rusenteval" if language == "ru" else "senteval"
        part = part_of(task, suite) if config.corpus == "paper" else task
        return corpus_job(f"{suite}/{part}", language=language, root=config.root or None)
    folder = _folder(config, language)
    one_file = folder / f"{task}.txt"
    if one_file.is_file():
        return published_job({"": one_file}, "split-label-text", language=language)
    files = {split: folder / task / name for split, name in _FILES.items() if (folder / task / name).is_file()}
    return published_job(files, "text-label", language=language)


def _folder(config: Config, language: str) -> Path:
    """The folder of a language's tasks: its own within the corpus where there is one."""
    own = Path(config.corpus) / language
    return own if own.is_dir() else Path(config.corpus)
