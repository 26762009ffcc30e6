"""The files of the page: `claims.html` with its full reports beside it, the claim to paste, and `evidence.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from goldproof.claiming import titles
from goldproof.report.every_eval_ever import Evaluation, record_of
from goldproof.report.html import html_page
from goldproof.report.hub_results import hub_results
from goldproof.report.latex import escape as latex_escape
from goldproof.report.markdown import escape as markdown_escape
from goldproof.report.scores import Score, scores_of, table_scores
from goldproof.report.summary import Claim, Report
from goldproof.report.write import FORMATS, write_file, write_report
from goldproof.version import __version__

PAGE, EVIDENCE = "claims.html", "evidence.json"
BESIDE = ("audit", "score", "languages", "layers")  # the folders of full reports that a page may have
REPORT_FILES = tuple(pattern for form in FORMATS.values() for pattern in form.files.split(", "))


def write_page(report: Report, out: Path, evidence: str) -> Iterator[Path]:
    """Write the page and all that stands beside it."""
    _remove_stale(report, out)
    formats = [name for name in FORMATS if name != "html"]
    yield from write_report(replace(report, beside={}), out, formats)
    for name, each in report.beside.items():
        yield from write_report(each, out / name)
    texts = {PAGE: html_page(report), EVIDENCE: evidence, **_texts(report)}
    for name, text in texts.items():
        write_file(out / name, text)
        yield out / name


def _remove_stale(report: Report, out: Path) -> None:
    """Remove full reports of an earlier page in this folder that this one does not have, and no other file."""
    if not (out / EVIDENCE).exists():
        return
    for name in BESIDE:
        folder = out / name
        if name in report.beside or not (folder / "summary.json").is_file() or folder.is_symlink():
            continue
        for pattern in REPORT_FILES:
            for path in folder.glob(pattern):
                path.unlink()
        for each in (folder / "tables", folder / "figures", folder):
            if each.is_dir() and not any(each.iterdir()):
                each.rmdir()


def _texts(report: Report) -> dict[str, str]:
    """The claim as people paste it: for a paper, for a page, for a model card, and for those who collect scores."""
    sentence = "" if report.answer is None else report.answer.sentence
    found = {
        "claim.md": f"{markdown_escape(sentence)}\n",
        "claim.tex": f"{latex_escape(sentence)}\n",
        "model-card.md": _card(report, sentence),
    }
    scores = _scores(report)
    if scores:
        dataset = str(report.provenance.get("data", ""))
        about = Evaluation(str(report.provenance.get("model", "")), dataset, version=__version__)
        record = record_of(scores, about)
        found["eval_results.yaml"] = hub_results(scores, dataset, "text-classification")
        found["every_eval_ever.json"] = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    return found


def _scores(report: Report) -> list[Score]:
    model = str(report.provenance.get("model", ""))
    return scores_of(table_scores(report, "score-of-the-model"), model)


def _card(report: Report, sentence: str) -> str:
    """A section for a model card: the claim, the lights, what may not be claimed."""
    lights = [line for line in report.verdict if isinstance(line, Claim)]
    refused = next((section for section in report.sections if section.title == titles.REFUSED), None)
    lines = ["## What may be claimed", "", markdown_escape(sentence), ""]
    lines += [f"- **{each.standing.capitalize()}** {markdown_escape(each.text)}" for each in lights]
    if refused is not None:
        lines += ["", "Not claimed:", ""]
        lines += [f"- {markdown_escape(getattr(item, 'text', ''))}" for item in refused.items]
    return "\n".join(
        [*lines, "", f"Made by Goldproof {__version__}; `evidence.json` says what each number rests on.", ""]
    )
