"""The command line: parse, call the library, print. One file per command; heavy imports wait until a command runs.

Results go to stdout, progress and errors to stderr. Exit codes: 0 done, 1 some job failed, 2 wrong use.
"""

from __future__ import annotations

import sys

import click
import typer

from assay import __version__
from assay.cli import build, check, demo, list_, report, run, status
from assay.errors import AssayError

app = typer.Typer(
    name="assay",
    help="How much of an NLU score is gold?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("list")(list_.list_all)
app.command("run")(run.run)
app.command("report")(report.report)
app.command("status")(status.status)
app.command("check")(check.check)
app.command("demo")(demo.demo)
app.add_typer(build.app, name="build")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _assay(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_show_version, is_eager=True),
) -> None:
    """Say how much of an NLU score is gold."""


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: list[str]) -> int:
    """Run one command and give its exit code; errors are printed, never raised."""
    try:
        code = app(arguments, standalone_mode=False)
    except AssayError as error:
        typer.echo(f"error: {error}", err=True)
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        typer.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        typer.echo(f"error: {error.format_message()}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        typer.echo("interrupted: finished work is kept; the same command goes on from there", err=True)
        return 130
    except BrokenPipeError:
        return 0
    return code if isinstance(code, int) else 0
