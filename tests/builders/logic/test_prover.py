"""Forms, notation and proofs: the decision procedure against z3 on every template and size, under every reading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldproof.builders.logic import clcd, linked
from goldproof.builders.logic.forms import (
    ALL_READINGS,
    Form,
    Name,
    NameKind,
    Readings,
    Relation,
    canonical,
    renamed,
)
from goldproof.builders.logic.notation import read_form, write_form
from goldproof.builders.logic.prover import prove
from goldproof.builders.logic.solver import solve
from goldproof.builders.logic.templates import TEMPLATES, Template
from goldproof.errors import UsageError

OURS = [*TEMPLATES, *linked.TEMPLATES]
ALL_TEMPLATES = [*OURS, *clcd.TEMPLATES]

# Forms whose relation depends on the reading or on the finer points of the procedure.
DELICATE = [
    "V(everyone,every person) |- ~V(x1,x1)",
    "V(everyone,x1) |- ~V(x1,x1)",
    "V(x1,every person) |- V(x1,x1)",
    "V(nobody,p1) |- V(nobody,p1)",
    "V(someone,{p1,p2}) |- V(someone,p2)",
    "V(someone,p1); V(someone,p2) |- V(nobody,p2)",
    "x1 = the(every place); V(someone,every place) |- ~V(x1,p1)",
    "x1 = the(every place); V(x1,x2) |- x2 = the(every place)",
    "x1 = the(all people); V(x2,x1) |- V(x2,all people)",
    "V(x1,every place) |- x1 = the(every place)",
    "x1 > x2; x2 >= x3 |- x3 >= x1",
    "x1 >= x2 |- x2 >= x1",
    "x1 > {x2,x3}; x1 >= x4 |- x2 > x4",
    "x1 >= x2; x2 >= x3 |- x1 > x3",
    "only(x1,3 place,2 person) |- only(x1,4 place)",
    "only(x1,3 place,2 person) |- only(x1,3 place)",
    "only(x1,3 place) |- V(x1,{p1,p2,p3})",
    "V(x1,{p1,p2,p3}) |- only(x1,3 place)",
    "V(x1,every person of x2); V(x2,x1) |- V(x1,x1)",
    "V(x1,every person of x2); V(x2,every person) |- ~V(x1,x1)",
    "V(everyone,every person of x1); V(x1,x2) |- V(x2,x2)",
    "V(someone,every place of x1); V(x1,p1) |- V(someone,p1)",
    "V(x1,every place of x2); V(x2,every place of x3); ~V(x1,p1) |- V(x3,p1)",
    "V(x1,every place of x2); x1 = the(p1) |- V(x2,p1)",
    "x1 = the(p1); V(whoever,p2) -> V(whoever,p1) |- V(someone,p2)",
    "x1 = the(p1); V(whoever,p1) -> V(whoever,p2) |- x2 = the(p2)",
    "V(whoever,p1) -> V(whoever,p2); V(nobody,p2) |- V(someone,p1)",
    "V(whoever,p1) -> V(whoever,p2); V(x1,every place) |- V(x1,p2)",
    "V(x1,every place of x2); only(x1,1 place) |- V(x2,{p1,p2})",
    "V(x1,every place of x2); V(x2,{p1,p2}) |- only(x1,2 place)",
]


def forms_of(template: Template, size: int, rng: np.random.Generator) -> list[Form]:
    contrast = template.draw(size, rng)
    return [contrast.contradiction, contrast.other]


@pytest.mark.parametrize("template", ALL_TEMPLATES, ids=lambda template: f"{template.task.value}-{template.name}")
def test_the_procedure_agrees_with_z3_on_every_size(template: Template) -> None:
    pytest.importorskip("z3", reason="the check against z3 needs the extra `logic`")
    rng = np.random.default_rng(1)
    for size in template.sizes:
        for form in forms_of(template, size, rng):
            readings = ALL_READINGS[int(rng.integers(len(ALL_READINGS)))]
            assert prove(form, readings) == solve(form, readings), (write_form(form), readings)


@pytest.mark.parametrize("text", DELICATE)
def test_the_procedure_agrees_with_z3_where_readings_differ(text: str) -> None:
    pytest.importorskip("z3", reason="the check against z3 needs the extra `logic`")
    for readings in ALL_READINGS:
        assert prove(read_form(text), readings) == solve(read_form(text), readings), readings


@pytest.mark.parametrize("template", OURS, ids=lambda template: f"{template.task.value}-{template.name}")
def test_our_labels_hold_under_every_reading(template: Template) -> None:
    rng = np.random.default_rng(2)
    for size in template.sizes:
        contradiction, other = forms_of(template, size, rng)
        assert {prove(contradiction, readings) for readings in ALL_READINGS} == {Relation.CONTRADICTED}
        assert Relation.CONTRADICTED not in {prove(other, readings) for readings in ALL_READINGS}


@pytest.mark.parametrize(
    ("text", "readings", "relation"),
    [
        ("x1 > {x2,x3}; x1 >= x4 |- x2 > x4", Readings(as_tall_as="at_least"), "neither"),
        ("x1 > {x2,x3}; x1 >= x4 |- x2 > x4", Readings(as_tall_as="equal"), "contradicted"),
        ("only(x1,3 place) |- only(x1,4 place)", Readings(only="exactly"), "contradicted"),
        ("only(x1,3 place) |- only(x1,4 place)", Readings(only="at_most"), "entailed"),
        ("V(everyone,every person) |- ~V(x1,x1)", Readings(everyone_includes_self=True), "contradicted"),
        ("V(everyone,every person) |- ~V(x1,x1)", Readings(everyone_includes_self=False), "neither"),
    ],
)
def test_readings_change_what_follows(text: str, readings: Readings, relation: str) -> None:
    assert prove(read_form(text), readings).value == relation


@given(st.sampled_from(ALL_TEMPLATES), st.integers(0, 10_000))
def test_renaming_changes_nothing(template: Template, seed: int) -> None:
    rng = np.random.default_rng(seed)
    form = forms_of(template, template.sizes[seed % len(template.sizes)], rng)[seed % 2]
    offset = {kind: int(rng.integers(1, 99)) for kind in NameKind}

    def other(name: Name) -> Name:
        return Name(name.kind, 2_000 - name.index + offset[name.kind])

    moved = Form(tuple(renamed(one, other) for one in form.premise), renamed(form.hypothesis, other))
    assert canonical(moved).form == canonical(form).form
    assert prove(moved) == prove(form)
    assert read_form(write_form(form)) == form


def test_a_premise_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        prove(read_form("V(x1,p1); ~V(x1,p1) |- V(x1,p2)"))
    assert str(caught.value) == "the premise of a form must be able to be true; this one contradicts itself"


def test_what_the_procedure_cannot_decide_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        prove(read_form("V(x1,every place); only(x1,3 place) |- V(x1,p2)"))
    assert str(caught.value) == "no procedure for a person who has visited every place and only 3 of them"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("V(x1,p1)", "a form reads 'sentence; sentence |- sentence'; got 'V(x1,p1)'"),
        (
            "W(x1,p1) |- V(x1,p1)",
            "not a sentence of the notation: 'W(x1,p1)'; sentences look like V(x1,p1) or x1 > x2",
        ),
        ("V(y1,p1) |- V(x1,p1)", "a name is x or p and a number, as x1 or p2; got 'y1'"),
    ],
)
def test_what_is_not_notation_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_form(text)
    assert str(caught.value) == message
