"""The classes that depend on the corpus: the lemmas of the word-content task and the sequences of TopConst."""

from __future__ import annotations

from dataclasses import dataclass

from goldproof.builders.probing.survey import Survey


@dataclass(frozen=True, slots=True)
class WordTargets:
    """The target lemmas and the ranks, by falling frequency from 1, of the first and last of them."""

    lemmas: tuple[str, ...]
    first_rank: int
    last_rank: int


def choose_words(found: Survey, ranks: tuple[int, int], most: int, min_count: int) -> WordTargets:
    """At most `most` content lemmas within the ranks that occur at least `min_count` times, the most frequent first.

    A small corpus has no such words there: then the rarest content lemmas that are frequent enough take their place,
    one for each `4 * min_count` sentences, so that a sentence seldom holds two. Frequent enough is twice `min_count`,
    because some of the sentences will be too long or hold two of the lemmas.
    """
    ordered = sorted(found.lemmas.items(), key=lambda item: (-item[1], item[0]))
    enough = [
        (rank, lemma)
        for rank, (lemma, count) in enumerate(ordered, start=1)
        if count >= 2 * min_count and lemma in found.content_lemmas
    ]
    chosen = [(rank, lemma) for rank, lemma in enough if ranks[0] <= rank <= ranks[1]][:most]
    if len(chosen) < 2:
        scaled = max(2, min(most, found.n_sentences // (4 * min_count)))
        chosen = enough[-scaled:]
    if not chosen:
        return WordTargets((), 0, 0)
    return WordTargets(tuple(lemma for _, lemma in chosen), chosen[0][0], chosen[-1][0])


def choose_sequences(found: Survey, most: int, min_count: int) -> tuple[str, ...]:
    """The `most` most frequent top sequences that occur at least `min_count` times."""
    ordered = sorted(found.top_sequences.items(), key=lambda item: (-item[1], item[0]))
    return tuple(sequence for sequence, count in ordered[:most] if count >= min_count)
