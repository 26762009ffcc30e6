"""The user's own data as sets to ask about, and what is said, or refused, before work: how often a model is asked, for
how much, and that there are rows enough for examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from goldproof.data.dataset import Dataset
from goldproof.errors import UsageError
from goldproof.models.endpoint import estimate_calls, estimate_tokens, is_endpoint
from goldproof.studies.asked.plan import AskedRun, AskedSet, runs_of, sample_items, some_items, way_of
from goldproof.studies.own import OwnData
from goldproof.studies.shared import only_model


def own_sets(config: Any, own: OwnData) -> list[AskedSet]:
    """The user's own data, a set for each language."""
    for language in own.languages:
        check_examples(config, own, language)
    return [
        AskedSet(
            own.name,
            language,
            own.kind,
            own.classes,
            some_items(config, own.job(language, "test")),
            own.job(language, "train"),
        )
        for language in own.languages
    ]


def call_notes(config: Any, sets: Sequence[AskedSet], own: OwnData) -> Iterator[str]:
    """How much an endpoint is asked at most about the user's own data, and what it costs, before anything is sent."""
    if not is_endpoint(only_model(config.model).folder):
        return
    for asked in sets:
        runs = runs_of(config, asked)
        data = own.sets[asked.language, "test"].data
        share = min(1.0, (config.prompts.most_items or len(data)) / len(data))
        items = list(zip(data.texts, data.pairs, strict=True))
        once = sum(estimate_tokens(row[0].prompt.question(text, pair)) for row in runs for text, pair in items)
        shots = _tokens_of_examples(runs, way_of(config, asked).examples, own, asked.language) * len(items)
        n = round(share * len(runs) * len(runs[0]) * len(items))
        found = estimate_calls(
            round(share * (once + shots) * len(runs[0])), n, config.prompts.most_tokens, config.endpoint
        )
        price = f", about {found.price:.4g} at endpoint.price" if found.price else ""
        yield (
            f"{asked.name} ({asked.title}): at most {n:,} requests, about {found.n_tokens_in:,} tokens in (estimated "
            f"from their characters) and up to {found.n_tokens_out:,} out{price}; questions answered before are not "
            "asked again."
        )


def _tokens_of_examples(runs: Sequence[Sequence[AskedRun]], n: int, own: OwnData, language: str) -> float:
    """About how many tokens the examples before a question have, over all prompts."""
    if not n:
        return 0.0
    train = _train_of(own, language)
    texts = [text + (pair or "") for text, pair in zip(train.texts, train.pairs, strict=True)]
    mean = sum(map(estimate_tokens, texts)) / max(1, len(texts))
    frames = [each[0].prompt for each in runs]
    around = sum(
        estimate_tokens(prompt.question("") + max(prompt.words, key=len) + prompt.between) for prompt in frames
    )
    return n * (len(frames) * mean + around)


def _train_of(own: OwnData, language: str) -> Dataset:
    """The rows that examples come from: those of the language, else the first there are."""
    trains = {place: each.data for (place, split), each in own.sets.items() if split == "train"}
    return trains.get(language) or next(iter(trains.values()))


def check_examples(config: Any, own: OwnData, language: str) -> None:
    """Refuse more examples than the user's training rows whose texts are not asked about."""
    wanted, most = config.prompts.examples, config.prompts.most_items
    if not wanted:
        return
    train, tested = _train_of(own, language), own.sets[language, "test"].data
    tested = tested if most is None else sample_items(tested, most)
    asked = set(zip(tested.texts, tested.pairs, strict=True))
    rows = zip(train.texts, train.pairs, train.table["label"].to_pylist(), strict=True)
    free = Counter(str(label) for text, pair, label in rows if (text, pair) not in asked)
    if free.total() < wanted:
        where = f" in {language}" if len(own.languages) > 1 else ""
        by_label = ", ".join(f"{free[label]:,} {label}" for label in own.classes)
        raise UsageError(
            f"the setting 'prompts.examples' must be at most {free.total():,}, the training rows of {own.name}{where} "
            f"whose texts are not tested ({by_label}); got {wanted}"
        )


def asked_plan_notes(config: Any, sets: Sequence[AskedSet], n_items: int | None = None) -> Iterator[str]:
    """The same of many sets: how many questions there are, about so many items where that is known."""
    ways = dict.fromkeys((len(runs_of(config, each)), way_of(config, each).examples) for each in sets)
    n_questions = sum(len(row) for each in sets for row in runs_of(config, each)) * (n_items or 1)
    named = " and ".join(f"{n} prompts {f'with {k} examples' if k else 'without examples'}" for n, k in ways)
    sets_are = "sets" if len(sets) > 1 else "set"
    items, each_item = ("", " about each item") if n_items is None else (f" of {n_items:,} items", "")
    yield (
        f"The model is asked and not trained, about {len(sets)} {sets_are}{items} with {named}: "
        f"{n_questions:,} questions{each_item}; what was asked before is not asked again."
    )
    if is_endpoint(only_model(config.model).folder):
        yield f"That is at most {n_questions:,} requests{each_item}; --budget holds what they may cost."


def asked_notes(config: Any, asked: AskedSet) -> Iterator[str]:
    """What is to be said before work starts: how often the model is asked, and labels that stand for themselves."""
    runs = runs_of(config, asked)
    n = way_of(config, asked).examples
    each = f"{len(runs[0])} draws of {n} examples" if n else "no examples"
    yield f"{asked.name} ({asked.title}): the model is asked and not trained, with {len(runs)} prompts and {each}."
    plain = [label for label, word in runs[0][0].prompt.labels if label == word]
    if plain and all(label.isdigit() for label in plain):
        yield (
            f"The labels {', '.join(plain)} are used as they are in every prompt, which tells a model little: say "
            f"what they mean with prompts.labels={plain[0]}=NAME,…"
        )
