"""Which rules give the rates of Table 7 of the stability paper: ours, and narrower or wider ones, on RTE and MNLI.

    python benchmarks/annotation_rules.py [--rows 1200] [--root DATA]

Needs the extra `spacy` with an English model. A row counts where either of its two texts shows the feature. The paper
gives two rates for each English rule (RTE's training data, 10k rows of MNLI's), so that a guess at its rule can fail
twice. Rows are drawn at random; MNLI here is the matched development set.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from goldproof.builders.annotation.english import _features, _parser
from goldproof.data.corpora.catalog import load
from goldproof.studies.stability.published import RATES

Rule = Callable[[Any], bool]
NEGATING = re.compile(r"(un|in|im|il|ir|dis|non)[a-z]{3,}")
RELATIVE = frozenset(("who", "whom", "whose", "which", "that"))
LISTED_QUANTIFIERS = frozenset(("all", "some", "every", "any", "anyone", "everyone", "nothing"))


def words(*listed: str) -> Rule:
    """One of these words stands in the text."""
    return lambda doc: any(token.lower_ in listed for token in doc)


def tags(*listed: str) -> Rule:
    """A word has one of these tags."""
    return lambda doc: any(token.tag_ in listed for token in doc)


def affixed(*classes: str) -> Rule:
    """A word of one of these classes begins as though it were negated."""
    return lambda doc: any(token.pos_ in classes and NEGATING.fullmatch(token.lower_) for token in doc)


def ours(feature: str) -> Rule:
    """Our rule."""
    return lambda doc: feature in set(_features(doc))


GUESSES: dict[str, dict[str, Rule]] = {
    "Negation": {
        "ours": ours("Negation"),
        "the word not": words("not"),
        "not, n't": words("not", "n't"),
        "not, n't, no, never": words("not", "n't", "no", "never"),
    },
    "Temporal": {
        "ours": ours("Temporal"),
        "before, after": words("before", "after"),
        "before, after, while, during, until, since": words("before", "after", "while", "during", "until", "since"),
    },
    "Morphological negation": {
        "ours": ours("Morphological negation"),
        "un-, in-, im-, il-, ir-, dis-, non- of noun, adjective, adverb": affixed("NOUN", "ADJ", "ADV"),
        "the same of verbs too": affixed("NOUN", "ADJ", "ADV", "VERB"),
        "the same of adjectives and adverbs": affixed("ADJ", "ADV"),
    },
    "Anaphora/Coreference": {
        "ours": ours("Anaphora/Coreference"),
        "any personal or possessive pronoun (tags PRP, PRP$)": tags("PRP", "PRP$"),
    },
    "Relative clauses": {
        "ours": ours("Relative clauses"),
        "who, whom, whose, which, that": words(*RELATIVE),
    },
    "Prepositional phrases": {
        "ours": ours("Prepositional phrases"),
        "tags IN, TO": tags("IN", "TO"),
    },
    "Quantifiers": {
        "ours": ours("Quantifiers"),
        "the paper's seven examples": words(*LISTED_QUANTIFIERS),
    },
}


def main(arguments: Sequence[str]) -> None:
    """Print a row for each guess."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1200)
    parser.add_argument("--root", default=None)
    given = parser.parse_args(arguments)
    parsed = {}
    for name, corpus, split in (("RTE", "rte", "train"), ("MNLI", "glue/mnli", "validation")):
        data = load(corpus, language="en", split=split, root=given.root)
        rows = sorted(random.Random(1).sample(range(len(data)), min(given.rows, len(data))))
        data = data.take(rows)
        both = [data.texts, [pair or "" for pair in data.pairs]]
        parsed[name] = [list(_parser().pipe(texts, batch_size=128)) for texts in both]
    print("| feature | rule | RTE | paper | MNLI | paper |\n|---|---|---:|---:|---:|---:|")
    for feature, rules in GUESSES.items():
        for what, rule in rules.items():
            found = {name: [rule(a) or rule(b) for a, b in zip(*pair, strict=True)] for name, pair in parsed.items()}
            cells = {name: _cell(each) for name, each in found.items()}
            _, rte, mnli = RATES[feature]
            print(f"| {feature} | {what} | {cells['RTE']} | {rte:.3f} | {cells['MNLI']} | {mnli:.3f} |")


def _cell(found: Sequence[bool]) -> str:
    share = sum(found) / len(found)
    return f"{share:.3f} ± {math.sqrt(share * (1 - share) / len(found)):.3f}"


if __name__ == "__main__":
    main(sys.argv[1:])
