"""The builder: balance, no duplicates, the same bytes, the same forms in every language, and bad recipes."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.builders.logic.parse import Lexicon, Parser

from goldproof.builders.logic.build import CorpusRecipe, build_corpus, grammar_preset
from goldproof.builders.logic.forms import Readings
from goldproof.builders.logic.grammar import LANGUAGES, load_grammar
from goldproof.builders.logic.notation import write_form
from goldproof.builders.logic.pairs import CONTRADICTION, OTHER, check_labels
from goldproof.builders.logic.templates import TEMPLATES, LogicTask
from goldproof.builders.logic.write import encode_pairs, to_dataset, write_corpus
from goldproof.errors import DataError, UsageError

TASKS = [task.value for task in LogicTask]


@pytest.mark.parametrize("preset", ["closed2", "closed", "clcd"])
@pytest.mark.parametrize("task", TASKS)
def test_a_corpus_is_balanced_proved_and_free_of_duplicates(task: str, preset: str) -> None:
    corpus = build_corpus(CorpusRecipe(task=task, n_train=600, n_test=200, preset=preset))
    for pairs, n in ((corpus.train, 600), (corpus.test, 200)):
        assert Counter(pair.label for pair in pairs) == {CONTRADICTION: n // 2, OTHER: n // 2}
        assert len({(pair.premise, pair.hypothesis) for pair in pairs}) == n
        check_labels(pairs, Readings(as_tall_as="equal") if preset == "clcd" else Readings())


def test_the_mixed_task_is_balanced_over_tasks_and_labels() -> None:
    corpus = build_corpus(CorpusRecipe(task="7", n_train=1200, n_test=0))
    counts = Counter((pair.task, pair.label) for pair in corpus.train)
    assert set(counts.values()) == {100}
    assert len(counts) == 12


def test_each_template_of_a_task_is_drawn_equally_often() -> None:
    corpus = build_corpus(CorpusRecipe(task="coordination", n_train=800, n_test=0))
    assert set(Counter(pair.template for pair in corpus.train).values()) == {200}


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    recipe = CorpusRecipe(task="counting", language="ru", n_train=100, n_test=20, seed=5)
    for form in ("jsonl", "csv", "parquet"):
        first, second = (write_corpus(build_corpus(recipe), tmp_path / name, form) for name in ("a", "b"))
        assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    other = build_corpus(replace(recipe, seed=6))
    assert encode_pairs(other.train, "jsonl") != encode_pairs(build_corpus(recipe).train, "jsonl")


def test_item_i_has_the_same_form_in_every_language() -> None:
    corpora = [
        build_corpus(CorpusRecipe(language=language, task="7", n_train=240, n_test=24)) for language in LANGUAGES
    ]
    for items in zip(*(corpus.train + corpus.test for corpus in corpora), strict=True):
        assert len({(pair.form, pair.label, pair.template, pair.n) for pair in items}) == 1


@pytest.mark.parametrize("preset", ["closed2", "closed", "clcd", "clcd-few"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_say_what_the_form_says(language: str, preset: str) -> None:
    grammar = load_grammar(language, grammar_preset(preset))
    parser = Parser(grammar, Lexicon.of_grammar(grammar))
    corpus = build_corpus(CorpusRecipe(language=language, task="7", n_train=480, n_test=120, preset=preset, seed=4))
    for pair in corpus.train + corpus.test:
        parsed = parser.parse(pair.premise, pair.hypothesis)
        assert write_form(parsed.form) == pair.form, pair
        assert not parsed.unsettled


def test_a_flipped_label_is_caught() -> None:
    pairs = list(build_corpus(CorpusRecipe(task="negation", n_train=20, n_test=0)).train)
    row = next(number for number, pair in enumerate(pairs) if pair.relation == "entailed")
    pairs[row] = replace(pairs[row], label=CONTRADICTION, relation="contradicted")
    with pytest.raises(DataError) as caught:
        check_labels(pairs)
    assert str(caught.value) == (
        f"pair {pairs[row].id} is labelled 'contradiction' (contradicted), but its form {pairs[row].form} is proved "
        "to be 'non-contradiction' (entailed)"
    )


def test_splits_share_names_only_where_asked() -> None:
    recipe = CorpusRecipe(task="description", n_train=200, n_test=200)
    grammar = load_grammar("en")
    train_names = grammar.names("train")
    corpus, shared = build_corpus(recipe), build_corpus(replace(recipe, shared_names=True))
    assert not any(name in pair.hypothesis.rstrip(".").split() for pair in corpus.test for name in train_names)
    subjects = {pair.hypothesis.split()[0] for pair in shared.test}
    assert subjects <= train_names
    assert not {pair.premise + pair.hypothesis for pair in shared.train} & {
        pair.premise + pair.hypothesis for pair in shared.test
    }


def test_sizes_can_be_limited() -> None:
    corpus = build_corpus(CorpusRecipe(task="negation", n_train=60, n_test=0, sizes=(4, 5)))
    assert {pair.n for pair in corpus.train} == {4, 5}


def test_every_template_says_what_it_closes() -> None:
    assert all(template.closes for template in TEMPLATES)
    assert len({(template.task, template.name) for template in TEMPLATES}) == len(TEMPLATES)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (
            CorpusRecipe(language="it"),
            "there is no grammar for the language 'it'; allowed: en, pt, ru, fr, de, sv, es, or a file *.toml",
        ),
        (
            CorpusRecipe(task="8"),
            "there is no task '8'; allowed: 1 (negation), 2 (coordination), 3 (quantifiers), 4 (description), "
            "5 (comparison), 6 (counting), 7 (mixed)",
        ),
        (CorpusRecipe(preset="snli"), "there is no preset 'snli'; allowed: closed2, closed, clcd, clcd-few"),
        (
            CorpusRecipe(n_train=11),
            "train must be an even number of pairs, since half are contradictions; got 11",
        ),
        (
            CorpusRecipe(n_test=-2),
            "test must be an even number of pairs, since half are contradictions; got -2",
        ),
        (CorpusRecipe(seed=-1), "seed must be 0 or more; got -1"),
        (CorpusRecipe(task="counting", sizes=(40, 50)), "task counting has n from 1 to 11; got n from 40 to 50"),
        (
            CorpusRecipe(task="description", preset="closed", sizes=(2, 3)),
            "task description has no n; got n from 2 to 3",
        ),
    ],
)
def test_a_recipe_that_cannot_be_built_is_refused(recipe: CorpusRecipe, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        build_corpus(recipe)
    assert str(caught.value) == message


def test_readings_under_which_a_template_has_another_label_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        build_corpus(CorpusRecipe(task="5", preset="clcd", n_train=60, n_test=0, readings=Readings(), sizes=(4, 4)))
    message = str(caught.value)
    assert message.startswith("the template 'list of people' gives a ")
    assert message.endswith(
        "is neither under Readings(only='exactly', as_tall_as='at_least', everyone_includes_self=True)"
    )


def test_more_pairs_than_exist_are_refused(small_grammar: Path) -> None:
    with pytest.raises(UsageError) as caught:
        build_corpus(CorpusRecipe(language=str(small_grammar), task="description", n_train=20_000, n_test=0))
    message = str(caught.value)
    assert message.startswith("more pairs are requested than distinct ones exist: the form ")
    assert message.endswith(" with 5 names of people and 2 of places")


@pytest.fixture
def small_grammar(tmp_path: Path) -> Path:
    """English with five names of each gender and two places in the training split."""
    text = (Path(__file__).parents[3] / "src/goldproof/builders/logic/grammars/en.toml").read_text(encoding="utf-8")
    head, _, rest = text.partition("[train]")
    _, _, clcd_and_test = rest.partition("[test]")
    train = (
        '[train]\nmen = ["Al", "Bo", "Cy", "Di", "Ed"]\nwomen = ["Fa", "Gi", "Hu", "Iz", "Jo"]\nplaces = ["Ka", "Li"]\n'
    )
    path = tmp_path / "small.toml"
    path.write_text(f"{head}{train}[test]{clcd_and_test}", encoding="utf-8")
    return path


def test_files_and_dataset_hold_the_same_pairs(tmp_path: Path) -> None:
    corpus = build_corpus(CorpusRecipe(task="quantifiers", n_train=20, n_test=10))
    rows = [json.loads(line) for line in encode_pairs(corpus.train, "jsonl").decode().splitlines()]
    assert list(rows[0]) == ["id", "premise", "hypothesis", "label", "relation", "task", "template", "n", "form"]
    paths = write_corpus(corpus, tmp_path / "deep" / "folder", "parquet")
    assert [path.name for path in paths] == ["train.parquet", "test.parquet", "provenance.json"]
    assert pq.read_table(paths[0]).to_pylist() == rows
    data = to_dataset(corpus)
    assert data.select(split="train").texts == [row["premise"] for row in rows]
    assert json.loads(paths[2].read_text())["recipe"]["task"] == "quantifiers"


def test_a_format_or_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    corpus = build_corpus(CorpusRecipe(n_train=2, n_test=2))
    with pytest.raises(UsageError) as caught:
        write_corpus(corpus, tmp_path, "xml")
    assert str(caught.value) == "there is no format 'xml'; allowed: jsonl, csv, parquet"
    (tmp_path / "file").touch()
    with pytest.raises(UsageError) as caught:
        write_corpus(corpus, tmp_path / "file")
    assert str(caught.value) == f"the corpus cannot be written to {tmp_path / 'file'}: File exists"


def test_the_pages_of_samples_and_templates_are_current() -> None:
    docs = Path(__file__).parents[3] / "docs"
    script, folder = runpy.run_path(str(docs / "make_logic_samples.py")), docs / "studies"
    assert (folder / "logic-samples.md").read_text(encoding="utf-8") == script["samples_page"](), (
        "run docs/make_logic_samples.py"
    )
    assert script["templates_table"]() in (folder / "logic-corpus.md").read_text(encoding="utf-8")


def test_progress_counts_the_pairs_of_both_splits() -> None:
    told: list[int] = []
    build_corpus(CorpusRecipe(task="counting", n_train=1200, n_test=600), told.append)
    assert told == [500, 1000, 1700]
