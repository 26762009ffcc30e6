"""`goldproof list`: the studies, their settings, the corpora that can be named, and installed plugins."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goldproof.cli import options

if TYPE_CHECKING:
    from goldproof.plugins import Tried

Named = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="A study, to see its settings; or a corpus, to see its source and files."),
]


def list_all(name: Named = None, as_json: options.AsJson = False) -> int:
    """List studies, corpora and installed plugins; or show the settings of a study, or the facts about a corpus."""
    from goldproof.data.corpora.catalog import catalog

    if name is None:
        return _list_everything(as_json)
    corpus = name if name in catalog() else name.partition("/")[0]
    return _list_corpus(corpus, as_json) if corpus in catalog() else _list_settings(name, as_json)


def _list_everything(as_json: bool) -> int:
    from goldproof.data.corpora.catalog import catalog
    from goldproof.studies import ENTRIES, added_entries

    entries, plugins = [*ENTRIES, *added_entries()], _try_plugins()
    if as_json:
        studies = [{"name": e.name, "question": e.question, "plugin_of": e.origin or None} for e in entries]
        corpora = [{"name": c.name, "languages": list(c.languages), "licence": c.licence} for c in catalog().values()]
        options.print_json({"studies": studies, "corpora": corpora, "plugins": [_form(each) for each in plugins]})
        return 0
    typer.echo("Studies (goldproof run NAME; goldproof list NAME for its settings):")
    for entry in entries:
        origin = f"(plugin of {entry.origin})" if entry.origin else ""
        typer.echo(f"  {entry.name:<12} {' '.join(filter(None, (entry.question, origin)))}")
    typer.echo("\nCorpora (goldproof list NAME for source, licence and files):")
    for corpus in catalog().values():
        typer.echo(f"  {corpus.name:<20} {', '.join(corpus.languages)}")
    if plugins:
        typer.echo("\nPlugins (entry points goldproof.GROUP of installed packages):")
    for each in plugins:
        problem = f"  cannot be used: {each.problem}" if each.problem else ""
        typer.echo(f"  {each.plugin.group:<8} {each.plugin.name:<20} {each.plugin.origin}{problem}")
    return 0


def _try_plugins() -> list[Tried]:
    """Every installed plugin, loaded, in the order of the groups."""
    from goldproof.builders.tagging import registry
    from goldproof.data.formats import added as added_readers
    from goldproof.models import named
    from goldproof.plugins import strays
    from goldproof.statistics import added_metrics
    from goldproof.studies import PLUGINS

    groups = (PLUGINS, added_readers.PLUGINS, named.PLUGINS, registry.PLUGINS, added_metrics.PLUGINS)
    return [*(each for group in groups for each in group.survey()), *strays()]


def _form(tried: Tried) -> dict[str, str | None]:
    plugin = tried.plugin
    return {
        "group": plugin.group,
        "name": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "entry_point": plugin.value,
        "problem": tried.problem or None,
    }


def _list_corpus(name: str, as_json: bool) -> int:
    from goldproof.data.corpora.catalog import ROOT_VARIABLE, catalog
    from goldproof.data.corpora.facts import corpus_facts

    corpus = catalog()[name]
    facts = [("Title", corpus.title), *corpus_facts(corpus)]
    if as_json:
        options.print_json({"corpus": name, "facts": [list(fact) for fact in facts]})
        return 0
    for fact, value in facts:
        typer.echo(f"{fact}: {value}")
    typer.echo(f"Files are expected under the data root: export {ROOT_VARIABLE}=FOLDER")
    return 0


def _list_settings(study: str, as_json: bool) -> int:
    from goldproof.studies import find_study
    from goldproof.studies.shared import refused

    config = find_study(study).Config()
    settings = {key: value for key, value in _settings(config) if key not in refused(config)}
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
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
