"""Chains of sentences: which names are followed, and that a linear model over chains learns the closed corpus."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.builders.logic.pairs import LABELS
from goldproof.measures.chains import ChainReader, learn_reader
from goldproof.studies.logic import steps
from goldproof.studies.logic.plan import fit_chains


def test_a_chain_goes_from_sentence_to_sentence_by_a_name_that_both_have() -> None:
    reader = ChainReader(frozenset(("saw", "met", "left", "and")), "and")
    found = reader.chains("Kim, Eva and Lea met Bo. Ida saw Kim. Max left.", "Ida met Bo.")
    assert "A met B <- M met B; A saw M" in found
    assert "A met B <- M _*2 met B; A saw M" in found
    assert not any("left" in chain for chain in found)


def test_steps_of_one_kind_are_one_step() -> None:
    reader = ChainReader(frozenset(("is", "above")), "and")
    found = [
        [chain for chain in reader.chains(premise, "Al is above Di.") if chain.count(";") == 2]
        for premise in (
            "Al is above Bo. Bo is above Cy. Cy is above Di.",
            "Al is above Bo. Bo is above Cy. Ed is above Di. Cy is above Ed.",
        )
    ]
    assert found[0] == found[1] == ["A is above B <- A is above M; M is above M; M is above B"]


def test_names_are_learned_from_capitals_in_texts_of_any_language() -> None:
    premises = [f"Wer {a} besucht hat, hat {b} besucht. {c}, {a} und {b} sind hier." for a, b, c in _drawn(60)]
    reader = learn_reader(premises, ["Jeder hat Lima besucht."] * len(premises))
    assert (reader.conjunction, {"wer", "jeder", "besucht"} <= reader.words) == ("und", True)
    assert not reader.words & {"aa0", "bb0", "cc0"}


def test_articles_within_lists_are_no_part_of_the_wording() -> None:
    premises = [f"{a} visitou o {b}, o {a}, a {c} e o {a}. {b} visitou a {c}." for a, b, c in _drawn(60)]
    reader = learn_reader(premises, ["Ele não visitou."] * len(premises))
    assert (reader.conjunction, reader.fillers) == ("e", {"a", "o"})
    assert reader.tokens("Ida visitou a Lia, a Bia e a Eva.") == [
        "@ida", "visitou", "@lia", ",", "@bia", "e", "@eva",
    ]  # fmt: skip


def _drawn(n: int) -> list[tuple[str, str, str]]:
    return [(f"Aa{i}", f"Bb{i}", f"Cc{i}") for i in range(n)]


@pytest.mark.parametrize(("task", "language"), [("negation", "en"), ("description", "en"), ("comparison", "pt")])
def test_the_control_learns_closed2(task: str, language: str) -> None:
    """Where every shortcut is at chance: the labels can be learned from the pairs."""
    data = steps.build(steps.LogicSource(language, task, 400, 20, 100, 0, "closed2", False))
    train, test = (steps.part(data, split) for split in ("train", "test"))
    outcome = fit_chains(train, {"test": test}, 0)
    assert outcome.classes == LABELS
    gold = np.array([LABELS.index(label) for label in test.table.column("label").to_pylist()])
    assert (outcome.at("test")[0].argmax(axis=-1) == gold).mean() > 0.95
    alone = steps.part(data, "test", control="hypothesis")
    taught = steps.part(data, "train", control="hypothesis")
    blind = fit_chains(taught, {"test": alone}, 0).at("test")[0].argmax(axis=-1)
    assert 0.3 < (blind == gold).mean() < 0.7
