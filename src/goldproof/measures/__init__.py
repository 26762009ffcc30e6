"""What is read off models and predictions.

Each public name is imported when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goldproof import lazy

if TYPE_CHECKING:
    from goldproof.measures.cloze import ask_masked, cloze_accuracy, guess_words
    from goldproof.measures.copies import Copies, find_copies
    from goldproof.measures.cues import (
        cue_shares,
        load_opinion_lexicon,
        load_ppdb,
        load_vader,
        paraphrase_cues,
        polarity_cues,
    )
    from goldproof.measures.information import pointwise_information, solved_examples
    from goldproof.measures.leaks import Certificate, certify, pairs_of, recast, split_pairs, split_premises
    from goldproof.measures.suspects import Suspects, find_suspects

__all__ = [
    "Certificate",
    "Copies",
    "Suspects",
    "ask_masked",
    "certify",
    "cloze_accuracy",
    "cue_shares",
    "find_copies",
    "find_suspects",
    "guess_words",
    "load_opinion_lexicon",
    "load_ppdb",
    "load_vader",
    "pairs_of",
    "paraphrase_cues",
    "pointwise_information",
    "polarity_cues",
    "recast",
    "solved_examples",
    "split_pairs",
    "split_premises",
]

_HOMES = {
    "goldproof.measures.cloze": ("ask_masked", "cloze_accuracy", "guess_words"),
    "goldproof.measures.copies": ("Copies", "find_copies"),
    "goldproof.measures.cues": (
        "cue_shares",
        "load_opinion_lexicon",
        "load_ppdb",
        "load_vader",
        "paraphrase_cues",
        "polarity_cues",
    ),
    "goldproof.measures.information": ("pointwise_information", "solved_examples"),
    "goldproof.measures.leaks": ("Certificate", "certify", "pairs_of", "recast", "split_pairs", "split_premises"),
    "goldproof.measures.suspects": ("Suspects", "find_suspects"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    return lazy.find(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
