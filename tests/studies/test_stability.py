"""The stability study: scores by category, membership, extra data, controlled subsets, bad input, a whole campaign."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef
from tests.report.printed import papers_numbers
from tests.report.sentences import unfinished
from tests.studies.stability_runs import answers_of, gold_of, noisy_runs, toy_diagnostics

from goldproof.builders.entailment.categories import GROUP_OF, TAGS, category_tags, check_tags
from goldproof.builders.entailment.steps import binary, prepare_diagnostics
from goldproof.data.corpora.catalog import load
from goldproof.data.dataset import Dataset
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.judging.metrics import mean_score
from goldproof.judging.tags import items_by_tag
from goldproof.report.fields import NOT_PRINTED
from goldproof.report.summary import Missing, Table, Text
from goldproof.runners.serial import SerialRunner
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.multiplicity import holm
from goldproof.studies import stability
from goldproof.studies.shared import Data
from goldproof.studies.stability.findings.presence import _correlation, _score
from goldproof.studies.stability.findings.size import size_section, standing_of
from goldproof.studies.stability.gather import gather, gather_one
from goldproof.studies.stability.plan import (
    Condition,
    attribution_seeds,
    conditions,
    control,
    extend,
    jobs,
)
from goldproof.studies.stability.published import CATEGORIES, SCORES
from goldproof.studies.stability.scores import (
    StabilityFindings,
    judge_categories,
    judge_cells,
    judge_groups,
    score_answers,
    summary_method,
)
from goldproof.studies.stability.settings import PAPER, TINY, AttributionRuns, Config, Extra, Presence
from goldproof.training.outcome import TrainingOutcome

ROOT = Path(__file__).resolve().parents[2]

WHOLE = replace(TINY, attribution=AttributionRuns(levels=3), extra=Extra(amounts=(32,), amounts_everywhere=(64,)))


@pytest.fixture(scope="module")
def data():
    return toy_diagnostics()


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("stability") / "store").open()
    outcomes = list(run_jobs(jobs(WHOLE), store, SerialRunner()))
    assert {outcome.status for outcome in outcomes} == {"done"}
    return Campaign(Results(store))


def judged(config, results):
    return StabilityFindings(config, gather_one(config, results))


class Campaign(StabilityFindings):
    """The findings of the whole campaign, with the results that they were gathered from."""

    def __init__(self, results):
        super().__init__(WHOLE, gather_one(WHOLE, results))
        object.__setattr__(self, "results", results)


def test_a_constant_predictor_scores_nothing_and_is_not_told_from_chance(data):
    answers = answers_of(data, [["entailment"] * len(data)] * 3)
    scores = judge_categories(TINY, answers)
    assert [score.estimate.value for score in scores] == [0.0] * 33
    assert {score.verdict for score in scores} == {"not distinguishable from chance"}
    assert {score.verdict for cells in judge_cells(TINY, answers) for score in cells} == {
        "not distinguishable from chance"
    }


def test_a_perfect_predictor_scores_one_everywhere(data):
    answers = answers_of(data, [gold_of(data)] * 3)
    scores = [*judge_categories(TINY, answers), *judge_groups(TINY, answers)]
    assert [score.estimate.value for score in scores] == [1.0] * 37
    assert {score.verdict for score in scores} == {"above chance"}


def test_scores_of_categories_are_those_of_scikit_learn(data):
    runs = noisy_runs(data, 2, 0.7)
    answers = answers_of(data, runs)
    gold, members = np.array(gold_of(data)), items_by_tag(answers)
    assert tuple(members) == CATEGORIES
    for score in judge_categories(TINY, answers):
        items = members[score.tag]
        expected = [matthews_corrcoef(gold[items], np.array(run)[items]) for run in runs]
        np.testing.assert_allclose(score.run_scores, expected, atol=1e-12)


def test_mirrored_twins_are_one_cluster(data):
    answers = answers_of(data, [gold_of(data)])
    twins = {}
    for code, row in zip(answers.clusters, data, strict=True):
        twins.setdefault(code, set()).add(frozenset((row["text"], row["pair"])))
    assert all(len(pairs) == 1 for pairs in twins.values())
    assert len(twins) == len({frozenset((row["text"], row["pair"])) for row in data})


def test_every_printed_cell_is_attainable_with_exact_membership_and_not_with_split(published):
    impossible = {"exact": 0, "split": 0}
    for language, table in SCORES.items():
        data = load("diagnostics", language=language, root=published)
        gold = np.array([row["label"] == "entailment" for row in data])
        for membership in impossible:
            tags = category_tags(data, membership, language)
            for category, cells in zip(CATEGORIES, table, strict=True):
                rows = gold[[category in row for row in tags]]
                possible = _printable(int(rows.sum()), int((~rows).sum()))
                impossible[membership] += sum(cell not in possible for cell in cells)
    assert impossible == {"exact": 0, "split": 107}


def _printable(positives, negatives):
    """Every MCC that so many rows can have, as the figures print it: three decimals, then two digits."""
    found = set()
    for hits, alarms in itertools.product(range(positives + 1), range(negatives + 1)):
        yes, no = hits + alarms, positives + negatives - hits - alarms
        spread = (yes * no * positives * negatives) ** 0.5
        score = (hits * (negatives - alarms) - alarms * (positives - hits)) / spread if spread else 0.0
        found.add(float(f"{round(score, 3):.2g}"))
    return found


def test_published_diagnostics_pass_in_every_language(published):
    first = load("diagnostics", language="en", root=published)
    for language in ("en", "fr", "de", "sv"):
        raw = load("diagnostics", language=language, root=published)
        made = prepare_diagnostics(raw, language, None if language == "en" else first, "en")
        assert made.labels == ("entailment", "not_entailment")
        assert len(category_tags(made, "split", language)) == 1104


def test_extra_data_grows_by_adding_rows():
    base, extra = toy_pairs(5, "base"), toy_pairs(50, "extra")
    small, large = (set(extend(base, extra, amount, 0).texts) for amount in (10, 30))
    assert len(small) == 15
    assert len(large) == 35
    assert small < large


def toy_pairs(n, name, labels=("entailment", "neutral")):
    rows = [{"text": f"{name} {i}", "pair": "so", "label": labels[i % len(labels)]} for i in range(n)]
    return Dataset.from_rows(name, rows)


@pytest.mark.parametrize("percent", [0, 25, 50, 75, 100])
def test_controlled_subsets_hold_exact_counts(percent):
    features = [["Negation"] if i % 2 else [] for i in range(40)]
    data = toy_pairs(40, "extra")
    holding = {text for text, found in zip(data.texts, features, strict=True) if found}
    subset = control(data, features, "Negation", percent, 20)
    assert len(subset) == 20
    assert sum(text in holding for text in subset.texts) == round(20 * percent / 100)


def test_a_pool_that_is_too_small_is_said():
    features = [["Negation"] if i < 10 else [] for i in range(40)]
    with pytest.raises(UsageError) as caught:
        control(toy_pairs(40, "extra"), features, "Negation", 50, 30)
    assert str(caught.value) == (
        "presence: 50 % Negation of 30 rows needs 15 rows with the feature, but 'extra' has only 10; "
        "ask for at most 21 rows (presence.amount)"
    )
    assert len(control(toy_pairs(40, "extra"), features, "Negation", 50, 21)) == 21


def diagnostics(rows):
    return Dataset.from_rows("mine", [{"pair": "so", "label": "entailment", **row} for row in rows])


def test_bad_input_is_named():
    whole = diagnostics([{"text": "a", "tags": list(TAGS)}])
    for call, message in (
        (
            lambda: category_tags(
                diagnostics([{"text": "a", "tags": [t for t in TAGS if "Dat" not in t]}]), "split", "fr"
            ),
            "diagnostics (fr): the category 'Datives' has no row with membership 'split'; each of the 33 categories "
            "needs at least one",
        ),
        (
            lambda: category_tags(whole, "exact", "fr"),
            "diagnostics (fr): the category 'Active/Passive' has no row with membership 'exact'; each of the 33 "
            "categories needs at least one",
        ),
        (
            lambda: check_tags(diagnostics([{"text": "a", "tags": ["logic:Negatoin"]}]), "en"),
            "diagnostics (en): the tag 'logic:Negatoin' of item '0' is not one of the 33 categories; did you mean "
            "'logic:Negation'?",
        ),
        (
            lambda: prepare_diagnostics(diagnostics([{"text": "a"}]), "fr", diagnostics([{"text": "a"}] * 2), "en"),
            "the diagnostics of the languages must have the same rows: fr has 1 rows and en has 2",
        ),
        (
            lambda: prepare_diagnostics(
                diagnostics([{"text": "a", "id": "7"}]), "fr", diagnostics([{"text": "a"}]), "en"
            ),
            "the diagnostics of the languages must have the same rows: fr has 1 rows and en has 1; row 0 is item '7' "
            "and item '0'",
        ),
        (
            lambda: binary(toy_pairs(3, "mine", ("entailment", "yes")), "extra data (mine.tsv)"),
            "extra data (mine.tsv): item '1' has the label 'yes'; allowed: entailment, not_entailment, neutral, "
            "contradiction",
        ),
        (
            lambda: binary(toy_pairs(3, "mine", (None,)), "validation (ru)"),
            "validation (ru): item '0' has no label",
        ),
    ):
        with pytest.raises(DataError) as caught:
            call()
        assert str(caught.value) == message


def test_more_extra_rows_than_there_are():
    with pytest.raises(UsageError) as caught:
        extend(toy_pairs(5, "base"), toy_pairs(9, "mnli"), 10, 0)
    assert str(caught.value) == "extra data: 10 rows were asked for, but 'mnli' has only 9"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"data": replace(Config().data, languages=("en", "xx"))},
            "the setting 'data.languages' must be at least one of en, ru, fr, de, sv, none twice; got ('en', 'xx')",
        ),
        ({"seeds": (1, 1)}, "the setting 'seeds' must be at least one whole number, none twice; got (1, 1)"),
        (
            {
                "data": replace(Config().data, languages=("fr",)),
                "extra": Extra(amounts=(10,)),
                "attribution": AttributionRuns(0),
            },
            "the setting 'extra.languages' must be among the languages of the study (fr); got ('en',)",
        ),
        (
            {"attribution": AttributionRuns(levels=2)},
            "the setting 'attribution.levels' must be 0 (none) or at least 3; with fewer there is nothing to compare "
            "with; got 2",
        ),
        (
            {"presence": Presence(features=("Negation",), percent=(25, 120))},
            "the setting 'presence.percent' must be whole numbers from 0 to 100, none twice; got (25, 120)",
        ),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(UsageError) as caught:
        Config(**settings)
    assert str(caught.value) == message


def test_designs_are_balanced():
    for design, n in (("latin", 9), ("factorial", 27)):
        seeds = attribution_seeds(replace(TINY, attribution=AttributionRuns(3, design)))
        assert len(set(seeds)) == n
        for name in ("init", "order", "dropout"):
            levels = [getattr(seed, name) for seed in seeds]
            assert {levels.count(level) for level in range(3)} == {n // 3}
        for one, other in itertools.combinations(("init", "order", "dropout"), 2):
            assert len({(getattr(s, one), getattr(s, other)) for s in seeds}) == 9


def test_the_paper_preset_has_every_condition_of_the_paper():
    found = conditions(PAPER)
    assert sum(not c.amount for c in found) == 5
    assert sum(c.amount == 374_000 for c in found) == 5
    assert sum(bool(c.feature) for c in found) == 24
    assert {c.language for c in found if c.amount == 1_000} == {"en", "ru"}
    assert (PAPER.recipe.batch, PAPER.recipe.learning_rate, PAPER.recipe.epochs) == (4, 1e-5, 10)
    assert PAPER.membership == "exact"


@pytest.mark.needs("models")
def test_findings_of_the_tiny_campaign(found):
    base = found.base["en"]
    assert base.table.shape == (33, 3)
    assert base.answers.run_names == ("0", "1", "2")
    gold, run = base.answers.gold, base.answers.runs[0]
    assert base.run_overall[0] == pytest.approx(matthews_corrcoef(gold, run))
    assert base.mean.value == pytest.approx(base.table.mean())
    assert base.overall.low < base.overall.value < base.overall.high
    assert found.sources["en"].n_runs == 9
    assert found.language_correlation() is not None
    # A small effect that is there: the toy rule is learned, so categories that obey it score above those that do not.
    obeying, defying = (
        [score.estimate.value for score in found.categories["en"] if _strength(score.tag) == s] for s in (0, 2)
    )
    assert np.mean(obeying) > 0.3 > -0.15 > np.mean(defying)


def _strength(category):
    return TAGS.index(f"{GROUP_OF[category]}:{category}") % 4


@pytest.mark.needs("models")
def test_the_report_has_the_papers_tables_and_figures(found):
    report = stability.report(WHOLE, found.results)
    assert stability.report(WHOLE, found.results) == report
    assert unfinished(report) == []
    assert papers_numbers(report) == []  # the data were generated
    names = {item.name for section in report.sections for item in section.items if hasattr(item, "name")}
    assert names >= {
        *("overall", "design", "sources", "languages", "languages-map", "languages-seed-map", "groups", "data"),
        *("seeds-en", "categories-en", "dots-en", "seeds-fr", "categories-fr", "items-en"),
        *("data-size", "size-curves", "size-change", "size-deviation", "size-shares"),
    }
    tables = {item.name: item for section in report.sections for item in section.items if hasattr(item, "columns")}
    assert len(tables["categories-en"].rows) == 33
    assert not any(column.published for table in tables.values() for column in table.columns)
    extra = [row["extra"] for row in tables["data-size"].rows if row["language"] == "en"]
    assert extra == [0, 32, 64]


@pytest.mark.needs("models")
def test_one_seed_gives_a_report_too(found):
    config = replace(TINY, seeds=(0,), attribution=AttributionRuns(levels=0), extra=Extra())
    report = stability.report(config, found.results)
    tables = {item.name: item for section in report.sections for item in section.items if hasattr(item, "columns")}
    assert tables["overall"].title == "One seed says nothing about another"
    assert unfinished(report) == []
    assert str(tables["overall"].rows[0]["correlation"].reason) == "needs at least two seeds"


@pytest.mark.needs("models")
def test_the_papers_numbers_stand_beside_its_own_corpus_and_model_alone(published, tmp_path):
    """A run of 60 rows with another model has none but those of the corpora; with its model they say what differs."""
    own = tmp_path / "mine.jsonl"
    rows = [{"premise": f"p {i}", "hypothesis": f"h {i}", "label": "neutral"} for i in range(30)]
    own.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    recipe = replace(TINY.recipe, epochs=1, evaluations=1)
    data = replace(TINY.data, corpus="published", root=str(published), languages=("en",), most_train=60)
    config = replace(TINY, data=data, recipe=recipe)
    store, asked = Store(tmp_path / "store").open(), {}
    for corpus in ("glue/mnli", str(own)):
        asked[corpus] = replace(config, extra=Extra(corpus=corpus, split="validation", amounts=(20,)))
        assert {outcome.status for outcome in run_jobs(jobs(asked[corpus]), store, SerialRunner())} <= {"done", "kept"}
        other = stability.report(asked[corpus], Results(store))
        assert {table.name for table in tables_of(other) if printed_columns(table)} == {"data"}
        assert not [row for row in other.answer.figure.rows if row["part"] == "baseline"]
        assert not any(claim.published for claim in other.verdict)
    made = as_the_paper(asked["glue/mnli"], store)
    assert [row["overall"] for row in made.answer.figure.rows if row["part"] == "baseline"] == [0.2]
    shown = {table.name: table for table in tables_of(made) if printed_columns(table)}
    assert set(shown) == {"overall", "categories-en", "data", "data-size"}  # of MNLI's development data nothing
    assert [row["paper"] for row in shown["data-size"].rows] == [0.2, NOT_PRINTED]
    differs = "The paper used the same corpus and model, but: other size, other training"
    assert all(differs in table.note for name, table in shown.items() if name != "data")
    assert differs in made.answer.figure.note


def tables_of(report):
    return [item for section in report.sections for item in section.items if isinstance(item, Table)]


def printed_columns(table):
    return [column.key for column in table.columns if column.published]


def as_the_paper(config, store):
    """The report of the same answers, as though the paper's model had given them."""
    kept = gather(config, Results(store))
    name = "bert-base-multilingual-cased"
    named = replace(
        kept,
        answers={f"{name}/{key.partition('/')[2]}": each for key, each in kept.answers.items()},
        facts={f"{name}/{key.partition('/')[2]}": each for key, each in kept.facts.items()},
    )
    return stability.report_kept(replace(config, model=name), named)


def test_planning_is_light():
    code = (
        "import sys; from goldproof.studies.stability import TINY, jobs; n = len(jobs(TINY)); "
        "print(n, *(name in sys.modules for name in ('torch', 'transformers', 'pydantic', 'altair', 'spacy')))"
    )
    env = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"}
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert answer.stdout.split() == [str(len(jobs(TINY))), *["False"] * 5]


@pytest.mark.needs("models")
def test_one_seed_says_nothing_of_steadiness(found):
    alone = judged(replace(TINY, seeds=(0,), attribution=AttributionRuns(levels=0)), found.results)
    section, after = size_section(alone)
    assert after.title == "How many categories are now above chance?"
    (shares,) = (item for item in section.items if getattr(item, "name", "") == "size-shares")
    assert isinstance(shares.rows[0]["share"], float)
    assert shares.rows[1]["share"] == Missing("needs at least two seeds")


@pytest.mark.parametrize(
    ("low", "high", "adjusted", "expected"),
    [
        (0.1, 0.2, 0.01, "shown"),
        (-0.2, -0.1, 0.01, "shown"),
        (-0.1, 0.1, 0.4, "undecided"),
        (0.1, 0.2, 0.06, "undecided"),
        (math.nan, math.nan, None, "undecided"),
    ],
)
def test_a_change_is_shown_where_interval_and_adjusted_p_leave_out_zero(low, high, adjusted, expected):
    assert standing_of(Estimate(0.15, low, high, "t", 9), adjusted) == expected


@pytest.mark.needs("models")
def test_sources_of_chance_are_adjusted_over_all_of_them(found):
    report = stability.report(WHOLE, found.results)
    (table,) = (item for section in report.sections for item in section.items if getattr(item, "name", "") == "sources")
    tested = [row for row in table.rows if isinstance(row["p"], float)]
    assert len(tested) == 3 * len(found.sources)
    raw, adjusted = (np.array([row[key] for row in tested]) for key in ("p", "adjusted"))
    assert adjusted == pytest.approx(holm(raw))
    named = [row["source"].lower() for row in tested if row["adjusted"] < 0.05]
    assert all(name in table.title for name in named)
    assert table.title.startswith("Beyond the rest" if named else "No single source of chance is shown")


def test_collapsed_runs_are_left_out_and_named(data):
    runs = noisy_runs(data, 4, 0.8)
    runs[1] = ["entailment"] * len(data)
    every = answers_of(data, runs)
    scored = score_answers(Condition("en"), every, 0.95)
    alone = score_answers(Condition("en"), every.only_runs([0, 2, 3]), 0.95)
    assert scored.answers.run_names == ("0", "2", "3")
    assert (scored.n_collapsed, scored.is_collapsed) == (1, False)
    assert scored.overall == alone.overall
    assert scored.table.tolist() == alone.table.tolist()
    assert scored.notes == (
        "en: 1 of 4 runs collapsed, giving one answer to nearly all items (run 1). The scores are those of the other "
        "runs; the rate of collapse is 25.0 % [0.6, 80.6].",
    )
    assert alone.notes == ()


def test_a_features_score_has_an_interval_over_seeds_and_rows(data):
    condition = Condition("en", 16, "Negation", 50)
    scored = score_answers(condition, answers_of(data, noisy_runs(data, 4, 0.8)), 0.95)
    cell = _score(0.95, scored, "Negation")
    rows = items_by_tag(scored.answers)["Negation"]
    assert cell == summary_method(mean_score(scored.answers.take(rows), "mcc"))
    assert cell.value == pytest.approx(scored.table[scored.categories.index("Negation")].mean())
    alike = score_answers(condition, answers_of(data, [["entailment"] * len(data)] * 3), 0.95)
    assert _score(0.95, alike, "Negation") == Missing("every run gives one answer to nearly all rows")
    assert _correlation(np.arange(5.0), np.array([0.0, 1, 2, 4, 3]), 0.95) == "0.90 [0.09, 0.99]"
    assert _correlation(np.zeros(5), np.arange(5.0), 0.95) == "not at all, because one of them does not vary,"


def test_where_every_run_collapsed_there_is_no_interval(data):
    scored = score_answers(Condition("en"), answers_of(data, [["entailment"] * len(data)] * 3), 0.95)
    assert scored.is_collapsed
    assert math.isnan(scored.overall.low)
    assert scored.overall.method == "no interval: every run gives one answer to nearly all rows"
    assert scored.detectable(0.95) is None


class Collapsing:
    """Results whose trainings give one answer to all diagnostics, where `collapses` says so of the training."""

    def __init__(self, results, collapses):
        self.results, self.collapses = results, collapses

    def __getitem__(self, job):
        value = self.results[job]
        if not isinstance(value, TrainingOutcome) or not self.collapses(value):
            return value
        logits = {**value.logits, "diagnostics": np.ones_like(value.logits["diagnostics"]) * [[[1.0, 0.0]]]}
        return replace(value, logits=logits)


@pytest.mark.needs("models")
def test_where_every_run_collapsed_nothing_is_found(found):
    """No category rises, falls or grows steadier, and no source of chance stands out."""
    report = stability.report(WHOLE, Collapsing(found.results, lambda outcome: True))
    assert unfinished(report) == []
    assert report.answer.kind == "open"
    (first,) = report.answer.notes
    assert first.startswith(
        "15 of 15 trainings collapsed, giving one answer to nearly all rows; no finding counts them"
    )
    names = {item.name for section in report.sections for item in section.items if hasattr(item, "name")}
    assert not names & {"size-shares", "size-change", "size-deviation", "sources"}
    assert report.verdict == []


@pytest.mark.needs("models")
def test_where_some_runs_collapsed_the_others_are_judged(found):
    results = Collapsing(found.results, lambda outcome: outcome.seeds.init == 0)
    report, others = stability.report(WHOLE, results), judged(WHOLE, results)
    assert {scored.answers.run_names for scored in others.scored.values()} == {("1", "2")}
    assert others.base["en"].table.tolist() == found.base["en"].table[:, 1:].tolist()
    assert others.sources == {}  # the Latin square has holes
    assert unfinished(report) == []
    assert report.answer.notes == [
        "5 of 15 trainings collapsed, giving one answer to nearly all rows; no finding counts them."
    ]
    texts = [item.text for section in report.sections for item in section.items if isinstance(item, Text)]
    assert any(text.startswith("en: a run collapsed, so the sources of chance cannot be separated.") for text in texts)
    assert any(text.startswith("fr: 1 of 3 runs collapsed") for text in texts)


def test_a_file_of_ones_own_is_extra_data(tmp_path, published):
    path = tmp_path / "mine.jsonl"
    rows = [{"premise": f"p {i}", "hypothesis": "h", "label": "neutral"} for i in range(5)]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    config = Config(
        model="fake",
        data=Data(corpus="published", languages=("en",), root=str(published)),
        extra=Extra(corpus=str(path), amounts=(5,)),
    )
    job = next(
        job for job in jobs(replace(config, attribution=AttributionRuns(0))) if "5" in str(job.form.get("train"))
    )
    assert job.step.name == "goldproof.train"


def test_condition_names():
    assert Condition("fr").name() == "fr"
    assert Condition("fr", 1000).name() == "fr + 1,000"
