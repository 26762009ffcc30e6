"""The catalog: complete entries and loading through a hub that is not there."""

from __future__ import annotations

from typing import Any

from goldproof.data.corpora.catalog import catalog, load
from goldproof.data.corpora.published import LAYOUTS

OTHER_LAYOUTS = {"conllu", "token-tag", "conll-ner", "squad-json"}


def test_every_entry_is_complete() -> None:
    for corpus in catalog().values():
        assert corpus.title and corpus.citation and corpus.licence and corpus.source and corpus.languages, corpus.name
        for place in corpus.local:
            assert place.layout in LAYOUTS or place.layout in OTHER_LAYOUTS, corpus.name
            assert set(place.files) <= set(corpus.splits), corpus.name
            assert set(place.languages) <= set(corpus.languages), corpus.name
        if corpus.hub is not None:
            assert set(corpus.hub.labels) <= set(corpus.labels) or not corpus.labels, corpus.name
            assert set(corpus.hub.splits) <= set(corpus.splits), corpus.name


def test_named_corpora_are_there() -> None:
    names = "rte terra diagnostics lidirus snli dialognli mldoc xnli rusenteval senteval xprobe agrr2019 conll2002"
    glue = "cola sst2 mrpc qqp stsb mnli qnli rte wnli"
    expected = {
        *names.split(),
        *(f"glue/{task}" for task in glue.split()),
        "wikiann",
        "sib200",
        "mlqa",
        "clcd",
        "ud/pud",
    }
    assert expected <= set(catalog())


def test_hub_rows_become_a_dataset() -> None:
    asked = []

    def loader(identity: str, config: str | None, split: str, revision: str | None) -> list[dict[str, Any]]:
        asked.append((identity, config, split, revision))
        return [
            {"premise": "A", "hypothesis": "B", "label": 0, "idx": 5},
            {"premise": "C", "hypothesis": "D", "label": 2, "idx": 6},
            {"premise": "E", "hypothesis": "F", "label": -1, "idx": 7},
        ]

    data = load("glue/mnli", split="dev", hub=loader)
    assert asked == [("nyu-mll/glue", "mnli", "validation_matched", None)]
    rows = [(row["id"], row["text"], row["pair"], row["label"], row["split"]) for row in data]
    assert rows == [("5", "A", "B", "entailment", "validation"), ("6", "C", "D", "contradiction", "validation")]
    assert data.provenance.source == "hub:nyu-mll/glue"


def test_hub_tokens_tags_and_unlabelled_rows() -> None:
    tokens = load(
        "wikiann",
        language="fr",
        split="test",
        hub=lambda *asked: [{"tokens": ["Paris", "est"], "ner_tags": [5, 0]}],
    )
    assert (tokens.texts, tokens.table.column("token_labels").to_pylist()) == (["Paris est"], [["B-LOC", "O"]])
    diagnostic = {
        "sentence1": "a",
        "sentence2": "b",
        "label": 1,
        "idx": 0,
        "logic": "Negation;Disjunction",
        "knowledge": "",
    }
    diagnostic |= {"lexical-semantics": "", "predicate-argument-structure": None}
    tagged = load("lidirus", hub=lambda *asked: [diagnostic])
    assert tagged.table.column("tags").to_pylist() == [["logic:Negation", "logic:Disjunction"]]
    unlabelled = load(
        "rte", split="test", hub=lambda *asked: [{"premise": "a", "hypothesis": "b", "label": -1, "idx": 0}]
    )
    assert unlabelled.labels == ()
    row_of_scores = {"sentence1": "a", "sentence2": "b", "label": -1.0, "idx": 0}
    score = load("glue/stsb", split="test", hub=lambda *asked: [row_of_scores])
    assert score.table.column("score").to_pylist() == [None]
