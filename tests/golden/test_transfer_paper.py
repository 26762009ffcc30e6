"""The numbers that the transfer paper prints, and what our statistics say of them."""

from __future__ import annotations

import numpy as np
import pytest

from goldproof.statistics.agreement import agreement_null, directional_agreement
from goldproof.statistics.proportions import significant_difference
from goldproof.studies.transfer.findings import printed_rows
from goldproof.studies.transfer.published import (
    AGREEMENT_SOURCE,
    AGREEMENT_TARGET,
    MBERT,
    TABLE_1,
    TABLE_2,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    TABLE_7,
    TABLE_7_EXACT_MATCH,
    TABLE_8,
    XLM_R,
)


@pytest.mark.parametrize("corpus", ["mldoc", "xnli"])
def test_table_2_gives_its_deltas(corpus):
    for cell in TABLE_2[corpus].values():
        assert cell.highest - cell.lowest == pytest.approx(cell.delta, abs=1e-9)


def test_eight_xnli_languages_differ_by_two_and_a_half_points():
    wide = [name for name, cell in TABLE_2["xnli"].items() if name != "dev" and cell.delta >= 2.5]
    assert wide == ["ar", "bg", "el", "hi", "sw", "th", "ur", "zh"]  # the paper says 7 of 14
    assert all(cell.delta >= 2.5 for name, cell in TABLE_2["mldoc"].items() if name != "dev")


def test_the_threshold_of_two_and_a_half_points_is_a_round_up():
    assert 100 * significant_difference(4000) == pytest.approx(2.19, abs=0.005)
    assert 100 * significant_difference(5010) == pytest.approx(1.96, abs=0.005)
    xnli = {name: cell for name, cell in TABLE_2["xnli"].items() if name != "dev"}
    computed = [n for n, c in xnli.items() if c.delta >= 100 * significant_difference(5010, c.highest / 100)]
    assert set(xnli) - set(computed) == {"fr", "tr"}  # by the test itself 12 of 14 are significant


@pytest.mark.parametrize("corpus", ["mldoc", "xnli"])
def test_table_4_repeats_the_maxima_of_table_2(corpus):
    assert {name: cell.source_dev for name, cell in TABLE_4[corpus].items()} == {
        name: cell.highest for name, cell in TABLE_2[corpus].items() if name != "dev"
    }
    for cell in TABLE_4[corpus].values():
        assert cell.target_dev is None or cell.target_dev >= cell.source_dev  # an oracle is a maximum


@pytest.mark.parametrize(
    ("table", "model"),
    [(TABLE_5, MBERT), (TABLE_7, MBERT), (TABLE_7, XLM_R), (TABLE_7_EXACT_MATCH, XLM_R), (TABLE_8, MBERT)],
)
def test_deltas_of_published_results(table, model):
    *rows, delta = [row for row in table if row.model == model]
    assert delta.source == "Δ"
    for language, printed in delta.cells.items():
        values = [row.cells[language] for row in rows]
        assert max(values) - min(values) == pytest.approx(printed, abs=1e-9), language


def test_table_1_is_part_of_table_5_and_lost_cells_are_absent():
    whole = {row.source: row.cells for row in TABLE_5}
    for row in TABLE_1:
        for language, value in row.cells.items():
            assert value is None or value == whole[row.source][language]
    lost = [row for row in TABLE_6 if row.source != "Δ"]
    assert all(value is None for row in lost for language, value in row.cells.items() if language != "zh")
    assert AGREEMENT_SOURCE["xnli"]["fr"] is None
    assert AGREEMENT_TARGET["xnli"]["fr"] is None
    assert [name for name, cell in TABLE_4["xnli"].items() if cell.target_dev is None] == ["ru", "sw", "th", "tr"]


def test_every_number_stands_in_the_paper(papers):
    text = next(papers.glob("003_*.txt")).read_text(encoding="utf-8")
    words = set(text.replace("/", " ").split())
    for table in (TABLE_1, TABLE_5, TABLE_6, TABLE_7, TABLE_7_EXACT_MATCH, TABLE_8):
        for row in table:
            assert {f"{value:.1f}" for value in row.cells.values() if value is not None} <= words
    for corpus in ("mldoc", "xnli"):
        for cell in TABLE_2[corpus].values():
            assert {f"{cell.highest:.1f}", f"{cell.lowest:.1f}", f"{cell.delta:.1f}"} <= words
        shares = [*AGREEMENT_SOURCE[corpus].values(), *AGREEMENT_TARGET[corpus].values()]
        assert {f"{value:.2f}" for value in shares if value is not None} <= words


def test_printed_rows_are_shares():
    rows = {row.row: row.cells for row in printed_rows("mldoc")["runs"]}
    assert rows["Δ"]["fr"] == pytest.approx(0.150)
    assert printed_rows("sib200") == {}


def test_null_range_of_one_run():
    """50 checkpoints, AR(1) noise of .9, no threshold: about .28–.72, so one run shows little."""
    null = agreement_null(50, 0.9, np.random.default_rng(7), draws=3000)
    assert null.low == pytest.approx(0.28, abs=0.02)
    assert null.high == pytest.approx(0.72, abs=0.02)


def coverage(n_runs: int, repetitions: int, seed: int) -> float:
    """How often the clustered interval holds the true agreement: development and target are AR(1) series of .9 that
    share part of their noise, of which target moves of at least a tenth of a standard deviation count.
    """
    rng = np.random.default_rng(seed)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        noise = rng.standard_normal((2, n, 50))
        noise[1] = 0.4 * noise[0] + np.sqrt(1 - 0.4**2) * noise[1]
        series = np.empty_like(noise)
        series[..., 0] = noise[..., 0]
        for step in range(1, 50):
            series[..., step] = 0.9 * series[..., step - 1] + np.sqrt(1 - 0.81) * noise[..., step]
        return series[0], series[1]

    truth = directional_agreement(*draw(4000), threshold=0.1).value
    inside = 0
    for _ in range(repetitions):
        found = directional_agreement(*draw(n_runs), threshold=0.1)
        inside += found.low <= truth <= found.high
    return inside / repetitions


def test_clustered_interval_covers():
    assert 0.93 <= coverage(10, 1500, seed=1) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("n_runs", [5, 10, 20])
def test_clustered_interval_covers_over_many_simulations(n_runs):
    assert 0.93 <= coverage(n_runs, 10_000, seed=2) <= 0.97
