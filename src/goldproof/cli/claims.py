"""`goldproof claims --model FOLDER --train FILE --test FILE`: what may be claimed, on one page, within some minutes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.cli.run import show_report
from goldproof.errors import UsageError

if TYPE_CHECKING:
    from goldproof.claiming.running import ClaimsPage
    from goldproof.claiming.work import ClaimsNews, Listener


def claims(  # noqa: PLR0913 - one parameter per option
    model: Annotated[
        str,
        typer.Option(
            help="Encoder to fine-tune or language model to ask, as [NAME=]FOLDER; or endpoint:URL#NAME to ask."
        ),
    ],
    train: Annotated[Path, typer.Option(help="File of training rows.")],
    test: Annotated[
        list[str], typer.Option(metavar="[LANG=]FILE", help="File of test rows; with LANG= one in another language.")
    ],
    validation: Annotated[Path | None, typer.Option(help="File of validation rows [a tenth of train].")] = None,
    language: Annotated[str | None, typer.Option(help="Language code of the train and test files.")] = None,
    reference: Annotated[str | None, typer.Option(help="Model to compare with, trained the same way.")] = None,
    minutes: Annotated[float, typer.Option(help="How long it may take; the plan is shown first.")] = 15.0,
    budget: Annotated[
        float | None, typer.Option(help="The most that an endpoint's answers may cost, at endpoint.price.")
    ] = None,
    name: options.DataName = None,
    pairs: options.SettingPairs = None,
    store: options.StoreFolder = None,
    out: options.Out = None,
    runner: options.RunnerName = "serial",
    as_json: options.AsJson = False,
) -> int:
    """Say what you may claim of a model: its score, what moves it, what else reaches it, and how far it goes."""
    from goldproof.claiming.running import request_settings, run_claims
    from goldproof.jobs.store import find_store
    from goldproof.studies.settings import Choice

    main, others = _tests(test)
    given = request_settings(model, train, main, others, validation, language, name or "", reference)
    given |= {"endpoint.budget": budget} if budget is not None else {}
    folder = options.report_folder(out, "claims")
    with following_claims() as tell:
        choice = Choice(pairs=(*(f"{key}={_toml(value)}" for key, value in given.items()), *(pairs or ())))
        page = run_claims(choice, minutes, find_store(store), runner=runner, out=folder, progress=tell)
    show_claims(page, as_json)
    return 0


def _tests(given: list[str]) -> tuple[str, dict[str, str]]:
    """The test file in the language of training, and the others by language."""
    alone = [text for text in given if Path(text).exists() or "=" not in text]
    if len(alone) != 1:
        raise UsageError(
            "--test names one file in the language of training, and others as LANG=FILE; "
            f"got {len(alone)} without a language: {', '.join(alone) or 'none'}"
        )
    parts = [text.partition("=") for text in given if text != alone[0]]
    twice = [code for code, _, _ in parts if sum(each[0] == code for each in parts) > 1]
    if twice:
        raise UsageError(f"--test names two files in the language {twice[0]!r}")
    return alone[0], {code: file for code, _, file in parts}


def _toml(value: object) -> str:
    """A setting as --set takes it: text as it is, several as a TOML list."""
    import json

    return json.dumps(list(value), ensure_ascii=False) if isinstance(value, tuple) else str(value)


@contextmanager
def following_claims() -> Iterator[Listener]:
    """Lines and one progress line with the time that is left, on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task("claims", total=1.0, left="")
    said = ""

    def tell(news: ClaimsNews) -> None:
        nonlocal said
        for line in news.lines:
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        if news.outcome is not None and news.outcome.status == "failed":
            from goldproof.cli.progress import say

            say(news.outcome, console)
        left = _left(news)
        if news.at and not console.is_terminal and news.at != said:
            line = f"{time.strftime('%H:%M:%S')} {news.at}{left and f' ({left})'}"
            console.print(line, markup=False, highlight=False, soft_wrap=True)
            said = news.at
        done = 0.0 if not news.planned else max(0.0, 1 - news.left / news.planned)
        bar.update(task, completed=done, description=(news.at or "claims")[:60], left=left)

    with bar:
        yield tell


def _left(news: ClaimsNews) -> str:
    from goldproof.claiming.stages import minutes_text

    return f"about {minutes_text(news.left)} left" if news.left else ""


def show_claims(page: ClaimsPage, as_json: bool) -> None:
    """Print the claim, the lights, and where the page is."""
    from goldproof.cli.answer import answer_form
    from goldproof.report.summary import Claim

    report = page.report
    files = [str(path) for path in page.files]
    if not as_json:
        show_report(report, ())
        for path in page.files:
            if path.name in ("claims.html", "evidence.json"):
                typer.echo(f"{path.stem if path.suffix == '.json' else 'page'}: {path}")
        return
    lights = [{"colour": each.standing, "sentence": each.text} for each in report.verdict if isinstance(each, Claim)]
    answer = {} if report.answer is None else answer_form(report.title, report.answer)
    options.print_json({**answer, "lights": lights, "left_out": list(page.config.left_out), "files": files})
