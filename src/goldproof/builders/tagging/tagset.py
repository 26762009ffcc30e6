"""The universal word classes, and how the tag sets of the back ends map to them.

The twelve classes are those of Petrov, Das & McDonald (2012). Universal Dependencies has more: proper nouns are NOUN
here, auxiliaries VERB, both kinds of conjunction CONJ, interjections and symbols X. English subordinating conjunctions
are ADP where NLTK tags (its Penn tag IN holds both) and CONJ where a back end of Universal Dependencies does. The
German table is that of the same authors for STTS.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from goldproof.errors import UsageError

PUNCTUATION = "."
OWN = "own:"
"""Before the name of a class that is the user's own."""

CLASSES = ("ADJ", "ADP", "ADV", "CONJ", "DET", "NOUN", "NUM", "PRON", "PRT", "VERB", PUNCTUATION, "X")

FROM_UD: Mapping[str, str] = {
    "ADJ": "ADJ",
    "ADP": "ADP",
    "ADV": "ADV",
    "AUX": "VERB",
    "CCONJ": "CONJ",
    "CONJ": "CONJ",
    "DET": "DET",
    "INTJ": "X",
    "NOUN": "NOUN",
    "NUM": "NUM",
    "PART": "PRT",
    "PRON": "PRON",
    "PROPN": "NOUN",
    "PUNCT": PUNCTUATION,
    "SCONJ": "CONJ",
    "SYM": "X",
    "VERB": "VERB",
    "X": "X",
}
"""From the tags of Universal Dependencies."""

FROM_OPENCORPORA: Mapping[str, str] = {
    "NOUN": "NOUN",
    "ADJF": "ADJ",
    "ADJS": "ADJ",
    "COMP": "ADJ",
    "VERB": "VERB",
    "INFN": "VERB",
    "PRTF": "VERB",
    "PRTS": "VERB",
    "GRND": "VERB",
    "NUMR": "NUM",
    "ADVB": "ADV",
    "NPRO": "PRON",
    "PRED": "ADV",
    "PREP": "ADP",
    "CONJ": "CONJ",
    "PRCL": "PRT",
    "INTJ": "X",
}
"""From the parts of speech of OpenCorpora, which pymorphy gives."""

_STTS_FAMILIES = {
    "ADJ": "ADJA ADJD",
    "ADV": "ADV",
    "ADP": "APPO APPR APPRART APZR",
    "DET": "ART",
    "NUM": "CARD",
    "CONJ": "KOKOM KON KOUI KOUS",
    "NOUN": "NE NN NNE",
    "PRON": "PDAT PDS PIAT PIDAT PIS PPER PPOSAT PPOSS PRELAT PRELS PRF PAV PROAV PWAT PWAV PWS",
    "PRT": "PTKA PTKANT PTKNEG PTKVZ PTKZU",
    "VERB": "VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP VVFIN VVIMP VVINF VVIZU VVPP",
    PUNCTUATION: "$( $, $.",
}
FROM_STTS: Mapping[str, str] = {tag: name for name, tags in _STTS_FAMILIES.items() for tag in tags.split()}
"""From the tags of the Stuttgart–Tübingen set; what is not named (FM, ITJ, TRUNC, XY) is X."""


def parse_classes(text: str) -> tuple[str, ...]:
    """Word classes as they are written on a command line, sorted, each once.

    >>> parse_classes("noun, ADJ")
    ('ADJ', 'NOUN')
    """
    names = [name.strip().upper() for name in text.split(",") if name.strip()]
    return check_classes(names)


def check_classes(names: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """The classes, sorted and each once; an unknown one is an error that names those allowed, unless it is marked as
    the user's own.
    """
    for name in names:
        if name not in CLASSES and not name.startswith(OWN):
            ud = FROM_UD.get(name)
            close = [ud] if ud else difflib.get_close_matches(name, CLASSES, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise UsageError(f"there is no word class {name!r}; {hint}allowed: {', '.join(CLASSES)}")
    return tuple(sorted(set(names)))
