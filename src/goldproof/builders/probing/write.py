"""Built tasks as files: the published formats, and beside them where the rows come from, their figures and the check.

senteval     TASK.txt, lines split<TAB>label<TAB>text (tr, va, te), file names as SentEval has them
rusenteval   the same columns, file names as RuSentEval has them
xprobe       TASK/{tr,va,te}.txt, lines text<TAB>label
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from goldproof.builders.probing.build import Built, BuiltTask
from goldproof.builders.probing.splits import SPLITS, TaskRow
from goldproof.builders.probing.statistics import Statistics, describe, why_few
from goldproof.data.checking.checks import CheckReport, check
from goldproof.errors import UsageError
from goldproof.version import __version__

FORMATS = ("rusenteval", "senteval", "xprobe")
_SHORT = dict(zip(SPLITS, ("tr", "va", "te"), strict=True))


def write_tasks(built: Built, folder: str | Path, form: str = "rusenteval") -> CheckReport:
    """Write every task, `build.json` and `README.md`; gives what the leak check found in the files."""
    if form not in FORMATS:
        raise UsageError(f"there is no format {form!r}; allowed: {', '.join(FORMATS)}")
    try:
        return _write_all(built, Path(folder), form)
    except OSError as error:
        raise UsageError(f"the tasks cannot be written to {folder}: {error.strerror or error}") from None


def _write_all(built: Built, folder: Path, form: str) -> CheckReport:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [path for task in built.tasks for path in _write_rows(task, folder, form)]
    report = check(paths, near=1.0) if paths else CheckReport((), (), (), {})
    summary = json.dumps(summarize(built, report), ensure_ascii=False, indent=1)
    (folder / "build.json").write_text(summary + "\n", encoding="utf-8")
    (folder / "README.md").write_text(_readme(built, report), encoding="utf-8")
    return report


def file_name(task: BuiltTask, form: str) -> str:
    """The name of a task's file or folder, without an ending."""
    return task.task.file if form == "rusenteval" else task.task.senteval_file or task.task.file


def summarize(built: Built, report: CheckReport) -> dict[str, object]:
    """What was built, from what and how, as plain values; the same for the same files and settings."""
    return {
        "goldproof": __version__,
        "language": built.language,
        "settings": asdict(built.settings),
        "sources": [asdict(file) for file in built.files],
        "sentences": built.n_sentences,
        "left out": dict(sorted(built.left_out.items())),
        "tasks": {
            task.task.name: {
                "question": task.task.question,
                "labelled": task.labelled,
                "without a label": task.reasons,
                "notes": task.notes,
                "statistics": [asdict(part) for part in describe(task.rows)],
                "sentence ids": [row.candidate.id for row in task.rows],
            }
            for task in built.tasks
        },
        "skipped": dict(built.skipped),
        "warnings": warnings_of(built),
        "check": [asdict(finding) for finding in report.findings],
    }


def warnings_of(built: Built) -> dict[str, str]:
    """The tasks that have too few test rows to say much, and why."""
    found = {task.task.name: why_few(task.rows) for task in built.tasks}
    return {name: warning for name, warning in found.items() if warning}


def _write_rows(task: BuiltTask, folder: Path, form: str) -> list[Path]:
    name = file_name(task, form)
    if form != "xprobe":
        path = folder / f"{name}.txt"
        _write_lines(path, [f"{_SHORT[row.split]}\t{row.candidate.label}\t{row.candidate.text}" for row in task.rows])
        return [path]
    paths = []
    for split in SPLITS:
        path = folder / name / f"{_SHORT[split]}.txt"
        path.parent.mkdir(exist_ok=True)
        _write_lines(path, [_text_label(row) for row in task.rows if row.split == split])
        paths.append(path)
    return paths


def _text_label(row: TaskRow) -> str:
    return f"{row.candidate.text}\t{row.candidate.label}"


def _write_lines(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def _readme(built: Built, report: CheckReport) -> str:
    lines = [
        f"# Probing tasks ({built.language})",
        "",
        f"Built by Goldproof {__version__} with seed {built.settings.seed} from {built.n_sentences:,} sentences: "
        + ", ".join(f"{file.name} (SHA-256 {file.sha256[:12]})" for file in built.files)
        + ". Settings, sources and sentence ids are in `build.json`.",
        "",
        "| task | split | rows | tokens | unique tokens | tokens/sentence | label distribution, % |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    lines += [_line(task.task.name, part) for task in built.tasks for part in describe(task.rows)]
    notes = [(task.task.name, name, value) for task in built.tasks for name, value in task.notes.items()]
    lines += ["", *(f"- {task}: {name}: {_show(value)}" for task, name, value in notes)]
    warnings = warnings_of(built)
    lines += ["", "Few test rows:", ""] if warnings else []
    lines += [f"- {name}: {warning}." for name, warning in warnings.items()]
    lines += ["", "Not built:", ""] if built.skipped else []
    lines += [f"- {name}: {reason}." for name, reason in built.skipped.items()]
    problems = [finding for finding in report.findings if finding.severity == "problem"]
    lines += ["", f"Leak check: {len(problems)} problems."]
    lines += [f"- {finding.where}: {finding.message}" for finding in problems]
    return "\n".join(lines) + "\n"


def _line(name: str, part: Statistics) -> str:
    shares = [100 * n / part.rows for n in part.labels.values()]
    if len(shares) <= 8:
        labels = "/".join(f"{share:.1f}" for share in shares) + " (" + "/".join(part.labels) + ")"
    else:
        labels = f"{min(shares):.1f} to {max(shares):.1f} a label, {len(shares)} labels"
    return (
        f"| {name} | {part.split} | {part.rows:,} | {part.tokens:,} | {part.unique_tokens:,} "
        f"| {part.tokens_per_sentence:.2f} | {labels} |"
    )


def _show(value: float | int | str | None) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
