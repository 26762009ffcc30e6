"""Plain text through natasha and spaCy; spaCy's English labels as Universal Dependencies."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from goldproof.builders.probing import filters, open_treebanks
from goldproof.builders.probing.clearnlp import to_universal
from goldproof.builders.probing.parsed import ParsedWord
from goldproof.builders.probing.raw_text import parse_text
from goldproof.builders.probing.survey import Survey
from goldproof.builders.probing.tasks import TASKS, RuleContext
from goldproof.errors import DataError, MissingExtraError


def words(text: str) -> list[ParsedWord]:
    """Words from lines `form lemma upos head relation`."""
    rows = [line.split() for line in text.strip().splitlines()]
    return [ParsedWord(form, lemma, upos, "_", int(head), relation, True) for form, lemma, upos, head, relation in rows]


def test_prepositions_copulas_and_conjunctions_change_heads():
    parsed = words(
        """
        Cats cat NOUN 2 nsubj
        are be AUX 0 root
        happy happy ADJ 2 acomp
        in in ADP 3 prep
        houses house NOUN 4 pobj
        and and CCONJ 2 cc
        dogs dog NOUN 8 nsubj
        bark bark VERB 2 conj
        . . PUNCT 2 punct
        """
    )
    assert [(word.form, word.head, word.deprel) for word in to_universal(parsed)] == [
        ("Cats", 3, "nsubj"),
        ("are", 3, "cop"),
        ("happy", 0, "root"),
        ("in", 5, "case"),
        ("houses", 3, "obl"),
        ("and", 8, "cc"),
        ("dogs", 8, "nsubj"),
        ("bark", 3, "conj"),
        (".", 3, "punct"),
    ]


def test_passives_objects_and_chains_of_conjuncts_get_universal_names():
    parsed = words(
        """
        It it PRON 3 nsubjpass
        was be AUX 3 auxpass
        given give VERB 0 root
        by by ADP 3 agent
        men man NOUN 4 pobj
        , , PUNCT 5 punct
        women woman NOUN 5 conj
        and and CCONJ 7 cc
        boys boy NOUN 7 conj
        """
    )
    assert [(word.head, word.deprel) for word in to_universal(parsed)] == [
        (3, "nsubj:pass"),
        (3, "aux:pass"),
        (0, "root"),
        (5, "case"),
        (3, "obl:agent"),
        (5, "punct"),
        (5, "conj"),
        (9, "cc"),
        (5, "conj"),
    ]


def labels(path: Path, language: str, *names: str) -> list[tuple[str | None, ...]]:
    context = RuleContext(language)
    trees = open_treebanks([path], language).trees()
    return [tuple(TASKS[name].rule(tree, context).label for name in names) for tree in trees]


def test_russian_text(tmp_path):
    pytest.importorskip("natasha", reason="parsing Russian needs natasha")
    pytest.importorskip("pymorphy3", reason="lemmas of Russian need pymorphy3")
    text = tmp_path / "text.txt"
    text.write_text(
        "Молодые специалисты получают доплату.\nОна не объяснила свою позицию. Дети спят.\n", encoding="utf-8"
    )
    parsed = parse_text(text, "ru", tmp_path / "parsed.conllu")
    assert labels(parsed, "ru", "SubjNumber", "PT", "PA") == [
        ("NNS", "PRES", "IMP"),
        ("NN", "PAST", "PERF"),
        ("NNS", "PRES", "IMP"),
    ]
    lemmas = [token.lemma for tree in open_treebanks([parsed], "ru").trees() for token in tree.tokens]
    assert lemmas[:4] == ["молодой", "специалист", "получать", "доплата"]


def test_english_text(tmp_path):
    spacy = pytest.importorskip("spacy", reason="parsing English needs spaCy")
    if not any(name.startswith("en_") for name in spacy.util.get_installed_models()):
        pytest.skip("no English spaCy model is installed")
    text = tmp_path / "text.txt"
    text.write_text("The dogs were happy in the garden. The house was built by my father.\n", encoding="utf-8")
    parsed = parse_text(text, "en", tmp_path / "parsed.conllu")
    assert labels(parsed, "en", "SubjNumber", "PT", "PV") == [("NNS", "PAST", None), ("NN", "PAST", "PASS")]


@pytest.mark.parametrize(
    ("package", "call", "message"),
    [
        (
            "natasha",
            lambda path: parse_text(path, "ru", path),
            "parsing Russian text needs an optional package: pip install 'goldproof[russian]'",
        ),
        (
            "spacy",
            lambda path: parse_text(path, "en", path),
            "parsing text in the language 'en' needs an optional package: pip install 'goldproof[spacy]'",
        ),
        (
            "wordfreq",
            lambda path: filters.make_frequency("ru"),
            "the frequency filter (--min-frequency 0 switches it off) needs an optional package: "
            "pip install 'goldproof[probing]'",
        ),
        (
            "pymorphy3",
            lambda path: filters.make_is_single("ru", Survey(), {}),
            "the one-part-of-speech filter for Russian needs an optional package: pip install 'goldproof[russian]'",
        ),
    ],
)
def test_a_missing_package_gives_the_install_line(tmp_path, monkeypatch, package, call, message):
    path = tmp_path / "text.txt"
    path.write_text("Text.\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        call(path)
    assert str(caught.value) == message


def test_words_with_several_parts_of_speech(tmp_path):
    found = Survey(tagged=Counter({("run", "VERB"): 60, ("run", "NOUN"): 40, ("he", "PRON"): 99, ("he", "X"): 1}))
    path = tmp_path / "words.tsv"
    path.write_text("cat\tNOUN\nwalk\tverb\nwalk\tnoun\n", encoding="utf-8")
    is_single = filters.make_is_single("en", found, filters.read_lexicon(path))
    assert [is_single(form) for form in ("run", "he", "He", "cat", "walk", "unknown")] == [
        False,
        True,
        True,
        True,
        False,
        True,
    ]
    path.write_text("cat\tNOUN\ndog\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        filters.read_lexicon(path)
    assert str(caught.value) == f"{path}, line 2: a line of a word list is word<TAB>part of speech; got 1 columns"


def test_russian_words_with_several_parts_of_speech():
    pytest.importorskip("pymorphy3", reason="Russian parts of speech need pymorphy3")
    is_single = filters.make_is_single("ru", Survey(), {})
    assert is_single("книга")
    assert not is_single("стали")  # "became", or "of steel"


def test_mean_frequency_is_per_million(tmp_path):
    wordfreq = pytest.importorskip("wordfreq", reason="the frequency filter needs wordfreq")
    path = tmp_path / "en_made.conllu"
    path.write_text(
        "1\tHe\the\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tqzx\tqzxv\tVERB\t_\t_\t0\troot\t_\t_\n3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n",
        encoding="utf-8",
    )
    (tree,) = open_treebanks([path]).trees()
    mean = filters.make_frequency("en")(tree)
    assert mean == pytest.approx(1e6 * wordfreq.word_frequency("he", "en") / 2, rel=0.01)
    assert filters.make_frequency("tlh") is None
