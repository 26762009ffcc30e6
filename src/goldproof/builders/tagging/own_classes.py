"""Word classes of the user's own, for a language without a tagger: a list of words, or a class given for each word.

Their names stand after `own:` in taggings, so that they are not taken for universal classes. Words are runs of letters,
digits and what joins them; case makes no difference in a list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from goldproof.builders.tagging.tagged import Tagging, align
from goldproof.builders.tagging.tagset import OWN, PUNCTUATION
from goldproof.data.formats.files import check_file, iter_lines
from goldproof.errors import DataError

LISTED = "listed"
"""The class of words in a list that names none."""

_TOKEN = re.compile(r"\w+(?:['’.-]\w+)*|[^\w\s]")


def read_word_list(path: str | Path) -> dict[str, str]:
    """The class of each word of a file: in each line a word and, after a tab, its class; `#` begins a remark."""
    path = check_file(path)
    found: dict[str, str] = {}
    for number, line in iter_lines(path):
        word, _, name = (part.strip() for part in line.partition("\t"))
        if not word or word.startswith("#"):
            continue
        if "+" in name or "\t" in name:
            message = f"a class may hold no '+' and no tab: a line is a word, a tab and its class; got {name!r}"
            raise DataError(message, path=path, line=number)
        name = name or LISTED
        known = found.setdefault(word.casefold(), name)
        if known != name:
            message = f"{word!r} has the class {name!r} here and {known!r} before; a word has one class"
            raise DataError(message, path=path, line=number)
    if not found:
        raise DataError("the list has no words", path=path)
    return found


def tag_by_list(text: str, classes: Mapping[str, str]) -> Tagging:
    """The text with the classes of its words that stand in a list; other words are X.

    >>> tag_by_list("D Sunne schint.", {"sunne": "Wätter"}).tags
    ('X', 'own:Wätter', 'X', '.')
    """
    found = list(_TOKEN.finditer(text))
    forms = tuple(match.group() for match in found)
    return Tagging(
        tuple(match.start() for match in found),
        tuple(match.end() for match in found),
        tuple(_listed_class(form, classes) for form in forms),
        forms,
    )


def tag_by_labels(text: str, words: Sequence[str] | None, labels: Sequence[str]) -> Tagging:
    """The text with a class given for each of its words, which blanks separate unless they are given.

    >>> tag_by_labels("D Sunne schint.", None, ["DET", "NOUN", "VERB"]).tags
    ('own:DET', 'own:NOUN', 'own:VERB')
    """
    forms = tuple(words if words is not None else text.split())
    if len(forms) != len(labels):
        raise DataError(f"one class per word is needed; got {len(labels)} for the {len(forms)} words of {text!r}")
    spans = align(text, forms, {})
    starts, ends = (tuple(span[side] for span in spans) for side in (0, 1))
    return Tagging(starts, ends, tuple(OWN + label for label in labels), forms)


def _listed_class(form: str, classes: Mapping[str, str]) -> str:
    name = classes.get(form.casefold())
    if name is not None:
        return OWN + name
    return "X" if any(map(str.isalnum, form)) else PUNCTUATION
