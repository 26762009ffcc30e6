"""The command line: parse, call the library, print. One file per command; heavy imports wait until a command runs.

Results go to stdout, progress and errors to stderr; exit codes are `goldproof.errors.ExitCode`.
"""

from __future__ import annotations

import sys
from typing import Any

import typer

from goldproof.cli import (
    annotate,
    audit,
    build,
    check,
    claims,
    corrupt,
    cues,
    demo,
    export,
    judge,
    list_,
    rank,
    report,
    run,
    status,
    store,
    verify,
)
from goldproof.errors import ExitCode, GoldproofError
from goldproof.version import __version__

WrongUse: Any = typer.BadParameter.__mro__[2]  # what typer raises for a wrong command line, wherever it keeps it

app = typer.Typer(
    name="goldproof",
    help="How much of an NLU score is gold?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# Short, as longer lines are cut off in the list of commands.
app.command("list", short_help="List studies, their settings, corpora and plugins.")(list_.list_all)
app.command("run", short_help="Run or resume a study, and write its report.")(run.run)
app.command("report", short_help="Write a study's report again from the store.")(report.report)
app.command("status", short_help="Show what the store holds and what would run again.")(status.status)
app.command("check", short_help="Find leaks between splits, duplicates and empty texts.")(check.check)
app.command("claims", short_help="Write one page on what you may claim of a model.")(claims.claims)
app.command("verify", short_help="Check the evidence behind such a page.")(verify.verify)
app.command("audit", short_help="Can the data be solved without understanding?")(audit.audit)
app.command("corrupt", short_help="Remove word classes from the texts of a file.")(corrupt.corrupt)
app.command("cues", short_help="Count word cues where predictions are right or wrong.")(cues.cues)
app.command("annotate", short_help="Mark linguistic features that rules can find.")(annotate.annotate)
app.command("score", short_help="Score predictions: intervals, categories, stability.")(judge.score)
app.command("compare", short_help="Compare two models' predictions; a gate for CI.")(judge.compare)
app.command("rank", short_help="Rank models: which ranks are real?")(rank.rank)
app.command("export", short_help="Put a report's scores into a model card or MLflow.")(export.export)
app.command("demo", short_help="See a small study, from start to report.")(demo.demo)
app.add_typer(build.app, name="build")
app.add_typer(store.app, name="store")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"goldproof {__version__}")
        raise typer.Exit


@app.callback()
def _goldproof(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_show_version, is_eager=True),
) -> None:
    """Say how much of an NLU score is gold."""


def main() -> None:
    """Run the command line and exit with its code."""
    from goldproof.jobs.interrupts import ending_in_order

    with ending_in_order() as request:
        code = run_command(sys.argv[1:])
    sys.exit(request.exit_code if code == ExitCode.INTERRUPTED else code)


def run_command(arguments: list[str]) -> int:
    """Run one command and give its exit code; errors are printed, never raised."""
    try:
        code = app(arguments, standalone_mode=False)
    except GoldproofError as error:
        typer.echo(f"error: {error}", err=True)
        return int(error.exit_code)
    except WrongUse as error:
        asked_for_nothing = type(error).__name__ == "NoArgsIsHelpError"
        typer.echo(("" if asked_for_nothing else "error: ") + error.format_message(), err=True)
        return int(ExitCode.WRONG_USE)
    except (KeyboardInterrupt, typer.Abort):
        code = int(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        return int(ExitCode.DONE)
    except PermissionError as error:  # wherever it was met, it is no fault of ours
        typer.echo(f"error: {error.filename or 'a file'}: {error.strerror or error}", err=True)
        return int(ExitCode.WRONG_USE)
    except Exception as error:  # noqa: BLE001 - a fault of ours is told as one, and never as a verdict
        return _own_fault(error)
    if code == ExitCode.INTERRUPTED:  # typer may turn the interrupt into this code itself
        typer.echo("interrupted: finished work is kept; the same command carries on from there", err=True)
    return code if isinstance(code, int) else int(ExitCode.DONE)


def _own_fault(error: Exception) -> int:
    """Say in one line that the fault is Goldproof's own, and keep the traceback for a report of it."""
    import tempfile
    import traceback

    what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    text = "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="goldproof-", suffix=".log", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as log:
            log.write(f"goldproof {__version__} {' '.join(sys.argv[1:])}\n{text}")
        where = f"; please report it with {log.name}"
    except OSError:
        where = ""
    typer.echo(f"error: a fault of Goldproof's own, not of what you gave it ({what}){where}", err=True)
    return int(ExitCode.OUR_FAULT)
