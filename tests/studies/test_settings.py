"""Settings are checked at the border: preset, file and pairs in this order, and every error names its key."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from goldproof.errors import UsageError
from goldproof.studies.settings import Choice, make_config


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
    ("seeds", "--set takes key=value, and got 'seeds'"),
    ("=3", "--set takes key=value, and got '=3'"),
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
    (b"seeds = 1", "setting 'seeds': input should be a valid tuple, got 1"),
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
