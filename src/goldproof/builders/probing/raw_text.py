"""A treebank of plain text: natasha parses Russian, spaCy any language whose model is installed.

The result is a CoNLL-U file, so that tasks come out of one path whether people or programs made the trees. Parses that
are no tree are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from goldproof.builders.probing.clearnlp import to_universal
from goldproof.builders.probing.parsed import ParsedWord, is_tree, to_conllu
from goldproof.data.formats.files import check_file, iter_lines
from goldproof.errors import DataError, ModelError
from goldproof.extras import Need, import_extra, require

# pymorphy's tags that go with a universal part of speech, to choose the lemma of an ambiguous form.
_PYMORPHY = {
    "NOUN": {"NOUN"},
    "PROPN": {"NOUN"},
    "ADJ": {"ADJF", "ADJS", "COMP"},
    "VERB": {"VERB", "INFN", "PRTF", "PRTS", "GRND"},
    "AUX": {"VERB", "INFN", "GRND"},
    "ADV": {"ADVB", "PRED", "COMP"},
    "PRON": {"NPRO"},
    "DET": {"ADJF"},
    "ADP": {"PREP"},
}


Sentences = Iterator[list[ParsedWord]]


def parse_needs(language: str) -> tuple[Need, ...]:
    """The extras that parsing a language needs."""
    if language == "ru":
        return (Need("russian", "parsing Russian text", ("natasha", "pymorphy3")),)
    return (Need("spacy", f"parsing text in the language {language!r}"),)


def parse_text(path: str | Path, language: str, out: Path) -> Path:
    """Parse a text file, any number of sentences a line, and write the trees to `out`; memory does not grow with it."""
    require(*parse_needs(language))
    path = check_file(path)
    parse = _natasha() if language == "ru" else _spacy(language)
    n = 0
    with out.open("w", encoding="utf-8", newline="\n") as stream:
        for words in parse(line for _, line in iter_lines(path) if line.strip()):
            if is_tree([word.head for word in words]):
                n += 1
                stream.write(to_conllu(words, n))
    if not n:
        raise DataError("no sentence of the text could be parsed", path=path)
    return out


def _natasha() -> Callable[[Iterable[str]], Sentences]:
    natasha, pymorphy3 = (import_extra(name, parse_needs("ru")[0]) for name in ("natasha", "pymorphy3"))
    segmenter, embedding = natasha.Segmenter(), natasha.NewsEmbedding()
    tagger, parser = natasha.NewsMorphTagger(embedding), natasha.NewsSyntaxParser(embedding)
    analyzer = pymorphy3.MorphAnalyzer()

    def parse(lines: Iterable[str]) -> Sentences:
        for line in lines:
            document = natasha.Doc(line)
            document.segment(segmenter)
            document.tag_morph(tagger)
            document.parse_syntax(parser)
            for sentence in document.sents:
                yield _russian_words(sentence.tokens, analyzer)

    return parse


def _russian_words(tokens: list[Any], analyzer: Any) -> list[ParsedWord]:
    places = {token.id: place for place, token in enumerate(tokens, start=1)}
    words = []
    for place, token in enumerate(tokens):
        feats = "|".join(f"{name}={value}" for name, value in sorted(token.feats.items())) or "_"
        following = tokens[place + 1].start if place + 1 < len(tokens) else token.stop + 1
        # natasha writes the head of the root as word 0; a head outside the sentence gives no tree
        head = places.get(token.head_id, 0 if token.head_id.endswith("_0") else -1)
        lemma = _russian_lemma(token.text, token.pos, analyzer)
        relation = "root" if head == 0 else token.rel
        words.append(ParsedWord(token.text, lemma, token.pos, feats, head, relation, following > token.stop))
    return words


def _russian_lemma(form: str, upos: str, analyzer: Any) -> str:
    if upos in ("PUNCT", "SYM", "NUM"):
        return form
    parses = analyzer.parse(form)
    fitting = [parse for parse in parses if parse.tag.POS in _PYMORPHY.get(upos, ())]
    return str((fitting or parses)[0].normal_form)


def _spacy(language: str) -> Callable[[Iterable[str]], Sentences]:
    spacy = import_extra("spacy", parse_needs(language)[0])
    models = sorted(name for name in spacy.util.get_installed_models() if name.startswith(f"{language}_"))
    if not models:
        raise ModelError(
            f"no spaCy model for {language!r} is installed (its name begins with '{language}_'); "
            "see https://spacy.io/models"
        )
    pipeline = spacy.load(models[0], exclude=["ner"])
    is_clearnlp = "dobj" in pipeline.get_pipe("parser").labels

    def parse(lines: Iterable[str]) -> Sentences:
        for document in pipeline.pipe(lines, batch_size=64):
            for sentence in document.sents:
                words = _spacy_words(list(sentence))
                yield to_universal(words) if is_clearnlp else words

    return parse


def _spacy_words(tokens: list[Any]) -> list[ParsedWord]:
    tokens = [token for token in tokens if not token.is_space]
    places = {token.i: place for place, token in enumerate(tokens, start=1)}
    words = []
    for token in tokens:
        is_root = token.head.i == token.i
        head = 0 if is_root else places.get(token.head.i, -1)
        relation = "root" if is_root else token.dep_
        lemma, feats = token.lemma_ or token.text, str(token.morph) or "_"
        words.append(ParsedWord(token.text, lemma, token.pos_, feats, head, relation, bool(token.whitespace_)))
    return words
