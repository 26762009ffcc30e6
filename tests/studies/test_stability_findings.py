"""What the stability study says of added data and of features in it, on answers made by hand: nothing is trained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.report.sentences import unfinished
from tests.studies.stability_runs import answers_of, gold_of, noisy_runs, toy_diagnostics

from goldproof.builders.annotation.features import FEATURES
from goldproof.errors import UsageError
from goldproof.judging.tags import items_by_tag
from goldproof.report.palette import BETTER_CELL, WORSE_CELL
from goldproof.report.summary import Estimate, Table
from goldproof.statistics.stability import deviation_change
from goldproof.studies import stability
from goldproof.studies.kept import KeptAnswers
from goldproof.studies.stability.findings.presence import _correlation
from goldproof.studies.stability.gather import LABELS, apart
from goldproof.studies.stability.plan import MOST, Condition, conditions, jobs, most_rows, train_data
from goldproof.studies.stability.published import (
    AVERAGE_CATEGORIES,
    AVERAGE_OVERALL,
    CATEGORIES,
    OVERALL,
)
from goldproof.studies.stability.scores import StabilityFindings, constant_categories
from goldproof.studies.stability.settings import TINY, AttributionRuns, Extra, Presence

CONFIG = replace(
    TINY,
    seeds=(0, 1, 2, 3),
    attribution=AttributionRuns(levels=0),
    extra=Extra(amounts=(64,), amounts_everywhere=(200,)),
    presence=Presence(features=("Negation", "Datives"), percent=(25, 75), languages=("en", "fr")),
)


def kept_answers(config, share, data=None):
    """Answers of every condition whose runs are right with the share that `share(condition)` gives."""
    data = data or toy_diagnostics()
    answers, facts = {}, {"rates": {}, "corpora": {}}
    for place, condition in enumerate(conditions(config)):
        runs = noisy_runs(data, len(config.seeds), share(condition), seed=place)
        made = answers_of(data, runs)
        answers[f"fake/{condition.name()}"] = replace(made, where={"language": condition.language})
        n = len(runs)
        facts[f"runs of {condition.name()}"] = {"validation": [0.5] * n, "points": [0] * n, "keys": ["k"] * n}
    figures = {"rows": {"train": 96}, "vocabulary": 20, "words": 12.0, "key": "k"}
    facts["corpora"] = dict.fromkeys(config.data.languages, figures)
    facts["presence amount"] = 48
    counts = {"rows": 100, "shown": dict.fromkeys(FEATURES, 30), "key": "k"}
    facts["rates"] = {"en": counts, "extra": counts}
    return KeptAnswers(answers, {f"fake/{name}": fact for name, fact in facts.items()})


def report_of(config, share, **options):
    return stability.report_kept(config, kept_answers(config, share, **options))


def items_of(report):
    return {item.name: item for section in report.sections for item in section.items if hasattr(item, "name")}


@pytest.fixture(scope="module")
def report():
    """Extra data helps much, all languages alike; of Negation more helps, of Datives it does nothing."""

    def share(condition):
        if condition.feature == "Negation":
            return 0.6 if condition.percent == 25 else 0.95
        return 0.9 if condition.amount else 0.6

    return report_of(CONFIG, share)


def test_the_answer_holds_for_all_languages_together(report):
    """Of several languages at chance one is soon above it alone: the first screen widens its intervals."""
    found = StabilityFindings(CONFIG, kept_answers(CONFIG, lambda _: 0.6).part("fake/"))
    for language, scored in found.base.items():
        wide = found.together[language]
        assert wide.value == pytest.approx(scored.overall.value)
        assert wide.low < scored.overall.low < scored.overall.high < wide.high
        assert wide.level == pytest.approx(0.975)
    assert "(4 seeds; intervals hold for all 2 languages together)" in report.answer.text


def test_maps_of_every_language_after_the_added_data(report):
    items = items_of(report)
    assert {"after-languages-map", "after-languages-seed-map", "after-seeds-en", "after-seeds-fr"} <= set(items)
    assert items["after-languages-map"].title.startswith("With 200 extra rows, ")
    assert {row["seed"] for row in items["after-seeds-fr"].rows} == {"0", "1", "2", "3"}
    table = items["above-chance"]
    assert {row["language"] for row in table.rows} == {"en", "fr"}
    assert all(row["above"] > row["above_before"] for row in table.rows)
    now, before = (sum(row[key] for row in table.rows) for key in ("above", "above_before"))
    assert table.title == (
        f"With 200 extra rows {now} of 66 category scores are shown to be above chance; without them, {before} of 66"
    )
    claims = {claim.place: claim for claim in report.verdict}
    assert claims["above-chance"].text == f"{table.title}."
    assert claims["above-chance"].standing == "shown"
    assert unfinished(report) == []


def test_averages_over_languages(report):
    items = items_of(report)
    overall = items["overall"].rows
    assert [row["language"] for row in overall] == ["en", "fr", "Average"]
    assert overall[-1]["overall"] == pytest.approx(np.mean([row["overall"].value for row in overall[:-1]]))
    assert overall[-1]["sd"] == pytest.approx(np.mean([row["sd"] for row in overall[:-1]]))
    size = [row for row in items["data-size"].rows if row["language"] == "Average"]
    assert [row["extra"] for row in size] == [0, 200]  # 64 rows were added to English alone
    every = items["categories-average"].rows
    assert [row["category"] for row in every] == list(CATEGORIES)
    first = every[0]
    assert first["average"] == pytest.approx((first["mean_en"] + first["mean_fr"]) / 2)
    assert first["average_sd"] == pytest.approx((first["sd_en"] + first["sd_fr"]) / 2)
    assert not [
        column for table in items.values() if isinstance(table, Table) for column in table.columns if column.published
    ]


def test_the_paper_prints_the_averages_of_its_own_rows():
    cells = np.array([(row.mcc, row.sd, row.correlation) for row in OVERALL.values()])
    printed = (AVERAGE_OVERALL.mcc, AVERAGE_OVERALL.sd, AVERAGE_OVERALL.correlation)
    assert cells.mean(axis=0) == pytest.approx(printed, abs=0.001)
    means = {name: np.mean([stability_mean(name, lang)[0] for lang in OVERALL]) for name in CATEGORIES}
    off = {name for name in CATEGORIES if abs(means[name] - AVERAGE_CATEGORIES[name][0]) > 0.0015}
    assert off == set()


def stability_mean(category, language):
    from goldproof.studies.stability.published import CATEGORY_MEANS

    return CATEGORY_MEANS[language][CATEGORIES.index(category)]


def test_amounts_lie_on_a_logarithmic_axis(report):
    figure = items_of(report)["size-curves"]
    text = str(figure.spec)
    assert "'type': 'symlog'" in text
    assert "'constant': 64" in text
    assert "'values': [0, 64, 200]" in text


def test_one_colour_means_better_in_both_maps_of_change(report):
    items = items_of(report)
    higher, lower = (scale_of(items[name].spec) for name in ("size-change", "size-deviation"))
    assert higher == lower[::-1]
    assert (higher[0], higher[-1]) == (rgb(WORSE_CELL), rgb(BETTER_CELL))


def scale_of(spec):
    """The colours of a heat map's cells, from the lowest value to the highest."""
    (scale,) = [
        layer["encoding"]["color"]["condition"]["scale"]
        for layer in spec["layer"]
        if "scale" in layer["encoding"].get("color", {}).get("condition", {})
        and "range" in layer["encoding"]["color"]["condition"]["scale"]
    ]
    return scale["range"]


def rgb(colour):
    return f"rgba({colour[0]}, {colour[1]}, {colour[2]}, 1)"


def test_constant_runs_are_never_steadier():
    """With extra data every run says the same of all rows: its deviation is 0 by convention, and counts nowhere."""
    data = toy_diagnostics()
    kept = kept_answers(CONFIG, lambda _: 0.6, data)
    name = "fake/en + 200"
    answers, rows = kept.answers[name], items_by_tag(kept.answers[name])["Negation"]
    runs = answers.runs.copy()
    runs[:, rows] = LABELS.index("entailment")
    changed = replace(kept, answers={**kept.answers, name: replace(answers, runs=runs)})
    found = StabilityFindings(CONFIG, changed.part("fake/"))
    assert "Negation" in constant_categories(found.scored[Condition("en", 200)])
    items = items_of(stability.report_kept(CONFIG, changed))
    (cell,) = [r for r in items["size-deviation"].rows if (r["language"], r["category"]) == ("en", "Negation")]
    assert cell["deviation"] is None
    n_constant = sum(row["deviation"] is None for row in items["size-deviation"].rows)
    higher, steadier = items["size-shares"].rows
    assert (higher["cells"], steadier["cells"]) == (66, 66 - n_constant)
    assert "is shown to fall in 0 of 2 languages" in items["size-deviation"].title
    assert [row["n"] for row in items["steadiness"].rows] == [33 - n_constant, 33]


def test_a_constant_run_is_neither_most_nor_least_stable():
    """One of four runs says the same of all rows of a category: what the seeds differ by there is told of none."""
    data = toy_diagnostics()
    kept = kept_answers(CONFIG, lambda _: 0.6, data)
    answers = kept.answers["fake/en"]
    runs = answers.runs.copy()
    runs[:, items_by_tag(answers)["Negation"]] = LABELS.index("entailment")
    runs[:1, items_by_tag(answers)["Datives"]] = LABELS.index("entailment")
    changed = replace(kept, answers={**kept.answers, "fake/en": replace(answers, runs=runs)})
    report = stability.report_kept(CONFIG, changed)
    (section,) = [each for each in report.sections if each.title == "Categories and seeds: en"]
    lines = [item.text for item in section.items if hasattr(item, "text")]
    (most,) = [line for line in lines if line.startswith("Most stable: ")]
    assert "Negation" not in most and "Datives" not in most
    (lost,) = [line for line in lines if line.startswith("In neither, as a run gives one answer to all their rows: ")]
    assert "Negation" in lost and "Datives" in lost


def test_a_headline_counts_only_what_was_tested(report):
    """Half as much noise is a smaller deviation in both languages; with equal noise none is shown."""
    equal = items_of(report_of(CONFIG, lambda _: 0.7))
    assert equal["size-deviation"].title == (
        "With 200 extra rows the standard deviation over seeds is shown to fall in 0 of 2 languages"
    )
    assert equal["steadiness"].title == "The mean standard deviation over seeds is shown to change in 0 of 2 languages"
    for item in equal.values():
        assert "not tested" not in item.title
    shown = [row for row in items_of(report)["steadiness"].rows if row["p"] < 0.05]
    assert f"in {len(shown)} of 2 languages" in items_of(report)["size-deviation"].title
    changed = [row for row in items_of(report)["data-size"].rows if isinstance(row["p"], float)]
    counted = f"is shown to change in {sum(row['p'] < 0.05 for row in changed)} of {len(changed)} cases: en from "
    assert counted in items_of(report)["size-curves"].title


def test_the_change_of_deviation_holds_its_level():
    """Of 400 pairs of equal campaigns (33 categories that share a seed's luck, 6 seeds) few are told apart."""
    rng = np.random.default_rng(5)

    def campaign(scale=1.0):
        return scale * (0.5 * rng.normal(size=(1, 6)) + rng.normal(size=(33, 6)))

    p = np.array([deviation_change(campaign(), campaign()).p_value for _ in range(400)])
    assert 0.005 <= (p < 0.05).mean() <= 0.08
    power = np.array([deviation_change(campaign(0.6), campaign()).p_value for _ in range(100)])
    assert (power < 0.05).mean() > 0.5
    few = deviation_change(campaign()[:, :3], campaign()[:, :3])
    assert np.isnan(few.p_value)
    assert few.change.method == "no interval: fewer than 4 runs on a side"


def test_more_of_a_feature_is_tested(report):
    items = items_of(report)
    shares = [(row["feature"], row["language"], row["percent"]) for row in items["presence"].rows]
    assert shares[:3] == [
        ("Negation", "en", "drawn at random (30 %)"),
        ("Negation", "en", 0.25),
        ("Negation", "en", 0.75),
    ]
    assert "48 rows are the most that the available rows allow for all shares." in items["presence"].note
    assert all(isinstance(row["mcc"], Estimate) and row["mcc"].low < row["mcc"].high for row in items["presence"].rows)
    verdicts = {(row["feature"], row["language"]): row["verdict"] for row in items["presence-test"].rows}
    assert verdicts == {
        ("Negation", "en"): "yes",
        ("Negation", "fr"): "yes",
        ("Datives", "en"): "not shown",
        ("Datives", "fr"): "not shown",
    }
    assert items["presence-test"].title.startswith(
        "With 75 rather than 25 % of a feature, its own MCC is shown to rise in 2 of 4 cases and to fall in 0; "
        "elsewhere changes of up to 0."
    )
    claims = {claim.place: claim for claim in report.verdict}
    assert (claims["presence-test"].standing, claims["presence-test"].text) == (
        "shown",
        f"{items['presence-test'].title}.",
    )
    gains = items["improvements-table"].rows
    assert [row["feature"] for row in gains] == list(FEATURES)
    assert all(isinstance(row["gain_en"], Estimate) for row in gains)
    assert "The interval is over features and seeds." in items["improvements"].note


def test_luck_over_seeds_widens_the_correlation_of_gains():
    one, other = np.arange(15.0), np.arange(15.0) + np.random.default_rng(0).normal(size=15) * 4
    narrow, wide = (_correlation(one, other, 0.95, variance) for variance in (0.0, 0.1))
    assert narrow.partition(" ")[0] == wide.partition(" ")[0]
    assert narrow != wide


def test_the_rates_of_all_corpora_stand_in_one_table(report):
    table = items_of(report)["rates"]
    assert [row["rate_en"] for row in table.rows] == [0.3] * 15
    assert [column.key for column in table.columns] == ["feature", "rate_en", "rate_extra"]  # of generated data
    published = replace(CONFIG, data=replace(CONFIG.data, corpus="published"))
    table = items_of(stability.report_kept(published, kept_answers(published, lambda _: 0.7)))["rates"]
    assert [column.key for column in table.columns] == ["feature", "rate_en", "paper_en", "rate_extra", "paper_extra"]
    assert table.rows[1]["paper_en"] == 0.086


def test_the_amount_is_the_largest_that_all_shares_allow():
    features = [["Negation"]] * 30 + [["Datives"]] * 12 + [[]] * 58
    assert most_rows(features, ("Negation",), (25, 50)) == 61
    assert most_rows(features, ("Negation", "Datives"), (25, 50, 75)) == 16
    with pytest.raises(UsageError, match=r"no subset has these shares \(50 %\) of every feature: Factivity is in 0 of"):
        most_rows(features, ("Factivity",), (50,))
    plain, shared = Condition("en", MOST), Condition("en", MOST, "Negation", 25)
    assert plain.name() == "en + the most that all shares allow"
    rows = train_data(CONFIG, shared)
    assert rows.arguments["amount"] == train_data(CONFIG, plain).arguments["amount"]
    assert rows.arguments["amount"].step.name == "goldproof.stability.most_rows"
    fixed = replace(CONFIG, presence=replace(CONFIG.presence, amount=40))
    assert train_data(fixed, Condition("en", 40)).arguments["amount"] == 40
    assert "most_rows" not in {job.step.name.rpartition(".")[2] for job in jobs(fixed)}


def test_gold_and_names_of_the_made_answers():
    data = toy_diagnostics()
    assert set(gold_of(data)) == set(LABELS)
    assert apart("en") == "en, seeds apart"
