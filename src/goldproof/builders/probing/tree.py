"""`Tree`: a sentence with what rules ask of it: dependents, the main clause, surface tokens. It labels nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from goldproof.data.formats.treebank import Sentence, Token, iter_surface

SUBJECTS = ("nsubj", "csubj")
CLAUSES = ("advcl", "ccomp", "csubj", "acl")  # relations of a clause to what it depends on
UNREAL_MOODS = frozenset({"Cnd", "Sub", "Imp", "Opt", "Pot", "Nec", "Jus", "Des", "Irr"})


def base(relation: str) -> str:
    """A relation without its subtype.

    >>> base("nsubj:pass")
    'nsubj'
    """
    return relation.partition(":")[0]


@dataclass(frozen=True)
class Tree:
    """A sentence that has one root, seen as a tree."""

    sentence: Sentence

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The words in order."""
        return self.sentence.tokens

    @cached_property
    def root(self) -> Token:
        """The word on which all others depend: the predicate of the main clause, where there is one."""
        return next(token for token in self.tokens if token.head == 0)

    @cached_property
    def _dependents(self) -> Mapping[int, Sequence[Token]]:
        dependents: dict[int, list[Token]] = {}
        for token in self.tokens:
            dependents.setdefault(token.head, []).append(token)
        return dependents

    def dependents(self, token: Token, *relations: str) -> list[Token]:
        """The words that depend on a word by one of the relations, subtypes included; by any where none is named."""
        found = self._dependents.get(token.number, ())
        return [
            child for child in found if not relations or base(child.deprel) in relations or child.deprel in relations
        ]

    def has(self, token: Token, *relations: str) -> bool:
        """Whether a word has a dependent by one of the relations."""
        return bool(self.dependents(token, *relations))

    def subtree(self, token: Token) -> list[int]:
        """The numbers of a word and of all below it, in order."""
        numbers, queue = [], [token]
        while queue:
            word = queue.pop()
            numbers.append(word.number)
            queue += self._dependents.get(word.number, ())
        return sorted(numbers)

    @cached_property
    def depth(self) -> int:
        """Edges from the root down to the deepest word."""
        level, deepest = [self.root], -1
        while level:
            deepest += 1
            level = [child for token in level for child in self._dependents.get(token.number, ())]
        return deepest

    @cached_property
    def surface(self) -> tuple[tuple[str, int | None], ...]:
        """The tokens as written, each with the number of its word; None for one that stands for several words."""
        pieces = iter_surface(self.tokens, self.sentence.multiwords)
        return tuple((piece.form, piece.number if isinstance(piece, Token) else None) for piece in pieces)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The surface tokens."""
        return tuple(form for form, _ in self.surface)

    def is_clause(self, token: Token) -> bool:
        """Whether a word heads a clause: it has a subject or a copula, or is a finite verb."""
        return self.has(token, *SUBJECTS, "expl", "cop") or is_finite(token)

    def is_finite_clause(self, token: Token) -> bool:
        """Whether a clause has a finite verb: its head, an auxiliary or a copula; or a subject and none (Russian)."""
        words = [token, *self.dependents(token, "aux", "cop")]
        if any(map(is_finite, words)):
            return True
        return self.has(token, *SUBJECTS) and not any(word.upos in ("VERB", "AUX") for word in words)

    @cached_property
    def subject(self) -> Token | None:
        """The one nominal subject of the main clause, or None where there is none, or several."""
        outer = self.dependents(self.root, "nsubj:outer")
        found = outer or self.dependents(self.root, "nsubj")
        return found[0] if len(found) == 1 else None

    @cached_property
    def object(self) -> Token | None:
        """The one direct object of the main clause, or None where there is none, or several."""
        found = self.dependents(self.root, "obj")
        return found[0] if len(found) == 1 else None


def is_finite(token: Token) -> bool:
    """Whether a word is a finite verb; where a treebank has no VerbForm, a verb with a mood is one."""
    if token.upos not in ("VERB", "AUX"):
        return False
    features = token.features
    return features.get("VerbForm", "Fin" if "Mood" in features else "") == "Fin"
