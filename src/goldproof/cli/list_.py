"""`goldproof list`: the studies, their settings, and the corpora that can be named."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from goldproof.cli import options

Named = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="A study, to see its settings; a corpus, to see its source and files."),
]


def list_all(name: Named = None, as_json: options.AsJson = False) -> int:
    """List the studies and the corpora that can be named, the settings of one study, or what is known of a corpus."""
    from goldproof.data.catalog import catalog

    if name is None:
        return _list_everything(as_json)
    corpus = name if name in catalog() else name.partition("/")[0]
    return _list_corpus(corpus, as_json) if corpus in catalog() else _list_settings(name, as_json)


def _list_everything(as_json: bool) -> int:
    from goldproof.data.catalog import catalog
    from goldproof.studies import ENTRIES

    if as_json:
        studies = [{"name": e.name, "question": e.question} for e in ENTRIES]
        corpora = [{"name": c.name, "languages": list(c.languages), "licence": c.licence} for c in catalog().values()]
        options.print_json({"studies": studies, "corpora": corpora})
        return 0
    typer.echo("Studies (goldproof run NAME; goldproof list NAME for its settings):")
    for entry in ENTRIES:
        typer.echo(f"  {entry.name:<12} {entry.question}")
    typer.echo("\nCorpora (goldproof list NAME for source, licence and files):")
    for corpus in catalog().values():
        typer.echo(f"  {corpus.name:<20} {', '.join(corpus.languages)}")
    return 0


def _list_corpus(name: str, as_json: bool) -> int:
    from goldproof.data.catalog import ROOT_VARIABLE, catalog
    from goldproof.data.catalog_facts import corpus_facts

    corpus = catalog()[name]
    facts = [("Title", corpus.title), *corpus_facts(corpus)]
    if as_json:
        options.print_json({"corpus": name, "facts": [list(fact) for fact in facts]})
        return 0
    for fact, value in facts:
        typer.echo(f"{fact}: {value}")
    typer.echo(f"Files are looked for under the data root: export {ROOT_VARIABLE}=FOLDER")
    return 0


def _list_settings(study: str, as_json: bool) -> int:
    from goldproof.studies import find_study

    settings = dict(_settings(find_study(study).Config()))
    if as_json:
        options.print_json({"study": study, "settings": settings})
        return 0
    typer.echo(f"Settings of {study} with their defaults (--set KEY=VALUE, or a TOML file for --config):")
    width = max(map(len, settings))
    for name, value in settings.items():
        typer.echo(f"  {name:<{width}}  {_shown(value)}".rstrip())
    return 0


def _settings(config: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Each setting by its dotted key."""
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if dataclasses.is_dataclass(value):
            yield from _settings(value, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name, value


def _shown(value: Any) -> str:
    """A value as --set takes it."""
    if isinstance(value, tuple | list):
        return ",".join(_shown(each) for each in value)
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
