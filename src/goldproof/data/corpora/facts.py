"""What the catalog knows of a corpus, in words: for `goldproof list NAME` and for the page of the catalog."""

from __future__ import annotations

from collections.abc import Iterator

from goldproof.data.corpora.catalog import CatalogEntry


def corpus_facts(corpus: CatalogEntry) -> list[tuple[str, str]]:
    """Task, languages, source, licence, files and so on, as (name, value)."""
    return [(name, value) for name, value in _facts(corpus) if value]


def _facts(corpus: CatalogEntry) -> Iterator[tuple[str, str]]:
    yield "Task", corpus.task
    yield "Languages", ", ".join(corpus.languages)
    yield "Splits", ", ".join(corpus.splits)
    yield "Parts", ", ".join(f"`{corpus.name}/{part}`" for part in corpus.parts)
    yield "Labels", ", ".join(corpus.labels)
    yield "Source", corpus.source
    if corpus.hub is not None:
        config = f", configuration `{corpus.hub.config}`" if corpus.hub.config else ""
        only = f", {', '.join(corpus.hub.languages)} only" if corpus.hub.languages else ""
        yield "Hub", f"`{corpus.hub.id}`{config}{only}, revision {corpus.revision or 'not pinned'}"
    yield "Licence", corpus.licence
    yield "Citation", corpus.citation
    for place in corpus.local:
        who = f" ({', '.join(place.languages)})" if place.languages else ""
        files = [place.one_file] if place.one_file else [file for files in place.files.values() for file in files]
        yield f"Files{who}", ", ".join(f"`{file}`" for file in files) + f"; layout `{place.layout}`"
    yield "Note", corpus.note
