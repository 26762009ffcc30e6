"""Task 4, definite description: the person that has visited every place, or everyone."""

from __future__ import annotations

import numpy as np

from goldproof.builders.logic.forms import Described, Form, LogicSentence, Name, Quantifier, Visit, person, place
from goldproof.builders.logic.templates.contrast import Contrast, LogicTask, Template, coin, in_any_order

PLACES, PEOPLE = Quantifier.EVERY_PLACE, Quantifier.ALL_PEOPLE


def _visited(a: Name, b: Name) -> Visit:
    return Visit((a,), (b,))


def _two_described(rng: np.random.Generator) -> tuple[LogicSentence, ...]:
    """Two described people, who may also have visited each other."""
    x, y = person(0), person(1)
    sentences: list[LogicSentence] = [Described(x, PLACES), Described(y, PEOPLE)]
    return in_any_order([*sentences, _visited(x, y), _visited(y, x)] if coin(rng) else sentences, rng)


def draw_instance(n: int, rng: np.random.Generator) -> Contrast:
    """Two described people: a new place (person) denied to the one described by places (people), and to the other."""
    premise = _two_described(rng)
    own, other, unseen = (person(0), person(1), place(0)) if coin(rng) else (person(1), person(0), person(2))
    return Contrast(Form(premise, Visit((own,), (unseen,), True)), Form(premise, Visit((other,), (unseen,), True)))


def draw_only_one(n: int, rng: np.random.Generator) -> Contrast:
    """Two described people: a description claimed by the wrong one, against the right one (entailed)."""
    premise = _two_described(rng)
    right, wrong, what = (person(0), person(1), PLACES) if coin(rng) else (person(1), person(0), PEOPLE)
    return Contrast(Form(premise, Visit((wrong,), (what,))), Form(premise, Visit((right,), (what,))))


def draw_meetings(n: int, rng: np.random.Generator) -> Contrast:
    """One described person among visits: a new place (person) denied to her, against another who stands there as often.

    Both are subjects, and objects, equally often, so that case gives nothing away.
    """
    x, y, z = person(0), person(1), person(2)
    what, unseen = (PLACES, place(0)) if coin(rng) else (PEOPLE, person(4))
    visits = [_visited(y, x), _visited(z, y)] if coin(rng) else [_visited(x, z), _visited(y, z), _visited(y, person(3))]
    premise = in_any_order([Described(x, what), *visits], rng)
    return Contrast(Form(premise, Visit((x,), (unseen,), True)), Form(premise, Visit((y,), (unseen,), True)))


_NO_N = (0,)
TEMPLATES = (
    Template("instance", LogicTask.DESCRIPTION, _NO_N, draw_instance, "how often a name stands in the premise"),
    Template("only one", LogicTask.DESCRIPTION, _NO_N, draw_only_one, "the negation in the hypothesis as a cue"),
    Template("meetings", LogicTask.DESCRIPTION, _NO_N, draw_meetings, "how often a name stands in the premise"),
)
