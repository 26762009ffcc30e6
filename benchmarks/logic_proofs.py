"""Proofs against z3 on fresh pairs of every task and language: how many were compared, and how many disagree.

    python benchmarks/logic_proofs.py [preset] [pairs of each task and language] [first seed]

Each task and language has a seed of its own, so that no form is drawn twice on purpose. A pair's label and relation are
compared with z3's under the default reading, and under another reading, drawn for each pair, the decision procedure
with z3. Forms with more names take z3 longer; a form is compared once.
"""

from __future__ import annotations

import sys

import numpy as np

from goldproof.builders.logic.build import CorpusRecipe, build_corpus
from goldproof.builders.logic.forms import ALL_READINGS, DEFAULT_READINGS, Relation
from goldproof.builders.logic.grammar import LANGUAGES
from goldproof.builders.logic.notation import read_form
from goldproof.builders.logic.pairs import CONTRADICTION
from goldproof.builders.logic.prover import prove
from goldproof.builders.logic.solver import solve
from goldproof.builders.logic.templates import LogicTask


def main() -> None:
    preset = sys.argv[1] if len(sys.argv) > 1 else "closed2"
    n, seed = (int(sys.argv[place]) if len(sys.argv) > place else usual for place, usual in ((2, 40), (3, 1_000)))
    languages = ("en", "pt") if preset.startswith("clcd") else LANGUAGES
    seen: set[str] = set()
    print("| | pairs | forms compared | labels that differ | relations that differ | other readings that differ |")
    print("|---|---|---|---|---|---|")
    for language in languages:
        pairs, compared, wrong = 0, 0, np.zeros(3, int)
        for task in LogicTask:
            seed += 1
            for pair in build_corpus(CorpusRecipe(language, task.value, 0, n, seed, preset)).test:
                pairs += 1
                if pair.form in seen:
                    continue
                seen.add(pair.form)
                compared += 1
                form, found = read_form(pair.form), solve(read_form(pair.form), DEFAULT_READINGS)
                other = ALL_READINGS[int(np.random.default_rng([seed, compared]).integers(len(ALL_READINGS)))]
                wrong += [
                    (found is Relation.CONTRADICTED) != (pair.label == CONTRADICTION),
                    found.value != pair.relation,
                    prove(form, other) is not solve(form, other),
                ]
        print(f"| {language} | {pairs:,} | {compared:,} | {' | '.join(map(str, wrong))} |", flush=True)


if __name__ == "__main__":
    main()
