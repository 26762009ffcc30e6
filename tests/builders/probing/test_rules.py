"""Every rule on hand-made trees: `# expect` in each file says the label, or `none:` and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldproof.builders.probing import shift
from goldproof.builders.probing.clauses import top_constituents
from goldproof.builders.probing.inversion import invert_clauses
from goldproof.builders.probing.source import open_treebanks
from goldproof.builders.probing.survey import survey
from goldproof.builders.probing.tasks import TASKS, RuleContext
from goldproof.builders.probing.tree import Tree

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.conllu"))
CHANGING = {"NShift": shift.pattern_pairs, "BShift": shift.neighbour_pairs}


def cases():
    for path in FILES:
        language, _, task = path.stem.partition("_")
        trees = list(open_treebanks([path]).trees())
        context = RuleContext(language, survey=survey(trees), word_targets=frozenset({"спать", "ночной"}))
        for tree in trees:
            expected = tree.sentence.comments["expect"]
            yield pytest.param(task, tree, context, expected, id=f"{language}-{tree.sentence.id}")


def answer(task: str, tree: Tree, context: RuleContext) -> str:
    """The label, or for tasks that change a sentence what they may change."""
    verdict = TASKS[task].rule(tree, context)
    if verdict.label is None:
        return f"none: {verdict.reason}"
    if task in CHANGING:
        return ", ".join(f"{tree.forms[place]} {tree.forms[place + 1]}" for place in CHANGING[task](tree))
    if task == "CoordInv":
        return " ".join(invert_clauses(tree))
    if task == "TopConst":
        return top_constituents(tree)
    if task == "SOMO":
        return " ".join(sorted(set().union(*(set(new) - set(tree.forms) for new in changed(task, tree, context)))))
    return verdict.label


def changed(task: str, tree: Tree, context: RuleContext):
    verdicts = [
        TASKS[task].rule(tree, RuleContext(context.language, seed, survey=context.survey)) for seed in range(30)
    ]
    return [verdict.tokens for verdict in verdicts if verdict.tokens]


def test_every_task_has_a_hand_made_file():
    assert {path.stem.partition("_")[2] for path in FILES} == set(TASKS)


@pytest.mark.parametrize(("task", "tree", "context", "expected"), list(cases()))
def test_label(task, tree, context, expected):
    assert answer(task, tree, context) == expected


@pytest.mark.parametrize("task", ["NShift", "BShift", "CoordInv", "SOMO"])
def test_half_the_seeds_change_a_sentence_and_the_others_leave_it(task):
    path = next(path for path in FILES if path.stem.endswith(task))
    trees = list(open_treebanks([path]).trees())
    found = survey(trees)
    tree = trees[0]
    verdicts = [TASKS[task].rule(tree, RuleContext(path.stem[:2], seed, survey=found)) for seed in range(400)]
    original = [verdict for verdict in verdicts if verdict.label == "O"]
    others = [verdict for verdict in verdicts if verdict.label != "O"]
    assert 150 < len(original) < 250  # 5 standard deviations around half
    assert all(verdict.tokens is None for verdict in original)
    assert all(verdict.tokens not in (None, tree.forms) for verdict in others)
    if task != "SOMO":
        assert all(sorted(map(str.lower, v.tokens)) == sorted(map(str.lower, tree.forms)) for v in others)


def test_lengths_fall_into_six_bins_of_equal_width(tmp_path):
    labels = {}
    for n in range(5, 26):
        words = [f"{i}\tslowo\tslowo\tNOUN\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_" for i in range(1, n + 1)]
        path = tmp_path / "pl_made.conllu"
        path.write_text("\n".join(words) + "\n\n", encoding="utf-8")
        (tree,) = open_treebanks([path]).trees()
        labels[n] = TASKS["SentLen"].rule(tree, RuleContext("pl")).label
    assert "".join(labels.values()) == "000011122223334444555"


def test_tokens_that_stand_for_several_words_count_once_and_are_not_swapped(tmp_path):
    path = tmp_path / "fr_made.conllu"
    path.write_text(
        "1\tIl\til\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
        "2\tvient\tvenir\tVERB\t_\tMood=Ind|Tense=Pres|VerbForm=Fin\t0\troot\t_\t_\n"
        "3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_\n"
        "4\tle\tle\tDET\t_\tDefinite=Def|PronType=Art\t5\tdet\t_\t_\n"
        "5\tparc\tparc\tNOUN\t_\tGender=Masc|Number=Sing\t2\tobl\t_\t_\n\n",
        encoding="utf-8",
    )
    (tree,) = open_treebanks([path]).trees()
    assert tree.forms == ("Il", "vient", "du", "parc")
    assert shift.pattern_pairs(tree) == shift.neighbour_pairs(tree) == []
