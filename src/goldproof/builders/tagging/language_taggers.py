"""Taggers for other languages, each behind an optional package: HanTa, natasha, pymorphy3, brill-postagger, spaCy.

Packages are imported when a tagger is made. HanTa, pymorphy3 and the Brill taggers take tokens, which a small rule
gives them here; the others split texts themselves.
"""

from __future__ import annotations

import functools
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from goldproof.builders.tagging.tagged import Tagging
from goldproof.builders.tagging.tagset import FROM_OPENCORPORA, FROM_STTS, FROM_UD, PUNCTUATION
from goldproof.errors import ModelError
from goldproof.extras import Need, import_extra

BRILL_LANGUAGES = ("ca", "da", "de", "es", "eu", "fr", "gl", "it", "nl", "pt")
_SPACY_LANGUAGES = "ca da de el en es fi fr hr it ja ko lt mk nb nl pl pt ro ru sl sv uk zh"
SPACY_MODELS: Mapping[str, str] = {
    language: f"{language}_core_{'web' if language in ('en', 'zh') else 'news'}_sm"
    for language in _SPACY_LANGUAGES.split()
}
_ELIDING = ("ca", "fr", "it")  # l'homme, dell'acqua: the apostrophe ends a token
_WORD = re.compile(r"\w+(?:[-'’.]\w+)*|[^\w\s]")
_ELIDED = re.compile(r"(?i:aujourd['’]hui)|\w+['’](?=\w)|\w+(?:-\w+)*|[^\w\s]")
_CONTRACTIONS = {
    "pt": "do da dos das no na nos nas ao à aos às pelo pela pelos pelas num numa dum duma",
    "gl": "do da dos das no na nos nas ao á aos ás polo pola polos polas nun nunha dun dunha",
    "es": "del al",
    "ca": "del dels al als pel pels",
    "fr": "du des au aux",
    "it": "del dello della dei degli delle al allo alla ai agli alle dal dallo dalla dai dagli dalle nel nello nella "
    "nei negli nelle sul sullo sulla sui sugli sulle dell' all' dall' nell' sull'",
}
"""Preposition and article in one word: treebanks split them, so that the Brill taggers have never seen them whole."""


class WordTagger:
    """Words by a regular expression, classes by a function from the words of a text to its tags."""

    def __init__(self, tag_words: Callable[[list[str]], list[str]], elided: bool = False) -> None:
        self._tag_words = tag_words
        self._pattern = _ELIDED if elided else _WORD

    def tag(self, texts: Sequence[str]) -> list[Tagging]:
        """One tagging for each text."""
        return [self._tag(text) for text in texts]

    def _tag(self, text: str) -> Tagging:
        found = list(self._pattern.finditer(text))
        words = [match.group() for match in found]
        tags = self._tag_words(words) if words else []
        # A mark that is no letter and no digit is punctuation, whatever a tagger makes of it.
        classes = tuple(
            tag if word[0].isalnum() or word[0] == "_" else PUNCTUATION for word, tag in zip(words, tags, strict=True)
        )
        starts, ends = tuple(match.start() for match in found), tuple(match.end() for match in found)
        return Tagging(starts, ends, classes, tuple(words))


class _DocumentTagger:
    """A tagger that splits texts itself and gives (start, form, Universal Dependencies tag) of each token."""

    def __init__(self, read: Callable[[Sequence[str]], list[list[tuple[int, str, str]]]]) -> None:
        self._read = read

    def tag(self, texts: Sequence[str]) -> list[Tagging]:
        """One tagging for each text."""
        return [_from_tokens([token for token in tokens if token[2] != "SPACE"]) for tokens in self._read(texts)]


def _from_tokens(tokens: list[tuple[int, str, str]]) -> Tagging:
    return Tagging(
        tuple(start for start, _, _ in tokens),
        tuple(start + len(form) for start, form, _ in tokens),
        tuple(FROM_UD.get(tag, "X") for _, _, tag in tokens),
        tuple(form for _, form, _ in tokens),
    )


def make_hanta(language: str) -> WordTagger:
    """German by HanTa (Wartena 2019): STTS tags."""
    del language  # German alone is offered
    tagger = _import("HanTa.HanoverTagger", "german", "hanta").HanoverTagger("morphmodel_ger.pgz")

    def tag_words(words: list[str]) -> list[str]:
        tags = (tag.replace("(", "").replace(")", "") for _, _, tag in tagger.tag_sent(words))
        return [FROM_STTS.get(tag, "X") for tag in tags]

    return WordTagger(tag_words)


def make_pymorphy(language: str) -> WordTagger:
    """Russian by pymorphy3: the likeliest part of speech of each word, without its context."""
    del language
    analyse = _import("pymorphy3", "russian", "pymorphy3").MorphAnalyzer().parse

    @functools.lru_cache(1 << 16)
    def tag_word(word: str) -> str:
        if word[0].isdigit():
            return "NUM"
        return FROM_OPENCORPORA.get(str(analyse(word)[0].tag.POS), "X")

    return WordTagger(lambda words: [tag_word(word) for word in words])


def make_natasha(language: str) -> _DocumentTagger:
    """Russian by natasha: its news model gives tags of Universal Dependencies."""
    del language
    natasha = _import("natasha", "russian", "natasha")
    segmenter, tagger = natasha.Segmenter(), natasha.NewsMorphTagger(natasha.NewsEmbedding())

    def read(texts: Sequence[str]) -> list[list[tuple[int, str, str]]]:
        tagged = []
        for text in texts:
            document = natasha.Doc(text)
            document.segment(segmenter)
            if document.tokens:
                document.tag_morph(tagger)
            tagged.append([(token.start, token.text, token.pos) for token in document.tokens])
        return tagged

    return _DocumentTagger(read)


def make_brill(language: str) -> WordTagger:
    """One of the Brill taggers of the package brill-postagger, trained on Universal Dependencies."""
    package = _import("brill_postaggers", "brill", "brill")
    name = package.BrillPostagger.MODELS[language]
    with resources.files(package).joinpath(f"{name}.pkl").open("rb") as file:
        tagger = _TaggerUnpickler(file).load()
    contractions = set(_CONTRACTIONS.get(language, "").split())

    def tag_words(words: list[str]) -> list[str]:
        tags = (FROM_UD.get(tag, "X") for _, tag in tagger.tag(words))
        return [
            "ADP" if word.lower().replace("’", "'") in contractions else tag
            for word, tag in zip(words, tags, strict=True)
        ]

    return WordTagger(tag_words, elided=language in _ELIDING)


def make_spacy(language: str, model: str = "") -> _DocumentTagger:
    """A pipeline of spaCy: the small one of the language, unless a model is named."""
    spacy = _import("spacy", "spacy", "spacy")
    model = model or SPACY_MODELS[language]
    try:
        pipeline = spacy.load(model, exclude=["parser", "ner", "lemmatizer", "senter"])
    except OSError:
        raise ModelError(
            f"spaCy has no model {model!r} on this machine; get it with: python -m spacy download {model} "
            "(or name another: spacy/MODEL)"
        ) from None

    def read(texts: Sequence[str]) -> list[list[tuple[int, str, str]]]:
        return [[(token.idx, token.text, token.pos_) for token in document] for document in pipeline.pipe(texts)]

    return _DocumentTagger(read)


class _TaggerUnpickler(pickle.Unpickler):
    """Reads the taggers that the package ships as pickles, and refuses anything in them but NLTK's tagger classes."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith(("nltk.tag.", "nltk.tbl.")):
            return super().find_class(module, name)
        raise ModelError(f"a Brill tagger holds {module}.{name}; only classes of nltk.tag and nltk.tbl are allowed")


def _import(module: str, extra: str, tagger: str) -> Any:
    return import_extra(module, Need(extra, f"the tagger {tagger!r}"))
