"""What a rule says of a sentence: a label with its target and its changed tokens, or why there is no label."""

from __future__ import annotations

from dataclasses import dataclass

from goldproof.data.formats.treebank import Token


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """A label, or None with the reason; `tokens` replace those of the sentence where the task changes it."""

    label: str | None
    reason: str = ""
    target: Token | None = None
    tokens: tuple[str, ...] | None = None


def no_label(reason: str) -> RuleVerdict:
    """The verdict that leaves a sentence out.

    >>> no_label("no subject")
    RuleVerdict(label=None, reason='no subject', target=None, tokens=None)
    """
    return RuleVerdict(None, reason)
