"""`goldproof build logic`: write a contradiction corpus whose every label is proved, with its leak certificate."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldproof.cli import options
from goldproof.errors import UsageError

if TYPE_CHECKING:
    from goldproof.builders.logic.build import CorpusRecipe, LogicCorpus
    from goldproof.measures.leaks import Certificate

MOST_CERTIFIED = 50_000  # pairs that the certificate's shortcuts learn from


def logic(  # noqa: PLR0913 - one parameter per option
    task: Annotated[str, typer.Option(help="The task: a number from 1 to 7, or a name.")],
    out: Annotated[Path, typer.Option(help="Folder for the files.")],
    language: Annotated[str, typer.Option(help="en, pt, ru, fr, de, sv, es, or a grammar file *.toml.")] = "en",
    train: Annotated[int, typer.Option(help="Number of training pairs.")] = 10_000,
    test: Annotated[int, typer.Option(help="Number of test pairs.")] = 1_000,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    preset: Annotated[
        str,
        typer.Option(help="closed2 (no leaks known), closed, clcd (as published) or clcd-few (few names)."),
    ] = "closed2",
    n: Annotated[str | None, typer.Option("--n", metavar="LOW-HIGH", help="Keep n within these limits.")] = None,
    form: Annotated[str, typer.Option("--format", help="jsonl, csv or parquet.")] = "jsonl",
    as_json: options.AsJson = False,
) -> int:
    """Write train, test, certificate.json and provenance.json of a proved contradiction corpus."""
    from goldproof.builders.logic.build import CorpusRecipe
    from goldproof.builders.logic.write import FORMATS, dump_json, write_corpus

    if form not in FORMATS:
        raise UsageError(f"there is no format {form!r}; allowed: {', '.join(FORMATS)}")
    corpus = _build(CorpusRecipe(language, task, train, test, seed, preset, read_limits(n)))
    paths = write_corpus(corpus, out, form)
    certificate = _certify(corpus)
    if certificate is not None:
        paths.append(out / "certificate.json")
        paths[-1].write_text(dump_json(certificate.as_json()), encoding="utf-8")
    if as_json:
        shown = None if certificate is None else certificate.as_json()
        options.print_json({"files": [str(path) for path in paths], "certificate": shown})
        return 0
    _show(corpus, certificate, paths)
    return 0


def read_limits(text: str | None) -> tuple[int, int] | None:
    """The limits of `--n`: two numbers, or one.

    >>> read_limits("2-12"), read_limits("5")
    ((2, 12), (5, 5))
    """
    if text is None:
        return None
    low, _, high = text.partition("-")
    if not (low.isdecimal() and (high or low).isdecimal()) or int(low) > int(high or low):
        raise UsageError(f"--n must be a number, or two joined by a hyphen such as 2-12; got {text!r}")
    return int(low), int(high or low)


def _build(recipe: CorpusRecipe) -> LogicCorpus:
    """The corpus, with progress on stderr."""
    from rich.console import Console

    from goldproof.builders.logic.build import build_corpus
    from goldproof.cli.progress import drawn

    with drawn(recipe.n_train + recipe.n_test, Console(stderr=True), "pairs") as draw:
        return build_corpus(recipe, lambda n_done: draw("pairs", Counter(done=n_done)))


def _certify(corpus: LogicCorpus) -> Certificate | None:
    """The certificate, or none where a split is empty; its forests are grown on all cores."""
    if not (corpus.train and corpus.test):
        return None
    from joblib import parallel_config
    from rich.console import Console

    from goldproof.cli.progress import drawn
    from goldproof.measures.leaks import certify_corpus
    from goldproof.measures.shortcuts.rules import applicable

    names, _ = applicable(True, "und")
    with (
        drawn(len(names), Console(stderr=True), "shortcuts of the certificate") as draw,
        parallel_config(backend="threading", n_jobs=os.cpu_count() or 1),
    ):
        return certify_corpus(
            corpus, most_train=MOST_CERTIFIED, progress=lambda name, n_done: draw(name, Counter(done=n_done))
        )


def _show(corpus: LogicCorpus, certificate: Certificate | None, paths: list[Path]) -> None:
    from goldproof.report.numbers import estimate_text

    typer.echo(f"{len(corpus.train)} training and {len(corpus.test)} test pairs, every label proved")
    if certificate is not None:
        if certificate.n_train < len(corpus.train):
            typer.echo(f"  shortcuts learned from the first {certificate.n_train} pairs")
        for leak in certificate.leaks:
            verdict = "LEAKS" if leak.leaks else "not shown"
            typer.echo(f"  {leak.baseline:<22} {estimate_text(leak.accuracy, 1, '%')}  {verdict}")
        repeats = certificate.repeats
        typer.echo(
            f"  repeated pairs {repeats.train + repeats.test + repeats.across}, shared names "
            f"{len(certificate.shared_names)}"
        )
    for path in paths:
        typer.echo(str(path))
