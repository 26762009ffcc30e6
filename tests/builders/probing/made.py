"""A made English treebank of any size: every sentence has a subject, an object, a tense and a chain of phrases."""

from __future__ import annotations

import numpy as np

Word = tuple[str, str, str, str, int, str]  # form, lemma, part of speech, features, head, relation

_STARTS, _ENDS = ("lam", "ter", "mon", "gar", "vel", "pos", "rin", "cor"), ("el", "ot", "ax", "in", "or")
NOUNS = [start + end for start in _STARTS for end in _ENDS]
VERBS = [start + end for start in ("blim", "trop", "skal", "frun", "gleb") for end in ("", "er", "os")]
ADVERBS = [noun + end for noun in NOUNS[:20] for end in ("ly", "ward", "wise", "ways", "long")]


def make_treebank(n: int, seed: int = 0, prefix: str = "s") -> list[str]:
    """Sentences as CoNLL-U blocks, of 6 to 25 tokens, hardly ever two the same."""
    rng = np.random.default_rng(seed)
    return [_sentence(f"{prefix}{number}", rng) for number in range(n)]


def _sentence(identity: str, rng: np.random.Generator) -> str:
    n_adjectives = int(rng.integers(0, 6))
    subject, verb = n_adjectives + 2, n_adjectives + 3
    words: list[Word] = [("the", "the", "DET", "Definite=Def|PronType=Art", subject, "det")]
    words += [("small", "small", "ADJ", "Degree=Pos", subject, "amod")] * n_adjectives
    words += [_noun(rng, verb, "nsubj"), _verb(rng)]
    adverb = str(rng.choice(ADVERBS))
    words.append((adverb, adverb, "ADV", "_", verb, "advmod"))
    words.append(("the", "the", "DET", "Definite=Def|PronType=Art", len(words) + 2, "det"))
    words.append(_noun(rng, verb, "obj"))
    head = len(words)
    for _ in range(rng.integers(0, 7)):
        noun = len(words) + 2
        words += [("of", "of", "ADP", "_", noun, "case"), _noun(rng, head, "nmod")]
        head = noun if rng.random() < 0.7 else head
    words.append((".", ".", "PUNCT", "_", verb, "punct"))
    lines = [f"# sent_id = {identity}"]
    for number, (form, lemma, upos, feats, over, relation) in enumerate(words, start=1):
        lines.append(f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{over}\t{relation}\t_\t_")
    return "\n".join(lines) + "\n\n"


def _noun(rng: np.random.Generator, head: int, relation: str) -> Word:
    lemma = str(rng.choice(NOUNS))
    if rng.integers(2):
        return lemma + "s", lemma, "NOUN", "Number=Plur", head, relation
    return lemma, lemma, "NOUN", "Number=Sing", head, relation


def _verb(rng: np.random.Generator) -> Word:
    lemma = str(rng.choice(VERBS))
    if rng.integers(2):
        return lemma + "ed", lemma, "VERB", "Mood=Ind|Tense=Past|VerbForm=Fin", 0, "root"
    return lemma, lemma, "VERB", "Mood=Ind|Tense=Pres|VerbForm=Fin", 0, "root"
