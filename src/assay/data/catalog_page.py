"""The catalog as a page of the documentation, in Markdown.

python -m assay.data.catalog_page > docs/reference/catalog.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from assay.data.catalog import Corpus, catalog


def render_page() -> str:
    """The whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Catalog of corpora"
    yield ""
    yield "Made from `src/assay/data/catalog.toml` by `python -m assay.data.catalog_page`; do not edit by hand."
    yield "How to load one: [own-data](../howto/own-data.md). Local files are looked for under the data root; loading"
    yield "from the hub was tested with a stand-in and was not run against the hub itself."
    yield ""
    yield "| name | what | languages | local | hub |"
    yield "|---|---|---|---|---|"
    for corpus in catalog().values():
        local = "yes" if corpus.local else ""
        hub = f"`{corpus.hub.id}`" if corpus.hub else ""
        yield f"| [`{corpus.name}`](#{_anchor(corpus)}) | {corpus.title} | {len(corpus.languages)} | {local} | {hub} |"
    for corpus in catalog().values():
        yield from ("", f"## {corpus.name}", "", f"{corpus.title}.", "")
        yield from (f"- {name}: {value}" for name, value in corpus_facts(corpus))


def corpus_facts(corpus: Corpus) -> list[tuple[str, str]]:
    """What the catalog knows of a corpus, as (name, value)."""
    return [(name, value) for name, value in _facts(corpus) if value]


def _facts(corpus: Corpus) -> Iterator[tuple[str, str]]:
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


def _anchor(corpus: Corpus) -> str:
    return corpus.name.replace("/", "")


if __name__ == "__main__":
    sys.stdout.write(render_page())
