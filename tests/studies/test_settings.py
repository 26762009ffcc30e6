"""Settings are checked at the border: preset, file and pairs in this order, and every error names its key."""

from __future__ import annotations

import ast
import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import goldproof
from goldproof.errors import UsageError
from goldproof.jobs import Store
from goldproof.studies import find_study
from goldproof.studies.compute import compute
from goldproof.studies.settings import Choice, make_config
from goldproof.studies.shared import NamedFolder, parse_folder, refused
from goldproof.studies.spellings import RENAMED


@dataclass(frozen=True)
class Recipe:
    batch: int = 4
    rate: float = 1e-5


@dataclass(frozen=True)
class Config:
    languages: tuple[str, ...] = ("en",)
    seeds: tuple[int, ...] = (0, 1)
    model: str = "fake"
    exact: bool = False
    limit: int | None = None
    recipe: Recipe = field(default_factory=Recipe)


class study:  # noqa: N801 - stands for a module
    Config = Config
    PAPER = Config(seeds=(0, 1, 2, 3, 4, 5))
    TINY = Config(recipe=Recipe(batch=2))


def config(*pairs, preset="default", file=None):
    return make_config(study, Choice(preset, file, pairs))


def test_nothing_asked_gives_the_defaults():
    assert config() == Config()


def test_presets():
    assert config(preset="paper") == study.PAPER
    assert config(preset="tiny") == study.TINY


def test_pairs_are_read_by_the_type_of_their_setting():
    made = config("languages=en, fr", "seeds=3,4", "model=7", "exact=true", "limit=10", "recipe.rate=2e-5")
    assert made == Config(("en", "fr"), (3, 4), "7", True, 10, Recipe(4, 2e-5))


def test_a_list_may_be_written_as_toml_too():
    assert config('languages=["en", "de"]').languages == ("en", "de")


def test_file_over_preset_and_pair_over_file(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text('model = "here"\nseeds = [9]\n[recipe]\nbatch = 8\n')
    assert config("seeds=5", preset="tiny", file=file) == Config(model="here", seeds=(5,), recipe=Recipe(batch=8))


BAD_PAIRS = [
    ("seeds", "--set takes key=value; got 'seeds'"),
    ("=3", "--set takes key=value; got '=3'"),
    (
        "sedes=3",
        "there is no setting 'sedes'; did you mean 'seeds'? allowed: exact, languages, limit, model, recipe, seeds",
    ),
    ("x=3", "there is no setting 'x'; allowed: exact, languages, limit, model, recipe, seeds"),
    (
        "recipe.bach=3",
        "there is no setting 'recipe.bach'; did you mean 'recipe.batch'? allowed: recipe.batch, recipe.rate",
    ),
    (
        "seeds=one",
        "setting 'seeds.0': input should be a valid integer, unable to parse string as an integer, got 'one'",
    ),
    (
        "limit=ten",
        "setting 'limit': input should be a valid integer, unable to parse string as an integer, got 'ten'",
    ),
    (
        "recipe.batch=1.5",
        "setting 'recipe.batch': input should be a valid integer, got a number with a fractional part, got 1.5",
    ),
    ("exact=perhaps", "setting 'exact': input should be a valid boolean, unable to interpret input, got 'perhaps'"),
]


@pytest.mark.parametrize(("pair", "message"), BAD_PAIRS)
def test_a_wrong_pair_is_named(pair, message):
    with pytest.raises(UsageError) as caught:
        config(pair)
    assert str(caught.value) == message


BAD_FILES = [  # content, message
    (b"model = ", "the configuration file {} is not TOML: Invalid value (at end of document)"),
    (
        b"a\nb = [",
        "the configuration file {} is not TOML: Expected '=' after a key in a key/value pair (at line 1, column 2)",
    ),
    (
        b"seed = 1",
        "{}: there is no setting 'seed'; did you mean 'seeds'? allowed: exact, languages, limit, model, recipe, seeds",
    ),
    (b"seeds = 1", "setting 'seeds': input should be a list, got 1"),
    (b"recipe = 1", "setting 'recipe': input should be a dictionary or an instance of Recipe, got 1"),
    (
        b"\xff",
        "the configuration file {} cannot be read: 'utf-8' codec can't decode byte 0xff in position 0: "
        "invalid start byte",
    ),
]


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_a_wrong_file_is_named(tmp_path, content, message):
    file = tmp_path / "a.toml"
    file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        config(file=file)
    assert str(caught.value) == message.format(file)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(UsageError) as caught:
        config(file=tmp_path / "none.toml")
    assert str(caught.value) == f"there is no configuration file {tmp_path / 'none.toml'}"
    with pytest.raises(UsageError) as caught:
        config(file=tmp_path)
    assert str(caught.value).startswith(f"the configuration file {tmp_path} cannot be read: ")


def test_an_unknown_preset():
    with pytest.raises(UsageError) as caught:
        config(preset="huge")
    assert str(caught.value) == "there is no preset 'huge'; allowed: default, paper, tiny"


@pytest.mark.parametrize("study", RENAMED)
def test_every_new_name_is_that_of_a_setting_and_no_old_one_is(study):
    keys = set(_names(find_study(study).Config()))
    assert set(RENAMED[study].values()) <= keys
    assert not set(RENAMED[study]) & keys


@pytest.mark.parametrize(
    ("study", "given", "message"),
    [
        ("stability", "languages=en", "the setting 'languages' is now called 'data.languages'"),
        ("probing", "models=a,b", "the setting 'models' is now called 'model'"),
        ("probing", "sizes.most_train=9", "the setting 'sizes.most_train' is now called 'data.most_train'"),
        ("probing", "sizes.leaks=refuse", "the setting 'sizes.leaks' is now called 'splits.leaks'"),
        ("logic", "corpus=clcd", "the setting 'corpus' is now called 'data.corpus'"),
        ("logic", "corpus.train=40", "the setting 'corpus.train' is now called 'sizes.train'"),
        ("logic", "models=forest", "the setting 'models' is now called 'learners'"),
        ("logic", "small.epochs=1", "the setting 'small.epochs' is now called 'recipe.small.epochs'"),
        ("transfer", "training.epochs=1", "the setting 'training.epochs' is now called 'recipe.epochs'"),
        ("transfer", "training.patience=1", "the setting 'training.patience' is now called 'patience'"),
        ("corruption", "own.label=stars", "the setting 'own.label' is now called 'columns.label'"),
    ],
)
def test_a_setting_of_the_old_name_is_refused_with_its_new_one(study, given, message, tmp_path):
    with pytest.raises(UsageError) as caught:
        make_config(find_study(study), Choice(pairs=(given,)))
    assert str(caught.value) == message
    key, _, value = given.partition("=")
    group, dot, last = key.rpartition(".")
    with pytest.raises(UsageError) as caught:
        compute(study, {group: {last: value}} if dot else {key: value}, Store(tmp_path))
    assert str(caught.value) == message
    file = tmp_path / "mine.toml"
    file.write_text(f'{key} = "{value}"', encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        make_config(find_study(study), Choice(file=file))
    assert str(caught.value) == f"{file}: {message}"


def test_one_model_or_several():
    probing = find_study("probing")
    assert make_config(probing, Choice("tiny", pairs=("model=A=one",))).model == "A=one"
    assert make_config(probing, Choice("tiny", pairs=("model=A=one, two",))).model == ("A=one", "two")
    assert make_config(probing, Choice("tiny", settings={"model": ["one"]})).model == ("one",)


def test_no_limit_is_null_on_the_command_line_and_in_a_file(tmp_path):
    transfer, file = find_study("transfer"), tmp_path / "mine.toml"
    assert make_config(transfer, Choice("paper", pairs=("patience=null",))).patience is None
    assert make_config(transfer, Choice("tiny", pairs=("data.most_train=null",))).data.most_train is None
    file.write_text('patience = "null"\n[rows]\nmost_evaluated = "null"\n', encoding="utf-8")
    made = make_config(transfer, Choice("tiny", file))
    assert (made.patience, made.rows.most_evaluated) == (None, None)
    assert config("model=null").model == "null"  # a text may be any


@pytest.mark.parametrize("study", RENAMED)
def test_presets_leave_out_what_the_study_does_not_take(study):
    given = find_study(study)
    assert refused(given.Config()) == refused(given.PAPER) == refused(given.TINY) > set()


def test_what_a_study_does_not_take_is_no_answer_to_a_misspelling():
    with pytest.raises(UsageError) as caught:
        make_config(find_study("logic"), Choice(pairs=("data.hbu=true",)))
    message = "there is no setting 'data.hbu'; allowed: data.corpus, data.languages, data.name, data.root, data.test, "
    message += "data.train, data.validation"
    assert str(caught.value) == message


def test_a_class_of_settings_has_a_name_of_its_own_in_the_whole_tree():
    root = Path(goldproof.__file__).parent
    defined = Counter(
        node.name
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    names = {name for study in RENAMED for name in _classes(find_study(study).Config())} - {"Config"}
    assert {name: defined[name] for name in names} == dict.fromkeys(names, 1)


def _classes(config):
    for each in dataclasses.fields(config):
        if dataclasses.is_dataclass(value := getattr(config, each.name)):
            yield type(value).__name__
            yield from _classes(value)


def _names(config, prefix=""):
    for each in dataclasses.fields(config):
        yield prefix + each.name
        if dataclasses.is_dataclass(value := getattr(config, each.name)):
            yield from _names(value, f"{prefix}{each.name}.")


def test_a_folder_that_is_there_may_have_an_equals_sign(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my model #1 = v2").mkdir()
    assert parse_folder("my model #1 = v2") == NamedFolder("my model #1 = v2")
    assert parse_folder("Mine = my model #1 = v2") == NamedFolder("my model #1 = v2", "Mine")
    assert parse_folder("my model #2 = v2") == NamedFolder("v2", "my model #2")


@pytest.mark.parametrize(
    ("setting", "given", "expected"),
    [
        ("data.languages", "gsw", ("gsw",)),
        ("classes", "NOUN, VERB", ("NOUN", "VERB")),
        ("settings", "test", ("test",)),
        ("settings", ["train", "both"], ("train", "both")),
    ],
)
def test_one_text_is_a_list_of_it_where_several_may_be_given(setting, given, expected):
    config = make_config(find_study("corruption"), Choice("tiny", settings={setting: given}))
    group, _, name = setting.rpartition(".")
    assert getattr(getattr(config, group) if group else config, name) == expected
