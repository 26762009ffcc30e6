"""Building a corpus: forms drawn in contrasts, proved, cast with names and put into words.

The forms depend on task, seed and split alone, so item i has the same form in every language; the names depend on the
language too. Every label is the one that was proved. Files are written by `write.py`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import perm

import numpy as np

from goldproof.builders.logic import clcd, linked
from goldproof.builders.logic.forms import DEFAULT_READINGS, Form, Readings, canonical
from goldproof.builders.logic.grammar import FEW, GENDERS, Grammar, Vocabulary, load_grammar
from goldproof.builders.logic.notation import write_form
from goldproof.builders.logic.pairs import CONTRADICTION, OTHER, Pair, label_of
from goldproof.builders.logic.prover import prove_canonical
from goldproof.builders.logic.realise import Casting, Texts, realise
from goldproof.builders.logic.templates import TEMPLATES, LogicTask, Template
from goldproof.errors import UsageError

TEMPLATES_OF: dict[str, tuple[Template, ...]] = {
    "closed2": linked.TEMPLATES,
    "closed": TEMPLATES,
    "clcd": clcd.TEMPLATES,
    "clcd-few": clcd.FEW_TEMPLATES,
}
PRESETS = tuple(TEMPLATES_OF)
_BETWEEN_NEWS = 500  # pairs


@dataclass(frozen=True, slots=True)
class CorpusRecipe:
    """What to build. `task` is a number from 1 to 7 or a name; `sizes` keeps n within (lowest, highest).

    Preset `closed2` closes all leaks that are known; `closed` those that count words; `clcd` imitates the published
    corpus, `clcd-few` with the few names that it had before. With `shared_names` the test split uses the
    names of the training split. `proved=False` takes labels on trust, for measuring what proofs cost.
    """

    language: str = "en"
    task: str = LogicTask.NEGATION.value
    n_train: int = 10_000
    n_test: int = 1_000
    seed: int = 0
    preset: str = "closed2"
    sizes: tuple[int, int] | None = None
    shared_names: bool = False
    readings: Readings | None = None
    proved: bool = True


@dataclass(frozen=True, slots=True)
class LogicCorpus:
    """A training and a test split."""

    recipe: CorpusRecipe
    train: tuple[Pair, ...]
    test: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class DrawnItem:
    """A form to be put into words, and where it comes from."""

    form: Form
    label: str
    template: Template
    n: int
    gender: str


@dataclass(frozen=True, slots=True)
class _Sketch:
    """What all pairs of one form share."""

    form: Form
    notation: str
    n_people: int
    n_places: int


def find_task(task: str) -> LogicTask:
    """The task of a number or a name.

    >>> find_task("6").value
    'counting'
    """
    for known in LogicTask:
        if task in (known.value, str(known.number)):
            return known
    allowed = ", ".join(f"{known.number} ({known.value})" for known in LogicTask)
    raise UsageError(f"there is no task {task!r}; allowed: {allowed}")


def build_corpus(recipe: CorpusRecipe, progress: Callable[[int], None] | None = None) -> LogicCorpus:
    """The corpus of a recipe; the same recipe gives the same corpus, byte for byte.

    `progress` is told now and then how many pairs are done.

    >>> corpus = build_corpus(CorpusRecipe(task="counting", n_train=4, n_test=2))
    >>> len(corpus.train), sorted(pair.label for pair in corpus.test)
    (4, ['contradiction', 'non-contradiction'])
    """
    task = check_recipe(recipe)
    grammar = load_grammar(recipe.language, grammar_preset(recipe.preset))
    if recipe.preset == "closed2" and not grammar.links:
        raise UsageError(
            f"the preset closed2 needs the keys 'followed' and 'leads_to', which {recipe.language} does not give; "
            "add them (see the grammars that come with Goldproof) or use the preset closed"
        )
    writers = {split: _Writer(recipe, grammar, vocabulary) for split, vocabulary in grammar.vocabularies.items()}
    splits: list[tuple[Pair, ...]] = []
    for split, n in (("train", recipe.n_train), ("test", recipe.n_test)):
        writer = writers["train" if recipe.shared_names else split]
        writer.rng = _generator(recipe, task, split, grammar.language)
        pairs: list[Pair] = []
        for number, item in enumerate(draw_items(recipe, split, n)):
            pairs.append(writer.write(item, f"{split}-{number}"))
            if progress is not None and len(pairs) % _BETWEEN_NEWS == 0:
                progress(sum(map(len, splits)) + len(pairs))
        splits.append(tuple(pairs))
    return LogicCorpus(recipe, *splits)


def grammar_preset(preset: str) -> str | None:
    """Which table a preset lays over a grammar; none but the published wording has one.

    >>> grammar_preset("clcd-few"), grammar_preset("closed2")
    ('clcd-few', None)
    """
    return preset if preset.removesuffix(FEW) == "clcd" else None


def check_recipe(recipe: CorpusRecipe) -> LogicTask:
    """The recipe's task; raises for what cannot be built."""
    task = find_task(recipe.task)
    if recipe.preset not in PRESETS:
        raise UsageError(f"there is no preset {recipe.preset!r}; allowed: {', '.join(PRESETS)}")
    for name, n in (("train", recipe.n_train), ("test", recipe.n_test)):
        if n < 0 or n % 2:
            raise UsageError(f"{name} must be an even number of pairs, since half are contradictions; got {n}")
    if recipe.seed < 0:
        raise UsageError(f"seed must be 0 or more; got {recipe.seed}")
    templates_of(recipe)
    return task


def templates_of(recipe: CorpusRecipe) -> dict[LogicTask, list[tuple[Template, tuple[int, ...]]]]:
    """The templates of each task to draw from, with the sizes that the recipe allows."""
    task = find_task(recipe.task)
    low, high = recipe.sizes or (0, 10**9)
    known = TEMPLATES_OF[recipe.preset]
    chosen: dict[LogicTask, list[tuple[Template, tuple[int, ...]]]] = {}
    for template in known:
        sizes = tuple(n for n in template.sizes if low <= n <= high or n == 0)
        if task in (template.task, LogicTask.MIXED) and sizes:
            chosen.setdefault(template.task, []).append((template, sizes))
    possible = {n for template in known if task in (template.task, LogicTask.MIXED) for n in template.sizes if n}
    if recipe.sizes and not possible & set(range(low, min(high, 1000) + 1)):
        limits = f"n from {min(possible)} to {max(possible)}" if possible else "no n"
        raise UsageError(f"task {task.value} has {limits}; got n from {low} to {high}")
    return chosen


def draw_items(recipe: CorpusRecipe, split: str, n: int) -> list[DrawnItem]:
    """The forms of a split in order; they do not depend on the language."""
    rng = _generator(recipe, find_task(recipe.task), split, "forms")
    chosen = list(templates_of(recipe).values())
    items: list[DrawnItem] = []
    for number in range(n // 2):
        group = chosen[number % len(chosen)]
        template, sizes = group[number // len(chosen) % len(group)]
        size = sizes[int(rng.integers(len(sizes)))]
        contrast, gender = template.draw(size, rng), GENDERS[int(rng.integers(2))]
        for form, label in ((contrast.contradiction, CONTRADICTION), (contrast.other, OTHER)):
            items.append(DrawnItem(form, label, template, size, gender))
    return [items[int(i)] for i in rng.permutation(len(items))]


def _generator(recipe: CorpusRecipe, task: LogicTask, split: str, purpose: str) -> np.random.Generator:
    return np.random.default_rng([recipe.seed, task.number, *(zlib.crc32(word.encode()) for word in (split, purpose))])


@lru_cache(maxsize=100_000)
def _sketch(form: Form) -> _Sketch:
    found = canonical(form)
    return _Sketch(found.form, write_form(found.form), len(found.people), len(found.places))


@dataclass(slots=True)
class _Writer:
    """Casts and words items with the names of one vocabulary, never the same pair twice."""

    recipe: CorpusRecipe
    grammar: Grammar
    vocabulary: Vocabulary
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    seen: set[Texts] = field(default_factory=set)
    n_of_form: dict[tuple[str, str], int] = field(default_factory=dict)

    def write(self, item: DrawnItem, identity: str) -> Pair:
        sketch = _sketch(item.form)
        relation = self.prove(item, sketch) if self.recipe.proved else ""
        texts = self.word(sketch, item.gender)
        return Pair(
            id=identity,
            premise=texts.premise,
            hypothesis=texts.hypothesis,
            label=item.label,
            relation=relation,
            task=item.template.task.value,
            template=item.template.name,
            n=item.n,
            form=sketch.notation,
        )

    def prove(self, item: DrawnItem, sketch: _Sketch) -> str:
        relation = prove_canonical(sketch.form, self.readings)
        if label_of(relation) != item.label:
            raise UsageError(
                f"the template {item.template.name!r} gives a {item.label} only under other readings: the form "
                f"{sketch.notation} is {relation.value} under {self.readings}"
            )
        return relation.value

    @property
    def readings(self) -> Readings:
        given = self.recipe.readings
        return given or (clcd.READINGS if grammar_preset(self.recipe.preset) else DEFAULT_READINGS)

    def word(self, sketch: _Sketch, gender: str) -> Texts:
        """The form in words that were not used before."""
        key = sketch.notation, gender
        people, places = self.vocabulary.people(gender), self.vocabulary.places
        if self.n_of_form.get(key, 0) >= perm(len(people), sketch.n_people) * perm(len(places), sketch.n_places):
            raise UsageError(
                f"more pairs are requested than distinct ones exist: the form {sketch.notation} has only "
                f"{self.n_of_form.get(key, 0)} with {len(people)} names of people and {len(places)} of places"
            )
        for texts in self.castings(sketch, gender):
            if texts not in self.seen:
                self.seen.add(texts)
                self.n_of_form[key] = self.n_of_form.get(key, 0) + 1
                return texts
        raise AssertionError("castings never end")

    def castings(self, sketch: _Sketch, gender: str) -> Iterator[Texts]:
        people, places = self.vocabulary.people(gender), self.vocabulary.places
        while True:
            who = self.rng.permutation(len(people))[: sketch.n_people].tolist()
            where = self.rng.permutation(len(places))[: sketch.n_places].tolist()
            casting = Casting([people[i] for i in who], [places[i] for i in where], gender)
            yield realise(sketch.form, self.grammar, casting)
