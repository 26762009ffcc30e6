"""`Prompt`: a template for the items of a task, and the word that stands for each label. It reads no files.

    Review: {text}
    Sentiment:

`{text}` and `{pair}` stand for the texts of an item, `{options}` for the words of all labels in order. What follows the
template is the answer: the word of a label, after a blank (`gap`). Examples with their answers come before, each
`between` them and what follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from goldproof.errors import DataError
from goldproof.jobs.names import named

FREE = ("N/A", "[MASK]", "")
"""Texts without content, by which answers are calibrated (Zhao et al. 2021)."""

_PLACE = re.compile(r"\{(text|pair|options)\}")


@named("prompts.Prompt")
@dataclass(frozen=True, slots=True)
class Prompt:
    """A template in a language, with the word of each label in the order in which they are offered.

    >>> prompt = Prompt("plain", "en", "Review: {text}\\nSentiment:", (("no", "bad"), ("yes", "good")))
    >>> prompt.question("It rains."), prompt.answer("no"), prompt.words
    ('Review: It rains.\\nSentiment:', ' bad', ('bad', 'good'))
    """

    name: str
    language: str
    template: str
    labels: tuple[tuple[str, str], ...]
    gap: str = " "
    between: str = "\n\n"
    comma: str = ", "

    def __post_init__(self) -> None:
        """Refuse a prompt that asks nothing, or whose labels cannot be distinguished."""
        if "{text}" not in self.template:
            raise DataError(
                f"the prompt {self.name!r} has no {{text}} in its template, so it does not ask about any item"
            )
        words = [word for _, word in self.labels]
        if len(set(words)) < len(words) or not all(word.strip() for word in words):
            raise DataError(
                f"the prompt {self.name!r} must have a different word for each label; got {', '.join(map(repr, words))}"
            )

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the labels, in order."""
        return tuple(word for _, word in self.labels)

    def question(self, text: str, pair: str | None = None) -> str:
        """The template with the texts of an item."""
        values = {"text": text, "pair": pair or "", "options": self.comma.join(self.words)}
        return _PLACE.sub(lambda found: values[found[1]], self.template)

    def answer(self, label: str) -> str:
        """What follows the question where the item has this label."""
        return self.gap + dict(self.labels)[label]

    def turns(self, examples: Sequence[tuple[str, str]], question: str) -> tuple[str, ...]:
        """Questions and answers in turn, as plain text goes on: put together, they are the context."""
        said = [part for asked, answer in examples for part in (asked, answer + self.between)]
        return (*said, question)

    def dialogue(self, examples: Sequence[tuple[str, str]], question: str) -> tuple[str, ...]:
        """The same for a conversation, where nothing needs to stand between turns."""
        return (*(part.strip() for pair in examples for part in pair), question.strip())
