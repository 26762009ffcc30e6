from __future__ import annotations

import pyarrow as pa
import pytest

from goldproof.errors import DataError
from goldproof.models.examples import Examples, examples_from_table
from goldproof.models.fake import Fake
from goldproof.models.protocols import Encoder, Trainable


def test_a_table_becomes_examples() -> None:
    table = pa.table(
        {"id": ["a", "b"], "text": ["x", "y"], "pair": pa.nulls(2, pa.string()), "label": ["no", "yes"],
         "score": [0.5, 1.0], "tokens": [["x"], ["y"]], "token_labels": [["O"], ["O"]]}
    )  # fmt: skip
    found = examples_from_table(table)
    assert found == Examples(("a", "b"), ("x", "y"), None, ("no", "yes"), (("x",), ("y",)), (("O",), ("O",)))
    assert examples_from_table(table, regression=True).labels == (0.5, 1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Examples(("a",), ("x", "y")), "texts has 2 entries for 1 ids; give one for each id"),
        (
            lambda: Examples(("a", "b", "a"), ("x", "y", "z")),
            "the id 'a' occurs twice; ids must differ, because each item's randomness depends on its id",
        ),
        (
            lambda: Examples(("a",), ("x y",), words=(("x", "y"),), word_labels=(("O",),)),
            "item 'a' has 2 words and 1 labels; give one for each word",
        ),
        (
            lambda: examples_from_table(pa.table({"id": ["a", "b"], "text": ["x", "y"], "label": ["no", None]})),
            "item 'b' has no label, while others have one; give it for every item or for none",
        ),
    ],
)
def test_examples_that_do_not_fit_are_refused(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DataError) as caught:
        make()
    assert str(caught.value) == message


def test_the_fake_model_is_an_encoder_that_hangs_on_nothing_but_the_text() -> None:
    fake = Fake()
    assert isinstance(fake, Encoder) and isinstance(fake, Trainable)
    together = fake.encode(["It rains.", "It snows."])
    assert (together[0] == fake.encode(["It rains."])[0]).all()
    assert not (together[0] == together[1]).all()
    assert (fake.encode(["a"], ["b"]) == fake.encode(["a b"])).all()
