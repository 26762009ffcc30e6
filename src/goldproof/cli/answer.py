"""The first screen of a report on the terminal and in `--json`: the question, its answer, and what it would take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from goldproof.report.summary import Answer


def show_answer(question: str, answer: Answer) -> None:
    """Print the question and the answer, a line for each sentence."""
    from goldproof.report.cells import answer_lines

    for line in (question, *answer_lines(answer)):
        typer.echo(line.encode("utf-8", "backslashreplace").decode("utf-8"))  # a folder's name may be no Unicode


def answer_form(question: str, answer: Answer) -> dict[str, Any]:
    """The same for a program."""
    words = {"kind": answer.kind, "sentence": answer.sentence, "takes": answer.takes, "notes": list(answer.notes)}
    return {"question": question, "answer": words}
