"""How often a tagger gives a treebank's word the class that the treebank gives it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from goldproof.builders.tagging import tag
from goldproof.builders.tagging.tagged import align
from goldproof.builders.tagging.tagset import FROM_UD
from goldproof.data.formats.treebank import iter_sentences


@dataclass(frozen=True)
class Accuracy:
    """Share of the treebank's words that the tagger has as tokens, and of these the share of right classes."""

    found: float
    right: float


def measure(path: Path, language: str, tagger: str | None = None, n: int = 200) -> Accuracy:
    """Words inside multiword tokens are left out: their places in the text are not given."""
    sentences = list(islice(iter_sentences(path), n))
    taggings = tag([sentence.text for sentence in sentences], language, tagger)
    words = found = right = 0
    for sentence in sentences:
        inside = {i for whole in sentence.multiwords for i in range(whole.first, whole.last + 1)}
        starts = {whole.first: whole.form for whole in sentence.multiwords}
        units = [
            (starts.get(token.number, token.form), None if token.number in inside else FROM_UD.get(token.upos, "X"))
            for token in sentence.tokens
            if token.number not in inside or token.number in starts
        ]
        tagging = taggings[sentence.text]
        given = dict(zip(zip(tagging.starts, tagging.ends, strict=True), tagging.tags, strict=True))
        for (_, gold), span in zip(units, align(sentence.text, [form for form, _ in units], {}), strict=True):
            if gold is not None:
                words += 1
                found += span in given
                right += given.get(span) == gold
    return Accuracy(found / words, right / found)
