"""A grammar file of one's own: the example that the documentation shows builds every task, and says what it means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders.logic.parse import Lexicon, Parser

from goldproof.builders.logic.build import CorpusRecipe, build_corpus
from goldproof.builders.logic.grammar import load_grammar
from goldproof.builders.logic.notation import read_form, write_form
from goldproof.builders.logic.realise import Casting, realise
from goldproof.errors import UsageError
from goldproof.measures.leaks import certify_corpus

ITALIAN = str(Path(__file__).resolve().parents[3] / "examples" / "grammars" / "it.toml")
MIXED = CorpusRecipe(language=ITALIAN, task="mixed", n_train=480, n_test=120)


def test_the_words_say_what_the_form_says() -> None:
    grammar = load_grammar(ITALIAN)
    parser = Parser(grammar, Lexicon.of_grammar(grammar))
    corpus = build_corpus(MIXED)
    for pair in corpus.train + corpus.test:
        parsed = parser.parse(pair.premise, pair.hypothesis)
        assert write_form(parsed.form) == pair.form, pair
        assert not parsed.unsettled


def test_no_shortcut_is_above_the_floor() -> None:
    assert certify_corpus(build_corpus(MIXED)).is_clean


def test_a_grammar_without_links_is_refused_by_the_preset_that_needs_them(tmp_path: Path) -> None:
    text = Path(ITALIAN).read_text(encoding="utf-8")
    older = tmp_path / "older.toml"
    older.write_text(
        "".join(line for line in text.splitlines(True) if not line.startswith("leads_to")), encoding="utf-8"
    )
    with pytest.raises(UsageError) as caught:
        build_corpus(replace(MIXED, language=str(older)))
    assert str(caught.value) == (
        f"the preset closed2 needs the keys 'followed' and 'leads_to', which {older} does not give; add them (see "
        "the grammars that come with Goldproof) or use the preset closed"
    )
    assert len(build_corpus(CorpusRecipe(str(older), "mixed", 24, 12, preset="closed")).train) == 24


@pytest.mark.parametrize(
    ("gender", "form", "premise", "hypothesis"),
    [
        ("f", "V({x1,x2},p1) |- ~V(x1,x2)", "Anna ed Emma hanno visitato Lima.", "Anna non ha fatto visita a Emma."),
        (
            "m",
            "V(everyone,p1) |- V(nobody,{p1,p2})",
            "Tutti hanno visitato Lima.",
            "Nessuno ha visitato Lima né Quito.",
        ),
        ("f", "x1 > x2 |- x2 >= x1", "Anna è più alta di Emma.", "Emma è alta quanto Anna."),
        (
            "m",
            "only(x1,21 place,1 person) |- V(x1,x2)",
            "Gino ha visitato solo ventuno luoghi e ha fatto visita a solo una persona.",
            "Gino ha fatto visita ad Andrea.",
        ),
    ],
)
def test_wording(gender: str, form: str, premise: str, hypothesis: str) -> None:
    grammar = load_grammar(ITALIAN)
    people = [grammar.person(name) for name in (("Anna", "Emma") if gender == "f" else ("Gino", "Andrea"))]
    texts = realise(read_form(form), grammar, Casting(people, ["Lima", "Quito"], gender))
    assert (texts.premise, texts.hypothesis) == (premise, hypothesis)
