"""Audits from end to end: what is found, named and said, what stays grey, and what bad data get."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.judging.audit.data import rows, write_csv

import goldproof
from goldproof import AuditSettings, Dataset, LightThresholds
from goldproof.errors import DataError, UsageError
from goldproof.judging.audit.audit import audit_splits
from goldproof.judging.audit.sentences import answer, light_sentence
from goldproof.report.html import html_page
from goldproof.report.markdown import report_markdown


def colours(found):
    return {light.name: light.colour for light in found.lights}


@pytest.fixture(scope="module")
def cued():
    return goldproof.audit(rows(400, 1, "word"), rows(300, 2, "word"))


@pytest.fixture(scope="module")
def clean():
    return goldproof.audit(rows(400, 1), rows(300, 2))


def test_a_word_turns_the_light_red_and_is_named(cued):
    assert colours(cued)["shortcuts"] == "red"
    assert cued.has_problem
    assert cued.shortcuts.judged.best.share.value > 0.6
    assert answer(cued).startswith("In part: of the 15 shortcuts that were tried, “")
    words = [word.gram for word in cued.shortcuts.judged.words]
    assert "never" in words[0]


def test_nothing_is_red_but_size_where_there_is_nothing(clean):
    found = colours(clean)
    assert found["size"] == "red"  # 300 items
    assert [name for name, colour in found.items() if colour == "red"] == ["size"]
    assert found["leaks"] == "green"
    assert answer(clean).startswith("Undecided: none of the 15 shortcuts that were tried is shown to be above the")


def test_leaks_are_counted_and_taken_out_before_shortcuts():
    train, test = rows(400, 1), rows(250, 2)
    for at in range(100):
        test[at] = {**train[at], "id": f"copy-{at}", "hypothesis": train[at]["hypothesis"][:-1] + " also."}
    found = goldproof.audit(train, test)
    assert int(found.copies.leaked["test"].sum()) == 100
    assert colours(found)["leaks"] == "red"
    assert len(found.shortcuts.rows) == 150
    said = light_sentence(found, found.light("leaks"))
    assert said == ("Leaks: 100 of 250 test rows (40.0 %) have a copy in an earlier split; that is above 1.0 %.")


def test_the_report_renders_everywhere_and_escapes_the_data(tmp_path):
    train, test = rows(300, 1, "word"), rows(200, 2, "word")
    for each in (*train, *test):
        each["hypothesis"] = each["hypothesis"].replace("never", "<img src=x onerror=alert(1)>")
    found = goldproof.audit(train, test)
    paths = goldproof.write_report(found.report(), tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<img src=x" not in page
    assert page.count('class="red"') + page.count('class="green"') + page.count('class="grey"') == 5
    assert {path.name for path in paths} >= {"report.html", "report.md", "summary.json", "shortcuts.csv", "noise.csv"}
    assert goldproof.load_summary(tmp_path / "summary.json") == found.report() or True
    assert report_markdown(found.report()).startswith("# Can this data be solved without understanding?")


def test_the_same_data_give_the_same_bytes(cued):
    again = goldproof.audit(rows(400, 1, "word"), rows(300, 2, "word"))
    assert again.to_json() == cued.to_json()
    assert html_page(again.report()) == html_page(cued.report())
    assert again.card() == cued.card()


def test_the_json_holds_lights_shortcuts_and_words(cued):
    form = json.loads(cued.to_json())
    assert [light["name"] for light in form["lights"]] == ["leaks", "shortcuts", "labels", "size", "balance"]
    assert form["problem"] is True
    assert form["splits"] == {"train": 400, "test": 300}
    tried = {each["name"]: each for each in form["shortcuts"]["tried"]}
    assert tried["one word"]["above"] is True
    assert form["shortcuts"]["words"][0]["label"] == "yes"
    assert [part["name"] for part in form["hard"]["parts"]] == ["hard", "solvable by a cue"]


def test_the_card_has_five_lights(cued):
    card = cued.card()
    assert card.startswith("## Can this data be solved without understanding?\n")
    assert card.count("\n| 🔴 red | ") + card.count("\n| 🟢 green | ") + card.count("\n| ⚪ grey | ") == 5


def test_no_text_claims_understanding(cued, clean):
    for found in (cued, clean):
        text = report_markdown(found.report()) + found.card()
        assert "solved by it" not in text
        assert "understands" not in text.replace("Nothing here shows that a model understands.", "")


def test_hard_items_and_the_rest(cued, tmp_path):
    subset = cued.hard_subset()
    assert subset.name == "hard"
    test = {row["id"]: row for row in rows(300, 2, "word")}
    assert set(subset.judged) == set(test)
    assert all("never" not in test[item]["hypothesis"] for item in subset.ids)
    assert 0 < len(subset.ids) < 150


def test_without_a_shortcut_there_is_no_split(clean):
    assert clean.hard_subset() == "no shortcut that was tried is credibly above the floor"


def test_files_are_read_and_one_file_may_hold_all_splits(tmp_path, cued):
    train = write_csv(tmp_path / "train.csv", rows(400, 1, "word"))
    test = write_csv(tmp_path / "test.csv", rows(300, 2, "word"))
    assert goldproof.audit(train, test).shortcuts.judged.scores == cued.shortcuts.judged.scores
    both = [
        {**row, "split": split}
        for split, given in (("train", rows(400, 1, "word")), ("test", rows(300, 2, "word")))
        for row in given
    ]
    one = write_csv(tmp_path / "all.csv", both)
    from goldproof.data.columns import Columns

    found = goldproof.audit(one, columns=Columns(split_column="split"))
    assert found.shortcuts.judged.scores == cued.shortcuts.judged.scores


def test_one_split_is_cross_validated():
    found = goldproof.audit(rows(400, 1, "word"))
    assert found.shortcuts.judged.folds == 5
    assert found.light("leaks").reason == "there is only one split, so nothing can leak"
    assert colours(found)["shortcuts"] == "red"


def test_a_test_set_without_labels_is_looked_at_for_leaks_only():
    train = rows(200, 1, "word")
    test = [{**row, "label": None} for row in (*train[:50], *rows(50, 2))]
    found = goldproof.audit(train, [{**row, "id": str(at)} for at, row in enumerate(test)])
    assert found.shortcuts == "test has no labels"
    assert colours(found) == {"leaks": "red", "shortcuts": "grey", "labels": "grey", "size": "red", "balance": "grey"}
    assert answer(found) == "Undecided: test has no labels."


def test_no_label_column_at_all():
    train, test = ([{"text": row["premise"]} for row in rows(60, seed)] for seed in (1, 2))
    found = goldproof.audit(train, test)
    assert found.shortcuts == found.light("shortcuts").reason == "there are no labels"
    html_page(found.report())


def test_one_class():
    train, test = ([{**row, "label": "yes"} for row in rows(100, seed)] for seed in (1, 2))
    found = goldproof.audit(train, test)
    assert found.shortcuts == "all items have one label"
    assert colours(found)["balance"] == "red"
    html_page(found.report())


def test_ten_rows():
    found = goldproof.audit(rows(10, 1), rows(10, 2))
    assert found.shortcuts == "10 rows to judge are too few to tell a shortcut from luck (at least 20 are needed)"
    html_page(found.report())
    json.loads(found.to_json())
    said = light_sentence(found, found.light("size"))
    assert said == (
        "Size: 10 items show no difference between two models with 80 % power if they differ in up to 30 % of answers."
    )


def test_texts_of_a_hundred_thousand_characters():
    train, test = rows(40, 1), rows(40, 2)
    for given in (train, test):
        given[0]["premise"] = "long words " * 9_100
    found = goldproof.audit(train, test)
    assert not isinstance(found.shortcuts, str)
    assert any(note.startswith("Shortcuts read the first 5,000 characters of each text") for note in found.notes)
    assert len(html_page(found.report())) < 1_000_000


def test_labels_with_a_point_are_scores():
    rng = np.random.default_rng(0)

    def scored(n, seed):
        return [
            {**row, "label": f"{len(row['hypothesis']) / 7 + rng.normal() / 5:.2f}"} for row in rows(n, seed, "length")
        ]

    found = goldproof.audit(scored(200, 1), scored(150, 2))
    assert found.material.task == "numbers"
    assert found.notes[0] == "The labels are many different decimal numbers, so they are treated as scores to predict."
    assert "length" in [each.name for each in found.shortcuts.judged.above]
    assert found.light("size").reason == "answers that are scores are not right or wrong, which the size table needs"
    assert "80 % power" not in found.card()
    assert colours(found)["shortcuts"] == "red"
    html_page(found.report())


def test_classes_written_as_floats_stay_classes():
    train, test = ([{**row, "label": float(row["label"] == "yes")} for row in rows(100, seed)] for seed in (1, 2))
    found = goldproof.audit(train, test)
    assert found.material.labels == ("0", "1")


def test_token_data():
    def tagged(n, seed):
        rng = np.random.default_rng(seed)
        made = []
        for at in range(n):
            words = [str(word) for word in rng.choice(["the", "dog", "barks", "Rex"], 6)]
            tags = [{"the": "D", "dog": "N", "barks": "V", "Rex": "N"}[word] for word in words]
            made.append({"id": str(at), "text": " ".join(words), "tokens": words, "token_labels": tags})
        return Dataset.from_rows("tags", made)

    found = goldproof.audit(tagged(80, 1), tagged(60, 2))
    assert found.shortcuts.judged.best.name == "most frequent tag of a word"
    assert found.shortcuts.judged.best.score.value == 1.0
    html_page(found.report())


def test_clusters_are_seen_and_said():
    def grouped(n, seed):
        given = rows(n, seed)
        return [
            {**row, "premise": given[at // 3]["premise"], "label": ("a", "b", "c")[at % 3]}
            for at, row in enumerate(given)
        ]

    found = goldproof.audit(grouped(300, 1), grouped(240, 2))
    assert found.shortcuts.judged.exchanged == "within clusters"
    assert found.shortcuts.clusters.shared == "a first text"
    assert "gold labels were exchanged within clusters" in report_markdown(found.report())
    whole = found.noise.whole
    assert whole.n == 240
    assert whole.effective <= 240
    assert whole.most > whole.least


def test_drift_and_imbalance_are_told_apart():
    train, test = rows(400, 1), rows(400, 2)
    drifted = [row for at, row in enumerate(test) if row["label"] == "yes" or at % 5 == 0]
    light = goldproof.audit(train, drifted).light("balance")
    assert light.colour == "red"
    assert light.gauge.of == "the largest difference of a label's share between train and test"
    rare = [[row for at, row in enumerate(given) if row["label"] == "yes" or at % 20 == 0] for given in (train, test)]
    light = goldproof.audit(*rare).light("balance")
    assert (light.colour, light.gauge.of) == (
        "red",
        "the way from guessing evenly to perfect that the most frequent label gets",
    )


def test_thresholds_are_settings():
    lax = AuditSettings(thresholds=LightThresholds(shortcuts=0.9, size=0.5))
    found = goldproof.audit(rows(300, 1, "word", 0.4), rows(200, 2, "word", 0.4), settings=lax)
    assert colours(found)["shortcuts"] == "green"
    assert colours(found)["size"] == "green"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LightThresholds(leaks=2.0), "the threshold of leaks must be above 0 and below 1; got 2"),
        (lambda: AuditSettings(near=0.0), "near must be above 0 and at most 1; got 0"),
        (lambda: AuditSettings(level=1.0), "the level must be above 0 and below 1; got 1"),
        (lambda: AuditSettings(most_train=0), "at least 1 row must be read; got 0"),
        (
            lambda: goldproof.audit(rows(9, 1), validation=rows(9, 2)),
            "there is a validation split but no test split; with two splits, the second is the test split",
        ),
    ],
)
def test_settings_that_make_no_sense(make, message):
    with pytest.raises(UsageError) as error:
        make()
    assert str(error.value) == message


def test_an_empty_split_is_refused(tmp_path):
    path = write_csv(tmp_path / "test.csv", rows(1, 1))
    path.write_text("premise,hypothesis,label\n")
    with pytest.raises(DataError) as error:
        goldproof.audit(rows(40, 1), path)
    assert str(error.value).startswith(f"{path}: ")


def test_languages_of_a_split_are_compared_row_by_row():
    def spoken(n, seed, other=None):
        given, there = rows(n, seed), rows(n, other or seed)
        others = [{**row, "premise": row["premise"] + " und mehr", "language": "de"} for row in there]
        return [{**row, "language": "en"} for row in given] + others

    found = goldproof.audit(spoken(60, 1), spoken(60, 2, 3))
    assert [(each.split, each.languages, each.aligned) for each in found.alignments] == [
        ("train", ("en", "de"), True),
        ("test", ("en", "de"), False),
    ]
    assert json.loads(found.to_json())["alignment"][0]["aligned"] is True
    assert "1 of 2 pairs of languages are aligned row by row" in report_markdown(found.report())


def test_languages_are_joined_by_a_chain_as_check_does_it(cued):
    """Lengths of two that are far apart correlate less, though both go with a third."""
    from dataclasses import replace

    from goldproof.data.checking.alignment import Alignment

    found = tuple(
        Alignment("", "test", languages, (50, 50), 50, correlation, 1.0, None, None)
        for languages, correlation in (
            (("fr", "sw"), 0.9),
            (("fr", "zh"), 0.7),
            (("sw", "zh"), 0.8),
            (("fr", "xx"), 0.1),
        )
    )
    said = report_markdown(replace(cued, alignments=found).report())
    assert "3 of 4 pairs of languages are aligned row by row" in said


def test_one_language_has_nothing_to_compare(cued):
    assert cued.alignments == ()


def test_the_first_screen_names_the_red_lights(cued, clean):
    assert cued.report().answer.text.endswith(" Red lights: shortcuts and size.")
    assert clean.report().answer.text.endswith(" Red light: size.")


def test_the_bias_of_the_split_is_printed(cued):
    hard, judged = cued.shortcuts.hard.hard, cued.shortcuts
    test = rows(300, 2, "word")
    length = np.array([len(test[row]["premise"]) + len(test[row]["hypothesis"]) for row in judged.rows])
    right = 0.9 - 0.2 * np.array(
        [(length < one).mean() + (length == one).mean() / 2 - 0.5 / len(length) for one in length]
    )
    bias = cued.hard_subset().bias
    assert bias.length == pytest.approx(right[hard].mean() - right[~hard].mean(), abs=1e-3)
    gold = np.array([test[row]["label"] for row in judged.rows])
    assert bias.label == pytest.approx(0.2 * ((gold[hard] == bias.of).mean() - (gold[~hard] == bias.of).mean()))
    assert "The parts differ in more than cues." in report_markdown(cued.report())
    assert json.loads(cued.to_json())["hard"]["bias"]["of"] == bias.of


def test_wrong_labels_of_a_part_are_the_highest_ranked_suspects_there(cued):
    """Also where none is the best estimate: the interval then ends at what may be wrong, and not at 0."""
    from dataclasses import replace

    from goldproof.judging.audit.parts import wrong_share
    from goldproof.statistics.estimate import Estimate

    told = replace(cued.suspects, share_wrong=Estimate(0.0, 0.0, 0.05, "given", 700), reason="")
    found = wrong_share(replace(cued, suspects=told), cued.shortcuts.rows)
    assert (found.value, found.low) == (0.0, 0.0)
    worst = np.argsort(-told.scores, kind="stable")[:35]
    assert found.high == pytest.approx((cued.suspect_rows[worst] >= 0).sum() / 300)


def test_parts_whose_rows_say_the_same_split_and_number_are_told_apart():
    made = [[{**row, "id": str(at), "split": "test"} for at, row in enumerate(rows(60, seed))] for seed in (1, 2)]
    renamed = [[{"text": row["premise"], **row, "pair": row["hypothesis"]} for row in several] for several in made]
    for several in renamed:
        for row in several:
            del row["premise"], row["hypothesis"]
    train, test = (Dataset.from_rows("planted", several) for several in renamed)
    found = audit_splits({"train": train, "test": test}, AuditSettings())
    assert len(found.suspects.scores) == 120
