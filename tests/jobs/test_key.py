"""A key says what is computed, the same in every process and on every day, and nothing of where or how."""

from __future__ import annotations

import enum
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps import Journal, slow_square, square, total

from goldproof.errors import UsageError
from goldproof.jobs import step
from goldproof.jobs.key import canonical, digest
from goldproof.jobs.names import named

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text().filter(lambda s: not s.startswith("$")), inner),
)


class Colour(enum.Enum):
    RED = "red"


@named("tests.Point")
@dataclass(frozen=True)
class Point:
    x: int
    y: float = 0.5


def test_a_known_key_never_changes():
    assert square.job(3).key == digest({"step": "tests.square", "version": 1, "arguments": square.job(3).form})
    assert square.job(3).key == "3e3d750586248140b36e6cdab91ee5c2aafe9717bfd89e6d35a44b3797ef29b8"


@given(plain)
def test_same_value_same_form_whatever_the_order_of_its_keys(value):
    def reverse(v):
        if isinstance(v, dict):
            return {k: reverse(v[k]) for k in reversed(v)}
        return [reverse(item) for item in v] if isinstance(v, list) else v

    assert digest(canonical(value)) == digest(canonical(reverse(value)))


@given(plain, plain)
def test_different_values_have_different_keys(a, b):
    same = json.dumps(canonical(a), sort_keys=True) == json.dumps(canonical(b), sort_keys=True)
    assert (digest(canonical(a)) == digest(canonical(b))) == same


def test_one_and_one_point_oh_and_true_are_three_things():
    assert len({digest(canonical(value)) for value in (1, 1.0, True, "1", None)}) == 5


@named("tests.Rates")
@dataclass(frozen=True)
class Rates:
    rate: float = 1.0
    count: int = 1
    limit: float | None = None


def test_a_whole_number_where_a_float_is_declared_is_that_float():
    """A setting read as 10 from one file and as 10.0 from another is one setting."""
    assert digest(canonical(Rates(2, 2, 2))) == digest(canonical(Rates(2.0, 2, 2.0)))
    assert digest(canonical(Rates(2.0, 2))) != digest(canonical(Rates(2.0, 2.0)))
    assert slow_square.job(1, 1).key == slow_square.job(1, 1.0).key
    assert slow_square.job(1, 1).key != slow_square.job(1.0, 1).key


def test_numpy_numbers_enums_and_tuples_are_what_they_stand_for():
    assert canonical(np.int64(3)) == 3
    assert canonical(np.float64(0.1)) == 0.1
    assert canonical(Colour.RED) == "red"
    assert canonical((1, [2])) == [1, [2]]
    assert canonical(float("inf")) == {"$float": "inf"}


def test_a_dataclass_is_its_type_and_its_fields():
    assert canonical(Point(1))["x"] == 1
    assert canonical(Point(1))["y"] == 0.5
    assert canonical(Point(1))["$type"] == "tests.Point"


def test_defaults_positions_and_names_make_no_difference():
    assert square.job(3) == square.job(x=3) == square.job(3, Journal())


def test_where_a_thing_lies_is_not_what_it_is():
    assert square.job(3, Journal("/here")).key == square.job(3, Journal("/there")).key


def test_a_needed_job_enters_by_its_key():
    assert total.job([square.job(1)]).key != total.job([square.job(2)]).key
    assert total.job([square.job(1), 5]).needs == (square.job(1),)


def test_keys_are_the_same_in_another_process_with_another_hash_seed():
    code = "from tests.steps import *; print(total.job([square.job(3), 2, {'b': 1.5, 'a': None}]).key)"
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root}:{root / 'src'}", "PYTHONHASHSEED": "77"}
    there = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, cwd="/")
    assert there.stdout.strip() == total.job([square.job(3), 2, {"b": 1.5, "a": None}]).key


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            Path("/data"),
            "step tests.square: argument 'x' is a path, and a path does not identify what lies there; pass its "
            "digest or content",
        ),
        (float("nan"), "step tests.square: argument 'x' is NaN, which has no identity; give a number or None"),
        (
            {"a": {1, 2}},
            "step tests.square: argument 'x'.a is of type set, which has no stable identity; allowed are None, "
            "booleans, numbers, text, lists, maps with text keys, dataclasses of these, and jobs",
        ),
        (
            {1: 2},
            "step tests.square: argument 'x' has the key 1; keys must be text that does not start with '$'",
        ),
    ],
)
def test_an_argument_without_identity_is_refused(argument, message):
    with pytest.raises(UsageError) as caught:
        square.job(argument)
    assert str(caught.value) == message


def test_a_wrong_argument_name_is_refused_when_the_job_is_made():
    with pytest.raises(UsageError) as caught:
        square.job(y=3)
    assert str(caught.value) == (
        "step tests.square: missing a required argument: 'x'; "
        "it takes (x: 'int', journal: 'Journal' = Journal(path='')) -> 'int'"
    )


def test_a_function_that_no_worker_could_find_is_no_step():
    with pytest.raises(UsageError, match=r"cannot be a step: a worker must be able to find it by name in its module"):

        @step(version=1)
        def local(x: int) -> int:
            return x


def test_over_must_name_arguments_and_comes_with_together():
    with pytest.raises(UsageError, match="a step has both together= and over=, or neither"):
        step(version=1, over=("seed",))
