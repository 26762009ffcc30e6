"""Which metric, and which filter or scorer of it, is read of a log that holds several; the first is the headline.

Nothing is read here, and nothing guessed: what is asked for and not there is refused with what there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from goldproof.data.logs.log import LogChoice
from goldproof.data.logs.rows import plain_name
from goldproof.errors import UsageError

ANOTHER_TASK = "there is no task "
_MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Offer:
    """A metric, and the filter, scorer or split that it is of, in the words of the log."""

    metric: str
    filter: str = ""

    def __str__(self) -> str:
        return plain_name(f"{self.metric}/{self.filter}" if self.filter else self.metric)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The offer that is read, and the names of the others."""

    offer: Offer
    others: tuple[str, ...]


def choose(offers: Sequence[Offer], choice: LogChoice, path: Path, *, filters: str = "filter") -> Chosen:
    """The offer that was asked for, else the first; `filters` is what this harness calls a filter.

    >>> offers = [Offer("exact_match", "strict"), Offer("exact_match", "flexible")]
    >>> choose(offers, LogChoice(filter="flexible"), Path("a.jsonl")).offer.filter
    'flexible'
    """
    found = list(offers)
    if choice.metric is not None:
        found = [offer for offer in found if choice.metric in (offer.metric, str(offer))]
        if not found:
            raise _unknown("metric", choice.metric, [offer.metric for offer in offers], path)
    if choice.filter is not None:
        of_metric = [offer.filter for offer in found]
        found = [offer for offer in found if choice.filter == offer.filter]
        if not found:
            raise _unknown(filters, choice.filter, of_metric, path)
    chosen = found[0]
    return Chosen(chosen, tuple(str(offer) for offer in offers if offer != chosen))


def choose_task(tasks: Sequence[str], choice: LogChoice, path: Path) -> list[str]:
    """The tasks that are read: the one that was asked for, else all."""
    if choice.task is None:
        return list(tasks)
    if choice.task not in tasks:
        raise UsageError(f"{path}: {ANOTHER_TASK}{choice.task!r}; the log has {listed(tasks)}")
    return [choice.task]


def _unknown(what: str, asked: str, known: Sequence[str], path: Path) -> UsageError:
    return UsageError(f"{path}: there is no {what} {asked!r}; the log has {listed(known)}")


def listed(names: Sequence[str]) -> str:
    """Names in a row for an error, each once, and the rest as a number.

    >>> listed(["b", "a", "b"]), listed([])
    ('b, a', 'none')
    """
    different = list(dict.fromkeys(plain_name(name) or "''" for name in names))
    more = f" and {len(different) - _MOST_LISTED} more" if len(different) > _MOST_LISTED else ""
    return (", ".join(different[:_MOST_LISTED]) + more) or "none"
