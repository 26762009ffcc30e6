"""The 33 categories of the broad-coverage diagnostics and their four groups, and which rows belong to each."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Literal

from goldproof.data.dataset import Dataset
from goldproof.errors import DataError

Membership = Literal["split", "exact"]

GROUPS: Mapping[str, tuple[str, ...]] = {
    "lexical-semantics": (
        "Factivity",
        "Lexical entailment",
        "Morphological negation",
        "Named entities",
        "Quantifiers",
        "Redundancy",
        "Symmetry/Collectivity",
    ),
    "predicate-argument-structure": (
        "Active/Passive",
        "Anaphora/Coreference",
        "Coordination scope",
        "Core args",
        "Datives",
        "Ellipsis/Implicits",
        "Genitives/Partitives",
        "Intersectivity",
        "Nominalization",
        "Prepositional phrases",
        "Relative clauses",
        "Restrictivity",
    ),
    "logic": (
        "Conditionals",
        "Conjunction",
        "Disjunction",
        "Double negation",
        "Downward monotone",
        "Existential",
        "Intervals/Numbers",
        "Negation",
        "Non-monotone",
        "Temporal",
        "Universal",
        "Upward monotone",
    ),
    "knowledge": ("Common sense", "World knowledge"),
}
GROUP_TITLES = {
    "lexical-semantics": "Lexical semantics",
    "predicate-argument-structure": "Predicate-argument structure",
    "logic": "Logic",
    "knowledge": "Knowledge",
}
GROUP_OF = {category: group for group, categories in GROUPS.items() for category in categories}
TAGS = tuple(f"{group}:{category}" for group, categories in GROUPS.items() for category in categories)


def check_tags(data: Dataset, language: str) -> None:
    """Raise where a tag of one of the four groups is not one of the 33 categories; other groups are left alone."""
    for row in data:
        for tag in row["tags"]:
            if tag.partition(":")[0] in GROUPS and tag not in TAGS:
                close = difflib.get_close_matches(tag, TAGS, n=1)
                hint = f"; did you mean {close[0]!r}?" if close else ""
                raise DataError(
                    f"diagnostics ({language}): the tag {tag!r} of item {row['id']!r} is not one of the "
                    f"{len(TAGS)} categories{hint}"
                )


def category_tags(data: Dataset, membership: Membership, language: str) -> list[tuple[str, ...]]:
    """The categories of each row. An error names the first category that has no row.

    With "split" a row has every tag of its cells; with "exact" a row has a category only where it is the only tag of
    its group, as in the paper.
    """
    members = {group: data.tag_members(group, exact=membership == "exact") for group in GROUPS}
    rows: list[list[str]] = [[] for _ in range(len(data))]
    for category in sorted(GROUP_OF):
        mask = members[GROUP_OF[category]].get(category)
        if mask is None or not mask.any():
            raise DataError(
                f"diagnostics ({language}): the category {category!r} has no row with membership {membership!r}; "
                f"each of the {len(TAGS)} categories needs at least one"
            )
        for row in mask.nonzero()[0]:
            rows[row].append(category)
    return [tuple(row) for row in rows]


def group_tags(tags: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The groups of each row, from its categories.

    >>> group_tags([("Negation", "Temporal"), ("Core args",), ()])
    [('Logic',), ('Predicate-argument structure',), ()]
    """
    return [tuple(dict.fromkeys(GROUP_TITLES[GROUP_OF[tag]] for tag in row)) for row in tags]
