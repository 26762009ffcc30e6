"""Which tagger there is for which language; installed packages add theirs by the entry points `goldproof.taggers`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points

from goldproof.data.tagging import language_taggers as others
from goldproof.data.tagging.tagged import Tagger
from goldproof.data.tagging.treebank_tagger import TreebankTagger
from goldproof.errors import UsageError
from goldproof.extras import Need, require

ENTRY_POINTS = "goldproof.taggers"


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to tag: its name, the languages it knows, the function that makes it for one of them, extras it needs."""

    name: str
    languages: tuple[str, ...]
    make: Callable[[str], Tagger]
    requires: tuple[Need, ...] = ()


def _ours(name: str, languages: tuple[str, ...], make: Callable[[str], Tagger], extra: str, *modules: str) -> Backend:
    return Backend(name, languages, make, (Need(extra, f"the tagger {name!r}", modules),))


BACKENDS = (
    _ours("nltk", ("en",), lambda _: TreebankTagger(), "english"),
    _ours("nltk-3.5", ("en",), lambda _: TreebankTagger(older=True), "english"),
    _ours("hanta", ("de",), others.make_hanta, "german"),
    _ours("natasha", ("ru",), others.make_natasha, "russian", "natasha"),
    _ours("pymorphy3", ("ru",), others.make_pymorphy, "russian", "pymorphy3"),
    _ours("brill", others.BRILL_LANGUAGES, others.make_brill, "brill"),
    _ours("spacy", tuple(sorted(others.SPACY_MODELS)), others.make_spacy, "spacy"),
)
"""In order of preference: the first that knows a language is its default."""


@dataclass(frozen=True, slots=True)
class TaggerName:
    """A tagger by name and language, which another process can load: `nltk`, `spacy`, `spacy/MODEL`."""

    backend: str
    language: str

    @property
    def requires(self) -> tuple[Need, ...]:
        """The extras that it needs."""
        return _find_backend(self.backend).requires

    def load(self) -> Tagger:
        """The tagger, made once in a process."""
        return _load(self)


def choose_tagger(language: str, name: str | None = None) -> TaggerName:
    """The tagger of this name for a language, or the language's default; an error says what there is.

    >>> choose_tagger("pt")
    TaggerName(backend='brill', language='pt')
    """
    if name is None:
        name = next((backend.name for backend in all_backends() if language in backend.languages), None)
        if name is None:
            raise UsageError(_no_tagger(language))
        return TaggerName(name, language)
    backend = _find_backend(name)
    if "/" not in name and language not in backend.languages:
        known = ", ".join(backend.languages)
        raise UsageError(f"the tagger {name!r} does not know the language {language!r}; its languages: {known}")
    return TaggerName(name, language)


def all_backends() -> tuple[Backend, ...]:
    """Ours, then those of installed packages: each entry point names a `Backend`."""
    return BACKENDS + tuple(point.load() for point in entry_points(group=ENTRY_POINTS))


@functools.cache
def _load(tagger: TaggerName) -> Tagger:
    require(*tagger.requires)
    kind, _, model = tagger.backend.partition("/")
    if model:
        return others.make_spacy(tagger.language, model)
    return _find_backend(kind).make(tagger.language)


def _find_backend(name: str) -> Backend:
    backends = {backend.name: backend for backend in all_backends()}
    kind, slash, _ = name.partition("/")
    if kind not in backends or (slash and kind != "spacy"):
        raise UsageError(f"there is no tagger {name!r}; taggers: {', '.join(backends)}, spacy/MODEL")
    return backends[kind]


def _no_tagger(language: str) -> str:
    known = sorted({known for backend in all_backends() for known in backend.languages})
    return (
        f"there is no tagger for the language {language!r}; languages with one: {', '.join(known)}; for another, a "
        "model of spaCy: pip install 'goldproof[spacy]', then name it as the tagger spacy/MODEL"
    )
