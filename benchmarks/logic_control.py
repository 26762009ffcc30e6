"""The control on closed2: what a linear model over chains of sentences learns, by task and language, three seeds.

    python benchmarks/logic_control.py [languages, as en,pt] [tasks, as 1234567] [pairs to learn from] [preset]

The same model as the learner `chains` of the study, whose seeds shuffle the items; chains are read once for all seeds.
1,000 pairs to test on, seed 0.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import SGDClassifier

from goldproof.builders.logic.build import CorpusRecipe, build_corpus, find_task
from goldproof.measures.chains import learn_reader

SEEDS = (0, 1, 2)


def main() -> None:
    given = sys.argv[1:]
    languages = given[0].split(",") if given else ["en", "pt"]
    tasks = given[1] if len(given) > 1 else "1234567"
    n, preset = int(given[2]) if len(given) > 2 else 4_000, given[3] if len(given) > 3 else "closed2"
    print(
        "| | task | " + " | ".join(f"seed {seed}" for seed in SEEDS) + " | lowest template |\n|---|---|---|---|---|---|"
    )
    for language in languages:
        for number in tasks:
            corpus = build_corpus(CorpusRecipe(language, number, n, 1_000, preset=preset))
            reader = learn_reader([pair.premise for pair in corpus.train], [pair.hypothesis for pair in corpus.train])
            read = CountVectorizer(analyzer=list, binary=True)
            chains = [
                [reader.chains(pair.premise, pair.hypothesis) for pair in part] for part in (corpus.train, corpus.test)
            ]
            tables = read.fit_transform(chains[0]), read.transform(chains[1])
            gold = [np.array([pair.label for pair in part]) for part in (corpus.train, corpus.test)]
            templates = np.array([pair.template for pair in corpus.test])
            right = []
            for seed in SEEDS:
                model = SGDClassifier(loss="log_loss", alpha=1e-5, max_iter=30, tol=None, random_state=seed)
                right.append(model.fit(tables[0], gold[0]).predict(tables[1]) == gold[1])
            cells = " | ".join(f"{100 * each.mean():.1f}" for each in right)
            worst = min((float(np.mean([each[templates == name] for each in right])), name) for name in set(templates))
            task = find_task(number)
            print(
                f"| {language} | {task.number} {task.value} | {cells} | {worst[1]} {100 * worst[0]:.1f} |", flush=True
            )


if __name__ == "__main__":
    main()
