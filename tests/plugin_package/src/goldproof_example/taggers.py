"""A tagger for Esperanto: words are between spaces, and their endings say what they are."""

from collections.abc import Sequence

from goldproof.builders.tagging import Backend, Tagging

ENDINGS = {"o": "NOUN", "oj": "NOUN", "on": "NOUN", "ojn": "NOUN", "a": "ADJ", "aj": "ADJ", "e": "ADV", "as": "VERB"}


class EndingTagger:
    def tag(self, texts: Sequence[str]) -> list[Tagging]:
        return [self._tag(text) for text in texts]

    def _tag(self, text: str) -> Tagging:
        words, starts, at = text.split(), [], 0
        for word in words:
            starts.append(text.index(word, at))
            at = starts[-1] + len(word)
        ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
        return Tagging(tuple(starts), tuple(ends), tuple(map(self._class, words)), tuple(words))

    def _class(self, word: str) -> str:
        known = [ending for ending in ENDINGS if word.lower().rstrip(".,!?").endswith(ending)]
        return ENDINGS[max(known, key=len)] if known else "X"


BACKEND = Backend("space", ("eo",), lambda language: EndingTagger())
