"""The published contradiction corpus: rows that are not read, labels that our proofs do not give, and Table 1.

    PYTHONPATH=. python benchmarks/logic_published.py [data root]

From the project's root, since the parser is that of the tests. Training files are read with the names of the single
facts in task 1, which has them all, test files with those that all seven tasks give. `all` says how many labels differ;
each of the others how many of these have one reason: a name that may be a person or a place, or "as tall as" read as at
least as tall. Words of Table 1 are what stands between two spaces.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

from tests.builders.logic.parse import Parser, learn_lexicon
from tests.builders.logic.test_published import FILES, Row, file_of, read_rows, reason_of, template_of

from goldproof.builders.logic.forms import Readings, Relation
from goldproof.builders.logic.grammar import load_grammar
from goldproof.builders.logic.prover import prove_canonical
from goldproof.errors import DataError
from goldproof.studies.logic.published import FIGURES
from goldproof.studies.logic.settings import TASKS


def labels(language: str, split: str, rows: dict[int, list[Row]]) -> list[str]:
    """A line for each template and reason for which labels differ, and one for all."""
    grammar = load_grammar(language, "clcd")
    known = rows[1] if split == "train" else [row for each in rows.values() for row in each]
    lexicon = learn_lexicon([(row.premise, row.hypothesis) for row in known], grammar)
    parser, unread = Parser(grammar, lexicon), 0
    found: Counter[tuple[int, str, str]] = Counter()
    for task, each in rows.items():
        for row in each:
            try:
                one = parser.parse(row.premise, row.hypothesis)
            except DataError:
                unread += 1
                continue
            if (prove_canonical(one.form, Readings()) is Relation.CONTRADICTED) != row.contradicts:
                found[task, template_of(one.form), reason_of(one.form, bool(one.unsettled))] += 1
    n, names = sum(map(len, rows.values())), len(lexicon.people) + len(lexicon.places)
    where = f"| {language} {split} "
    told = f"{where}| {n:,} rows, {names:,} names, {unread} not read | all | {found.total()} |"
    return [told, *(f"{where}| {task}, {name} | {reason} | {n} |" for (task, name, reason), n in sorted(found.items()))]


def table_1(language: str, task: int, splits: dict[str, list[Row]]) -> str:
    """Vocabulary, shared words, mean and longest length of the files, and what the paper prints."""
    texts = [[f"{row.premise} {row.hypothesis}" for row in rows] for rows in splits.values()]
    words = [{word for text in each for word in text.split(" ")} for each in texts]
    lengths = [len(text) for each in texts for text in each]
    found = len(words[0] | words[1]), len(words[0] & words[1]), sum(lengths) / len(lengths), max(lengths)
    printed = FIGURES[language, TASKS[task - 1]]
    both = zip(found, printed, strict=True)
    cells = (f"{a:,.1f} | {b:,.1f}" if isinstance(a, float) else f"{a:,} | {b:,}" for a, b in both)
    return f"| {language} | {task} | {' | '.join(cells)} |"


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("GOLDPROOF_DATA", "."))
    files = {
        (language, split, task): file_of(root, language, task, split)
        for language in ("en", "pt")
        for split in ("train", "test")
        for task in FILES
    }
    rows = {key: read_rows(root, *(key[0], key[2], key[1])) for key, path in files.items() if path.is_file()}
    print("| file | template | reason | labels that differ |\n|---|---|---|---|")
    for language in ("en", "pt"):
        for split in ("train", "test"):
            chosen = {task: rows[language, split, task] for task in FILES if (language, split, task) in rows}
            if chosen:
                print("\n".join(labels(language, split, chosen)), flush=True)
    print("\n| | task | vocabulary | paper | shared | paper | mean length | paper | longest | paper |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for language in ("en", "pt"):
        for task in FILES:
            splits = {
                split: rows[language, split, task] for split in ("train", "test") if (language, split, task) in rows
            }
            if len(splits) == 2:
                print(table_1(language, task, splits))


if __name__ == "__main__":
    main()
