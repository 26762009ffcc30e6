"""Which tagger there is for which language; installed packages add theirs by the entry points `goldproof.taggers`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from goldproof.builders.tagging import language_taggers as others
from goldproof.builders.tagging.tagged import Tagger
from goldproof.builders.tagging.treebank_tagger import TreebankTagger
from goldproof.errors import UsageError
from goldproof.extras import Need, require
from goldproof.plugins import Group, Tried


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
        name = _default(language)
        if name is None:
            raise UsageError(_no_tagger(language))
        return TaggerName(name, language)
    backend = _find_backend(name)
    if "/" not in name and language not in backend.languages:
        known = ", ".join(backend.languages)
        raise UsageError(f"the tagger {name!r} does not know the language {language!r}; its languages: {known}")
    return TaggerName(name, language)


def all_backends() -> tuple[Backend, ...]:
    """Ours, then those of installed packages that can be used: each entry point names a `Backend`."""
    return BACKENDS + tuple(_added(each) for each in PLUGINS.survey() if not each.problem)


def _added(tried: Tried) -> Backend:
    """The back end of a plugin, by the name that its entry point gives it."""
    backend: Backend = tried.thing
    return replace(backend, name=tried.plugin.name)


def _default(language: str) -> str | None:
    """The first that knows a language; plugins are asked where none of ours does."""
    known = [backend.name for backend in BACKENDS if language in backend.languages]
    known = known or [backend.name for backend in all_backends() if language in backend.languages]
    return known[0] if known else None


@functools.cache
def _load(tagger: TaggerName) -> Tagger:
    require(*tagger.requires)
    kind, _, model = tagger.backend.partition("/")
    if model:
        return others.make_spacy(tagger.language, model)
    return _find_backend(kind).make(tagger.language)


def _find_backend(name: str) -> Backend:
    kind, slash, _ = name.partition("/")
    own = {backend.name: backend for backend in BACKENDS}
    if kind in own and (not slash or kind == "spacy"):
        return own[kind]
    added = PLUGINS.load(name)
    if added is None:
        known = ", ".join([*own, *PLUGINS.names()])
        raise UsageError(f"there is no tagger {name!r}; taggers: {known}, spacy/MODEL")
    return _added(added)


def _no_tagger(language: str) -> str:
    known = sorted({known for backend in all_backends() for known in backend.languages})
    broken = [f"; {each.plugin.error(each.problem)}" for each in PLUGINS.survey() if each.problem]
    return (
        f"there is no tagger for the language {language!r}; languages with one: {', '.join(known)}; for others, use "
        f"a spaCy model: pip install 'goldproof[spacy]', then name it as the tagger spacy/MODEL{''.join(broken)}"
    )


def _problem(backend: Any) -> str:
    """What is wrong with a plugin's back end, or nothing."""
    if not isinstance(backend, Backend):
        return f"a goldproof.builders.tagging.Backend is needed; got {type(backend).__name__}"
    languages = backend.languages
    if not isinstance(languages, tuple) or not languages or not all(isinstance(each, str) for each in languages):
        return f"its languages must be a tuple of codes such as 'eo'; got {languages!r}"
    return "" if callable(backend.make) else f"its make must be a function; got {type(backend.make).__name__}"


PLUGINS = Group("taggers", tuple(backend.name for backend in BACKENDS), _problem)
