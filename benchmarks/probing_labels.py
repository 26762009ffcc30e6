"""What the labels of built probing tasks are worth: a sample to read, agreement between translations and with a parser.

python benchmarks/probing_labels.py sample --treebank ru_taiga-ud-train.conllu [--each 3] [--seed 7]
python benchmarks/probing_labels.py agreement ru_pud-ud-test.conllu en_pud-ud-test.conllu de_pud-ud-test.conllu
python benchmarks/probing_labels.py parser ru_pud-ud-test.conllu --parsed parsed.conllu
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path

from sklearn.metrics import cohen_kappa_score

from goldproof.builders.probing import BuildSettings, build_tasks, open_treebanks
from goldproof.builders.probing.draw import draw
from goldproof.builders.probing.raw_text import parse_text
from goldproof.builders.probing.tasks import TASKS, RuleContext
from goldproof.builders.probing.tree import Tree

READ = (
    *("ConjType", "ImpersonalSent", "Gapping", "SubjNumber", "SubjGender", "ObjNumber", "ObjGender"),
    *("PV", "PA", "PT", "NShift", "BShift", "CoordInv"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    sample = commands.add_parser("sample")
    sample.add_argument("--treebank", type=Path, nargs="+", required=True)
    sample.add_argument("--each", type=int, default=3)
    sample.add_argument("--seed", type=int, default=7)
    agreement = commands.add_parser("agreement")
    agreement.add_argument("treebanks", type=Path, nargs="+")
    against = commands.add_parser("parser")
    against.add_argument("treebank", type=Path)
    against.add_argument("--parsed", type=Path, required=True, help="CoNLL-U to write, or to read where it is there")
    arguments = parser.parse_args()
    if arguments.command == "sample":
        print_sample(arguments.treebank, arguments.each, arguments.seed)
    elif arguments.command == "parser":
        print_parser(arguments.treebank, arguments.parsed)
    else:
        print_agreement(arguments.treebanks)


def print_sample(paths: list[Path], each: int, seed: int) -> None:
    built = build_tasks(open_treebanks(paths), BuildSettings(tasks=READ))
    for task in built.tasks:
        rows = sorted((row.candidate for row in task.rows), key=lambda c: draw(seed, "read", task.task.name, c.key))
        for label in task.task.classes:
            if (task.task.name.endswith("Shift") or task.task.name == "CoordInv") and label == "O":
                continue  # as it was: nothing to judge
            for row in [row for row in rows if row.label == label][:each]:
                print(f"{task.task.name}\t{label}\t{row.target or ''}\t{row.text}\t{row.id}")


def print_agreement(paths: list[Path]) -> None:
    quoted = {tree.sentence.id for path in paths for tree in open_treebanks([path]).trees() if is_quoted(tree)}
    for name in ("SubjNumber", "PT"):
        labels = {open_treebanks([path]).language: labels_by_id(path, name) for path in paths}
        print(name, {language: Counter(found.values()).most_common() for language, found in labels.items()})
        for a, b in combinations(labels, 2):
            both = sorted(labels[a].keys() & labels[b].keys())
            pairs = [(labels[a][key], labels[b][key]) for key in both]
            same = sum(x == y for x, y in pairs)
            kappa = cohen_kappa_score(*zip(*pairs, strict=True))
            print(f"  {a}–{b}: {same} of {len(pairs)} agree ({same / len(pairs):.1%}), kappa {kappa:.3f}")
            plain = [labels[a][key] == labels[b][key] for key in both if key not in quoted]
            print(f"    without quotations: {sum(plain)} of {len(plain)} agree ({sum(plain) / len(plain):.1%})")
            for pair, n in Counter(pair for pair in pairs if pair[0] != pair[1]).most_common():
                keys = [key for key in both if (labels[a][key], labels[b][key]) == pair]
                print(f"    {a} {pair[0]}, {b} {pair[1]}: {n} ({', '.join(keys[:8])} …)")


def print_parser(path: Path, parsed: Path) -> None:
    treebanks = open_treebanks([path])
    gold = {tree.sentence.text: tree for tree in treebanks.trees()}
    if not parsed.exists():
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "text.txt"
            text.write_text("".join(f"{line}\n" for line in gold), encoding="utf-8")
            parse_text(text, treebanks.language, parsed)
    trees = {tree.sentence.text: tree for tree in open_treebanks([parsed], treebanks.language).trees()}
    common = sorted(gold.keys() & trees.keys())
    print(f"{treebanks.language}: {len(common)} of {len(gold)} sentences have a parse over the same text")
    context = RuleContext(treebanks.language)
    labelling = [name for name in READ if not name.endswith("Shift") and name != "CoordInv"]
    for name in ("SentLen", "TreeDepth", *labelling):
        pairs = [[TASKS[name].rule(side[text], context).label for side in (gold, trees)] for text in common]
        both = [a == b for a, b in pairs if a and b]
        if both:
            print(f"  {name}: {sum(both)} of {len(both)} agree ({sum(both) / len(both):.1%})")


def is_quoted(tree: Tree) -> bool:
    return any(mark in tree.sentence.text for mark in '"“”„«»')


def labels_by_id(path: Path, name: str) -> dict[str, str]:
    treebanks = open_treebanks([path])
    context = RuleContext(treebanks.language)
    found = {}
    for tree in treebanks.trees():
        verdict = TASKS[name].rule(tree, context)
        if verdict.label is not None:
            found[tree.sentence.id] = verdict.label
    return found


if __name__ == "__main__":
    main()
