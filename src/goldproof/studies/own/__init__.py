"""Data of the user's own, for every study alike: files, columns, languages and splits, and what was done to them.

A study says what it can use (`Wants`) and gets the jobs that read each part (`OwnData`). It trains nothing.
"""

from goldproof.studies.own.files import PLACE, OpenedFile, open_own
from goldproof.studies.own.naming import own_name
from goldproof.studies.own.notes import split_notes
from goldproof.studies.own.parts import gather
from goldproof.studies.own.resolve import (
    OwnData,
    OwnSet,
    Wants,
    find_own,
    find_source_language,
    has_own,
    make_set,
    own_rules,
    settled,
    split_within,
)

__all__ = [
    "PLACE",
    "OpenedFile",
    "OwnData",
    "OwnSet",
    "Wants",
    "find_own",
    "find_source_language",
    "gather",
    "has_own",
    "make_set",
    "open_own",
    "own_name",
    "own_rules",
    "settled",
    "split_notes",
    "split_within",
]
