"""What a step returns comes back from the store as it was."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from goldproof.errors import UsageError
from goldproof.jobs import values
from goldproof.jobs.names import named

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
    ),
    max_leaves=20,
)


@named("tests.Finding")
@dataclass(frozen=True)
class Finding:
    name: str
    scores: np.ndarray
    rows: pa.Table
    parts: tuple[int, ...] = ()


def round_trip(value, folder):
    encoded = values.encode(value)
    encoded.write_attachments(folder)
    return values.decode(encoded.text, folder)


@given(plain)
def test_plain_values_survive(value):
    encoded = values.encode(value)
    assert values.decode(encoded.text, None) == value
    assert not encoded.tables
    assert not encoded.arrays


@given(npst.arrays(st.sampled_from(["f2", "f4", "f8", "i8", "u1", "?"]), npst.array_shapes(min_dims=0, max_dims=3)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=30)
def test_arrays_survive_with_type_and_shape(tmp_path, array):
    back = round_trip({"a": [array]}, tmp_path)["a"][0]
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    np.testing.assert_array_equal(back, array)


def test_a_dataclass_with_a_table_and_an_array_survives(tmp_path):
    finding = Finding("a", np.eye(2), pa.table({"text": ["<b>", None]}), (1, 2))
    back = round_trip(finding, tmp_path)
    assert (back.name, back.parts) == ("a", (1, 2))
    np.testing.assert_array_equal(back.scores, finding.scores)
    assert back.rows.equals(finding.rows)


def test_numbers_that_json_lacks_survive():
    back = values.decode(values.encode([math.inf, -math.inf, math.nan]).text, None)
    assert back[:2] == [math.inf, -math.inf]
    assert math.isnan(back[2])


def test_a_map_whose_keys_look_like_ours_survives():
    assert values.decode(values.encode({"$table": "x", 3: "y"}).text, None) == {"$table": "x", 3: "y"}


def test_a_value_that_cannot_be_kept_is_named():
    with pytest.raises(UsageError) as caught:
        values.encode([object()])
    assert str(caught.value) == (
        "a job returned a object, which the store cannot keep; allowed are None, booleans, numbers, text, lists, "
        "tuples, maps, dataclasses, numpy arrays of numbers and pyarrow tables of these"
    )


def test_a_type_name_in_a_file_imports_nothing():
    for name in ("antigravity:Joke", "os:system"):
        with pytest.raises(UsageError) as caught:
            values.decode(f'{{"$type":"{name}","fields":{{}}}}', None)
        assert str(caught.value) == (
            f"a stored value is of type {name!r}, which no loaded module declares with @named({name!r})"
        )


def test_a_mark_that_is_not_known_is_refused_and_calls_nothing():
    with pytest.raises(UsageError) as caught:
        values.decode('{"$decode":[1]}', None)
    assert str(caught.value) == "a stored value has the mark '$decode', which this version of Goldproof does not know"
