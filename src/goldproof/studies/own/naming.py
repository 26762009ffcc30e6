"""What the user's data are called: the name that was given, else the file's, else its folder's; never "train"."""

from __future__ import annotations

import re
from pathlib import Path

from goldproof.data.naming import LANGUAGES, SPLIT_WORDS
from goldproof.studies.shared import Data

_BETWEEN = r"[-_. ()\[\]]+"
_PATTERN = re.compile(re.escape("{language}"))
_SHARD = re.compile(r"-\d{5}-of-\d{5}")  # of many files that the hub cuts a table into


def own_name(data: Data) -> str:
    """The name of the data.

    >>> own_name(Data(train="talks/Mundart train.csv")), own_name(Data(train="talks/train.csv"))
    ('Mundart', 'talks')
    >>> own_name(Data(train="talks/train.{language}.jsonl.gz", name="My talks"))
    'My talks'
    >>> own_name(Data(train="talks/train-00000-of-00001.parquet")), own_name(Data(train="talks/Mails (train).csv"))
    ('talks', 'Mails')
    >>> own_name(Data(train="talks/en/train.txt"))
    'talks'
    """
    if data.name:
        return data.name
    path = Path(data.train)
    above = path.absolute().parent
    languages = (*LANGUAGES, *data.languages)
    found = map(_without_split, (path.name, above.name, above.parent.name if above.name in languages else ""))
    return next((name for name in found if name and name not in languages), "my data")


def _without_split(name: str) -> str:
    """A file's name without its endings and without the words that say a split."""
    stem = re.sub(r"(\.[A-Za-z]+\d?)+$", "", _SHARD.sub("", _PATTERN.sub("", name)))
    kept = [word for word in re.split(f"({_BETWEEN})", stem) if word.lower() not in SPLIT_WORDS]
    return re.sub(r"\s+", " ", "".join(kept)).strip("-_. ()[]")
