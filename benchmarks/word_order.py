"""What closed leaves open: how far the places of the hypothesis' names in the premise give the label away, in English.

    python benchmarks/word_order.py

A tree of depth 3 sees where the names of the hypothesis stand in the premise (first and last mention), 4,000 pairs to
learn from and 1,000 to test on. Order is what sentences are made of, so a rule of order is a first step of structure.
"""

from __future__ import annotations

import re

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from goldproof.builders.logic.build import CorpusRecipe, build_corpus
from goldproof.builders.logic.pairs import CONTRADICTION, Pair
from goldproof.builders.logic.templates import LogicTask


def places_of_names(pair: Pair) -> list[float]:
    premise, hypothesis = (re.findall(r"\w+", text) for text in (pair.premise, pair.hypothesis))
    names = [word for word in dict.fromkeys(hypothesis) if word[0].isupper() and word in premise]
    first = [premise.index(name) for name in names]
    last = [len(premise) - 1 - premise[::-1].index(name) for name in names]
    if len(names) < 2:
        return [0, 0, *(first or [-1]), len(premise)]
    return [first[1] - first[0], last[1] - last[0], first[0], len(premise)]


def main() -> None:
    for task in LogicTask:
        corpus = build_corpus(CorpusRecipe(task=task.value, n_train=4000, preset="closed"))
        tables = [np.array([places_of_names(pair) for pair in pairs]) for pairs in (corpus.train, corpus.test)]
        labels = [np.array([pair.label == CONTRADICTION for pair in pairs]) for pairs in (corpus.train, corpus.test)]
        tree = DecisionTreeClassifier(max_depth=3, min_samples_leaf=10, random_state=0).fit(tables[0], labels[0])
        print(f"{task.number} {task.value:<13} {np.mean(tree.predict(tables[1]) == labels[1]):.3f}")


if __name__ == "__main__":
    main()
