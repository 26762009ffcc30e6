"""Asking as a job: a prompted model, the items of a dataset, a prompt with its examples; what was said comes back.

Jobs that differ in their prompts, their examples or the seed of their sampling run together: the weights are loaded
once. What a prompt and its examples share over items is computed once by the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldproof.builders.prompts.examples import Labelled, Shots, draw_examples
from goldproof.builders.prompts.prompt import FREE, Prompt
from goldproof.data.dataset import Dataset
from goldproof.errors import GoldproofError, UsageError
from goldproof.jobs import Resources, step
from goldproof.jobs.watch import hand_over
from goldproof.models.language_model import ASKING
from goldproof.models.protocols import PromptQuestion, Respondent, Sampling
from goldproof.models.replies import Replies


def ask_together(arguments: Sequence[Mapping[str, Any]]) -> Iterable[Replies | GoldproofError]:
    """Several prompts to one model over the same items; a prompt that fails has its error in place of replies."""
    model = arguments[0]["model"].open()
    for place, each in enumerate(arguments):
        rest = {name: value for name, value in each.items() if name != "model"}
        try:
            found = ask_model(model, **rest)
        except GoldproofError as error:
            yield error
        else:
            hand_over(place, found)
            yield found


@step(
    version=1,
    name="goldproof.ask",
    together=ask_together,
    over=("prompt", "shots", "sampling"),
    largest_group=4,  # what is said to a prompt is kept as soon as its group is done
    resources=Resources(gpus=1),
    requires=(ASKING,),
)
def ask(
    model: Any, items: Dataset, train: Dataset | None, prompt: Prompt, shots: Shots, sampling: Sampling | None
) -> Replies:
    """What the model says to a prompt about every item: likelihoods of the labels' words or, with a sampling, text."""
    return ask_model(model.open(), items, train, prompt, shots, sampling)


@dataclass(frozen=True, slots=True)
class _Asker:
    """A prompt with its examples, in the form that the model takes."""

    model: Respondent
    prompt: Prompt
    examples: tuple[tuple[str, str], ...]

    def context(self, text: str, pair: str | None) -> str:
        """All that stands before the answer about an item."""
        asked = self.prompt.question(text, pair)
        if self.model.has_dialogue:
            return self.model.dialogue(self.prompt.dialogue(self.examples, asked))
        return "".join(self.prompt.turns(self.examples, asked))

    def options(self) -> tuple[str, ...]:
        """The answers; in a conversation nothing stands before them."""
        answers = (self.prompt.answer(label) for label, _ in self.prompt.labels)
        return tuple(answer.strip() if self.model.has_dialogue else answer for answer in answers)


def ask_model(
    model: Respondent,
    items: Dataset,
    train: Dataset | None,
    prompt: Prompt,
    shots: Shots,
    sampling: Sampling | None,
) -> Replies:
    """What an open model says to a prompt about every item."""
    asked = {(text, pair) for text, pair in zip(items.texts, items.pairs, strict=True)}
    chosen = draw_examples(_labelled(train), shots, asked) if shots.n else []
    told = tuple((prompt.question(each.text, each.pair), prompt.answer(each.label)) for each in chosen)
    asker = _Asker(model, prompt, told)
    contexts = [asker.context(text, pair) for text, pair in zip(items.texts, items.pairs, strict=True)]
    labels, examples = tuple(label for label, _ in prompt.labels), tuple(each.id for each in chosen)
    if sampling is not None:
        ids = [str(item) for item in items.table["id"].to_pylist()]
        written = model.generate(contexts, ids, sampling)
        texts, none = tuple(each.text for each in written), np.zeros((0, len(labels)))
        cut = tuple(place for place, each in enumerate(written) if each.is_cut)
        return Replies(labels, prompt.words, none, none, texts, contexts[0], examples=examples, unfinished=cut)
    free = [asker.context(text, text if "{pair}" in prompt.template else None) for text in FREE]
    found = model.likelihoods([PromptQuestion(context, asker.options()) for context in (*contexts, *free)])
    values = np.array([each.values for each in found])
    n_cut = sum(each.is_cut for each in found[: len(contexts)])
    return Replies(
        labels, prompt.words, values[: len(contexts)], values[len(contexts) :], (), contexts[0], n_cut, examples
    )


def _labelled(train: Dataset | None) -> list[Labelled]:
    if train is None:
        raise UsageError("examples are drawn from the training items, but there are none")
    columns = (train.table[name].to_pylist() for name in ("id", "text", "pair", "label"))
    return [Labelled(str(item), text, pair, label) for item, text, pair, label in zip(*columns, strict=True)]
