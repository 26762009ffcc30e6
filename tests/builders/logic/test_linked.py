"""`closed2`: the members of a contrast look the same to whatever does not follow a name from sentence to sentence."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from goldproof.builders.logic.forms import Form, Name, names_of, renamed, terms_of
from goldproof.builders.logic.grammar import GENDERS, LANGUAGES, Grammar, load_grammar
from goldproof.builders.logic.linked import TEMPLATES
from goldproof.builders.logic.realise import Casting, realise
from goldproof.builders.logic.templates import TEMPLATES as COUNTED
from goldproof.builders.logic.templates import Template

NAME = re.compile(r"((?:Bux|Zor)\d+)([abc]?)")
EACH = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: f"{template.task.value}-{template.name}")


def in_words(form: Form, grammar: Grammar, gender: str, seed: int = 0) -> tuple[str, set[str]]:
    """Premise and hypothesis in words, each name under one made-up word in all its roles, and the hypothesis' names."""
    numbers: dict[Name, Name] = {}
    for name in names_of(form):
        numbers.setdefault(name, Name(name.kind, 1 + sum(known.kind is name.kind for known in numbers)))
    order = np.random.default_rng(seed).permutation(99)
    people = [grammar.person(*(f"Bux{order[i]}{case}" for case in "abc")) for i in range(40)]
    places = [f"Zor{order[40 + i]}" for i in range(40)]
    sentences = [renamed(sentence, numbers.__getitem__) for sentence in form.sentences]
    texts = realise(Form(tuple(sentences[:-1]), sentences[-1]), grammar, Casting(people, places, gender))
    return f"{texts.premise} || {texts.hypothesis}", {found[0] for found in NAME.finditer(texts.hypothesis)}


def masked(form: Form, grammar: Grammar, gender: str) -> str:
    """The words with the names of the hypothesis numbered and every other name masked."""
    text, kept = in_words(form, grammar, gender)
    known: dict[str, str] = {}
    for found in NAME.finditer(text.partition(" || ")[2]):
        name = found[0]
        known.setdefault(name, f"{name[:3]}-{len(known)}")
    assert set(known) == kept
    return NAME.sub(lambda found: known.get(found[0], f"{found[0][:3]}{found[2] or ''}"), text)


def mentions(form: Form) -> list[tuple[str, int]]:
    """How often each individual is named, whoever it is."""
    return sorted((name.kind.value, n) for name, n in Counter(names_of(form)).items())


def distances(form: Form) -> list[int]:
    """How many sentences apart the names of the hypothesis are; 99 where no names connect them."""
    wanted = sorted(set(names_of(Form((), form.hypothesis))))
    named = [{term for term in terms_of(sentence) if isinstance(term, Name)} for sentence in form.premise]
    found = []
    for one, other in itertools.combinations(wanted, 2):
        reached, steps = {one}, 0
        while other not in reached and steps < 99:
            further = reached.union(*(names for names in named if names & reached))
            steps, reached = (99 if further == reached else steps + 1), further
        found.append(steps)
    return found


@EACH
@pytest.mark.parametrize("language", LANGUAGES)
def test_members_are_the_same_text_where_names_outside_the_hypothesis_are_masked(
    template: Template, language: str
) -> None:
    grammar, rng = load_grammar(language), np.random.default_rng(3)
    for size in template.sizes:
        contrast = template.draw(size, rng)
        gender = GENDERS[size % 2]
        first, second = (masked(form, grammar, gender) for form in (contrast.contradiction, contrast.other))
        assert first == second
        texts = [in_words(form, grammar, gender)[0] for form in (contrast.contradiction, contrast.other)]
        assert texts[0] != texts[1]
        assert len({len(set(re.findall(r"\w+", text))) for text in texts}) == 1  # as many different words, in all cases


@EACH
def test_members_name_individuals_as_often_and_connect_the_hypothesis_alike(template: Template) -> None:
    rng = np.random.default_rng(4)
    for size in template.sizes:
        for _ in range(5):
            contrast = template.draw(size, rng)
            assert mentions(contrast.contradiction) == mentions(contrast.other)
            assert distances(contrast.contradiction) == distances(contrast.other)
            assert contrast.contradiction.hypothesis == contrast.other.hypothesis


def test_the_older_closed_templates_differ_under_the_mask() -> None:
    """The check can fail: there the names of the hypothesis stand in one sentence."""
    grammar, rng = load_grammar("en"), np.random.default_rng(3)
    contrast = next(each for each in COUNTED if each.name == "crossed").draw(4, rng)
    first, second = (masked(form, grammar, "m") for form in (contrast.contradiction, contrast.other))
    assert first != second
    assert distances(contrast.contradiction) != distances(contrast.other)


def test_every_linked_template_says_what_it_closes() -> None:
    assert all(template.closes and template.draw.__doc__ for template in TEMPLATES)
    assert len({(template.task, template.name) for template in TEMPLATES}) == len(TEMPLATES)
