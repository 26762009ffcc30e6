"""What the user's data are called: the name that was given, else the file's, else its folder's; never "train"."""

from __future__ import annotations

import re
from pathlib import Path

from goldproof.data.naming import SPLIT_WORDS
from goldproof.studies.shared import Data

_BETWEEN = r"[-_. ]+"
_PATTERN = re.compile(re.escape("{language}"))


def own_name(data: Data) -> str:
    """The name of the data.

    >>> own_name(Data(train="talks/Mundart train.csv")), own_name(Data(train="talks/train.csv"))
    ('Mundart', 'talks')
    >>> own_name(Data(train="talks/train.{language}.jsonl.gz", name="My talks"))
    'My talks'
    """
    if data.name:
        return data.name
    path = Path(data.train)
    return _without_split(path.name) or _without_split(path.absolute().parent.name) or "my data"


def _without_split(name: str) -> str:
    """A file's name without its endings and without the words that say a split."""
    stem = re.sub(r"(\.[A-Za-z]+)+$", "", _PATTERN.sub("", name))
    kept = [word for word in re.split(f"({_BETWEEN})", stem) if word.lower() not in SPLIT_WORDS]
    return "".join(kept).strip("-_. ")
