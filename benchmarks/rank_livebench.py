"""A real board: what the order of LiveBench is worth, and whether orders claimed on half of the items hold on the rest.

    python benchmarks/rank_livebench.py LIVEBENCH.parquet [--splits 100]

The items of each task are split at random in two halves. On one half orders are claimed in three ways: by the score
alone, by a paired test of each pair at 5 %, and by the ranking. An order is reversed where the score on the other half
says the opposite, and refuted where the ranking on the other half does.
"""

from __future__ import annotations

import argparse
import json

import numpy as np
from scipy import special

from goldproof.data.logs.log import LogChoice
from goldproof.judging.boards import NamedBoard
from goldproof.judging.rank import Leaderboard, RankSettings, rank
from goldproof.judging.rank_words import set_size
from goldproof.judging.score import Settings
from goldproof.statistics.board import Board, PairReader, Pairs
from goldproof.statistics.ranking import Ranking, rank_pairs, read_pairs

DRAWS = 2_000


def summary(board: Leaderboard) -> dict[str, object]:
    """Groups, neighbours told apart, and who may be first, for each question and category."""
    found: dict[str, object] = {
        "models": len(board.models),
        "items": board.cells.n_items,
        "tasks": board.cells.board.n_tasks,
        "without a place": len(board.unplaced),
        "first two": board.plan.shown,
    }
    for which, ranking in enumerate(board.rankings):
        found[ranking.question] = {
            "may be first": [name for name, may in zip(board.models, ranking.may_be_first, strict=True) if may],
            "neighbours": board.neighbours_shown(which),
            "pairs": f"{ranking.n_shown} of {(int(ranking.comparable.sum()) - len(board.models)) // 2}",
            "groups": len(board.groups[which].spans),
            "beyond": board.groups[which].beyond,
            "places": round(set_size(ranking), 1),
        }
    found["categories"] = {
        part.name: {
            "items": part.cells.n_items,
            "tasks": part.cells.board.n_tasks,
            **{each.question: int(each.may_be_first.sum()) for each in part.rankings},
            "pairs": part.rankings[0].n_shown,
        }
        for part in board.parts
    }
    found["aggregates"] = {
        each.name: [each.agreement.tau, each.agreement.reversed_pairs, each.shown_reversed] for each in board.aggregates
    }
    return found


def half(cells: NamedBoard, items: np.ndarray) -> tuple[Board, Pairs, Ranking]:
    """The board on these items, read and ranked."""
    board = cells.of_items(items).board
    pairs = read_pairs(board)
    return board, pairs, rank_pairs(PairReader(board), pairs, np.random.default_rng(0), 0.95, DRAWS)


def splits(cells: NamedBoard, n_splits: int) -> dict[str, object]:
    """How often orders claimed on one half are reversed on the other."""
    counts = {"by score": np.zeros(3), "by a test of each pair": np.zeros(3), "by the ranking": np.zeros(3)}
    boards_wrong = np.zeros(1)
    for number in range(n_splits):
        rng = np.random.default_rng(number)
        order = rng.permutation(cells.n_items)
        tasks = cells.board.tasks[order]
        rank_in_task = np.zeros(cells.n_items, int)
        for task in np.unique(tasks):
            rank_in_task[tasks == task] = np.arange((tasks == task).sum())
        one, other = np.sort(order[rank_in_task % 2 == 0]), np.sort(order[rank_in_task % 2 == 1])
        _, pairs, claimed = half(cells, one)
        _, held, ranked = half(cells, other)
        sign = np.sign(pairs.difference)
        error = np.sqrt(np.maximum(pairs.variance, 1e-300))
        p = 2 * special.stdtr(pairs.df, -np.abs(pairs.difference) / error)
        shown = (claimed.better | claimed.better.T)[pairs.first, pairs.second]
        against = np.where(sign > 0, ranked.better[pairs.second, pairs.first], ranked.better[pairs.first, pairs.second])
        for name, which in (
            ("by score", sign != 0),
            ("by a test of each pair", p < 0.05),
            ("by the ranking", shown),
        ):
            reversed_ = which & (sign * held.difference < 0)
            counts[name] += [which.sum(), reversed_.sum(), (which & against).sum()]
        boards_wrong += bool((shown & against).any())
    return {
        name: {
            "claimed a split": round(float(each[0]) / n_splits, 1),
            "reversed": f"{100 * each[1] / each[0]:.2f} %",
            "refuted": f"{100 * each[2] / each[0]:.3f} %",
        }
        for name, each in counts.items()
    } | {"splits": n_splits, "splits with an order refuted": int(boards_wrong[0])}


def main() -> None:
    """Print both boards and the splits."""
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("--splits", type=int, default=100)
    given = parser.parse_args()
    settings = Settings(logs=LogChoice(repeats="mean"))
    whole = rank(given.path, settings=settings, ranking=RankSettings(complete=True, weigh="categories"))
    everyone = rank(given.path, settings=settings, ranking=RankSettings(weigh="categories"))
    print(json.dumps({"complete": summary(whole), "all": summary(everyone)}, indent=1))
    print(json.dumps(splits(whole.cells, given.splits), indent=1))


if __name__ == "__main__":
    main()
