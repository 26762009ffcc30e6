"""Values of jobs as one text, so that they may lie in a file of kept answers: what is no answer, but shown.

The form is that of the store (`goldproof.jobs.values`); arrays lie beside it as bytes, and all of it is compressed.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from goldproof.errors import DataError
from goldproof.jobs.values import decode_with, encode


def pack(values: Mapping[str, Any]) -> str:
    """Values by name as a text of letters, digits and a few signs.

    >>> unpack(pack({"a": (1, 2.5), "b": None}))
    {'a': (1, 2.5), 'b': None}
    """
    encoded = encode(dict(values))
    if encoded.tables:
        raise DataError("tables are not kept among the facts of a report")
    arrays = {
        name: {"type": each.dtype.str, "data": base64.b64encode(each.tobytes()).decode("ascii")}
        for name, each in encoded.arrays.items()
    }
    whole = json.dumps({"text": encoded.text, "arrays": arrays}, ensure_ascii=False)
    return base64.b64encode(zlib.compress(whole.encode(), 9)).decode("ascii")


def unpack(packed: str) -> dict[str, Any]:
    """The values by name."""
    try:
        whole = json.loads(zlib.decompress(base64.b64decode(packed)))
        arrays = {
            name: np.frombuffer(base64.b64decode(each["data"]), np.dtype(each["type"]))
            for name, each in whole["arrays"].items()
        }
        found: dict[str, Any] = decode_with(whole["text"], arrays)
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise DataError(f"the kept values cannot be read ({error})") from None
    return found
