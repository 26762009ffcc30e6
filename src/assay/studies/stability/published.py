"""Numbers printed in the stability paper: scores per category and seed, and the two tables made from them.

Source: Maria Tikhonova, Vladislav Mikhailov, Dina Pisarevskaya, Valentin Malykh and Tatiana Shavrina, "Ad astra or
astray: Exploring linguistic knowledge of multilingual BERT through NLI task", Natural Language Engineering (2022).
`SCORES` are the cells of Figures 2 (en), 6 (fr) and 9 (sv), as rounded in print; the cells of Figures 7 (de) and 8
(ru) are images only and are absent. `OVERALL` is Table 3, `CATEGORY_MEANS` is Table 6. In Table 6 the English
column leaves seed 5 out; it is kept as printed. No number here was computed by us.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overall:
    """One row of Table 3: overall MCC, its standard deviation over seeds, and the mean correlation between seeds."""

    mcc: float
    sd: float
    correlation: float


OVERALL: Mapping[str, Overall] = {
    "en": Overall(0.200, 0.016, 0.634),
    "fr": Overall(0.178, 0.027, 0.529),
    "de": Overall(0.158, 0.024, 0.411),
    "ru": Overall(0.182, 0.033, 0.455),
    "sv": Overall(0.169, 0.028, 0.517),
}
"""Table 3, by language."""

CATEGORIES = (
    "Active/Passive",
    "Anaphora/Coreference",
    "Common sense",
    "Conditionals",
    "Conjunction",
    "Coordination scope",
    "Core args",
    "Datives",
    "Disjunction",
    "Double negation",
    "Downward monotone",
    "Ellipsis/Implicits",
    "Existential",
    "Factivity",
    "Genitives/Partitives",
    "Intersectivity",
    "Intervals/Numbers",
    "Lexical entailment",
    "Morphological negation",
    "Named entities",
    "Negation",
    "Nominalization",
    "Non-monotone",
    "Prepositional phrases",
    "Quantifiers",
    "Redundancy",
    "Relative clauses",
    "Restrictivity",
    "Symmetry/Collectivity",
    "Temporal",
    "Universal",
    "Upward monotone",
    "World knowledge",
)
"""The 33 categories, in the order of every table below."""

SCORES: Mapping[str, tuple[tuple[float, ...], ...]] = {
    "en": (
        (0.38, 0.28, 0.33, 0.0, 0.38, 0.33),  # Active/Passive
        (-0.047, 0.027, -0.014, -0.17, -0.15, 0.0),  # Anaphora/Coreference
        (0.071, 0.0, 0.084, 0.0, 0.077, 0.0),  # Common sense
        (0.6, 0.13, 0.25, 0.38, 0.13, 0.13),  # Conditionals
        (0.38, 0.0, 0.38, 0.15, 0.0, 0.38),  # Conjunction
        (0.12, 0.0, 0.12, 0.0, 0.0, 0.17),  # Coordination scope
        (0.26, 0.23, 0.28, 0.23, 0.23, 0.23),  # Core args
        (0.22, 0.35, 0.35, 0.51, 0.51, 0.35),  # Datives
        (-0.21, -0.26, -0.26, 0.0, -0.21, -0.26),  # Disjunction
        (0.066, 0.22, 0.22, 0.066, 0.14, 0.27),  # Double negation
        (0.14, 0.1, 0.037, 0.2, 0.2, 0.037),  # Downward monotone
        (0.45, 0.47, 0.47, 0.47, 0.41, 0.32),  # Ellipsis/Implicits
        (0.26, 0.26, 0.26, 0.067, 0.26, 0.0),  # Existential
        (0.3, 0.24, 0.34, 0.33, 0.22, 0.0),  # Factivity
        (0.0, 0.0, 0.0, 0.45, 0.0, 0.0),  # Genitives/Partitives
        (0.34, 0.21, 0.29, 0.13, 0.29, 0.29),  # Intersectivity
        (-0.33, -0.12, -0.22, -0.093, -0.12, -0.12),  # Intervals/Numbers
        (0.011, -0.035, 0.07, 0.11, 0.084, 0.058),  # Lexical entailment
        (0.033, 0.15, 0.15, -0.06, 0.033, 0.15),  # Morphological negation
        (0.056, 0.0, 0.22, 0.17, 0.17, 0.12),  # Named entities
        (0.099, 0.072, 0.09, 0.081, 0.099, 0.12),  # Negation
        (0.46, 0.0, 0.25, 0.0, 0.0, 0.0),  # Nominalization
        (0.089, 0.12, 0.0, 0.0, 0.17, 0.12),  # Non-monotone
        (0.41, 0.47, 0.49, 0.32, 0.32, 0.41),  # Prepositional phrases
        (0.12, 0.009, -0.048, 0.091, 0.11, 0.08),  # Quantifiers
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),  # Redundancy
        (0.14, 0.079, 0.0, 0.12, 0.065, 0.36),  # Relative clauses
        (0.19, -0.17, 0.0, -0.17, -0.32, 0.0),  # Restrictivity
        (-0.12, 0.0, 0.0, 0.0, 0.0, 0.0),  # Symmetry/Collectivity
        (0.12, 0.22, -0.24, -0.24, 0.15, 0.0),  # Temporal
        (0.56, 0.56, 0.47, 0.24, 0.15, 0.39),  # Universal
        (0.28, 0.21, 0.43, 0.32, 0.22, 0.43),  # Upward monotone
        (0.0, 0.22, 0.0, 0.23, 0.0, 0.24),  # World knowledge
    ),
    "fr": (
        (0.38, 0.14, 0.28, 0.33, 0.13, 0.21),  # Active/Passive
        (0.21, 0.01, -0.044, 0.0, -0.1, 0.21),  # Anaphora/Coreference
        (0.0, 0.0, 0.13, 0.23, 0.096, 0.0),  # Common sense
        (0.27, -0.46, 0.25, 0.09, 0.27, -0.18),  # Conditionals
        (0.17, 0.2, -0.076, 0.49, 0.43, 0.43),  # Conjunction
        (0.15, -0.15, 0.2, 0.057, 0.11, 0.16),  # Coordination scope
        (0.097, -0.004, 0.094, 0.33, 0.16, 0.16),  # Core args
        (0.49, 0.0, 0.13, 0.0, 0.64, 0.76),  # Datives
        (0.094, 0.094, 0.15, 0.17, 0.094, 0.094),  # Disjunction
        (0.0, -0.12, -0.053, 0.066, 0.033, 0.066),  # Double negation
        (0.15, -0.12, 0.13, 0.065, 0.037, -0.078),  # Downward monotone
        (0.2, -0.12, 0.35, 0.0, 0.0, 0.25),  # Ellipsis/Implicits
        (0.34, 0.34, 0.3, 0.34, 0.47, 0.34),  # Existential
        (0.16, 0.0, 0.21, 0.24, 0.073, 0.15),  # Factivity
        (0.036, -0.15, 0.0, 0.36, 0.36, -0.094),  # Genitives/Partitives
        (0.17, 0.14, 0.17, 0.17, 0.12, 0.18),  # Intersectivity
        (-0.13, -0.005, -0.13, 0.093, -0.16, 0.032),  # Intervals/Numbers
        (0.084, -0.003, 0.017, 0.2, 0.032, 0.13),  # Lexical entailment
        (0.23, 0.033, 0.0, 0.13, 0.14, 0.22),  # Morphological negation
        (-0.24, 0.0, -0.17, 0.22, -0.24, 0.0),  # Named entities
        (0.028, -0.15, 0.054, 0.21, 0.2, 0.0),  # Negation
        (0.0, 0.0, 0.0, 0.015, 0.0, 0.0),  # Nominalization
        (0.0, -0.095, 0.0, -0.15, -0.58, 0.21),  # Non-monotone
        (0.23, 0.19, 0.36, 0.42, 0.23, 0.33),  # Prepositional phrases
        (0.18, 0.42, 0.2, 0.0, 0.26, 0.45),  # Quantifiers
        (-0.06, 0.27, 0.0, -0.11, -0.11, 0.46),  # Redundancy
        (0.45, 0.26, 0.21, 0.31, 0.26, 0.0),  # Relative clauses
        (0.0, -0.094, 0.0, 0.0, 0.0, 0.0),  # Restrictivity
        (-0.17, -0.18, -0.17, 0.0, -0.17, -0.17),  # Symmetry/Collectivity
        (0.042, 0.13, 0.0, -0.2, -0.007, -0.007),  # Temporal
        (0.55, 0.7, 0.85, 0.85, 0.85, 0.55),  # Universal
        (0.38, 0.16, 0.39, 0.1, 0.38, 0.39),  # Upward monotone
        (0.099, 0.26, 0.0, 0.0, 0.0, 0.18),  # World knowledge
    ),
    "sv": (
        (0.24, 0.033, 0.088, 0.19, 0.13, 0.0),  # Active/Passive
        (0.17, 0.21, 0.25, 0.38, 0.006, 0.35),  # Anaphora/Coreference
        (0.0, 0.0, 0.0, 0.18, 0.088, 0.0),  # Common sense
        (-0.25, -0.11, -0.11, 0.041, -0.025, -0.45),  # Conditionals
        (0.15, 0.0, 0.29, 0.32, 0.18, 0.29),  # Conjunction
        (-0.15, -0.01, 0.057, -0.013, 0.12, 0.11),  # Coordination scope
        (0.33, 0.43, 0.37, 0.41, 0.33, 0.46),  # Core args
        (0.34, -0.055, -0.19, 0.066, -0.22, 0.13),  # Datives
        (0.052, 0.094, -0.33, 0.23, -0.21, 0.094),  # Disjunction
        (0.033, -0.12, 0.21, 0.14, -0.018, 0.21),  # Double negation
        (0.13, -0.031, 0.17, 0.065, 0.023, 0.037),  # Downward monotone
        (0.38, 0.16, -0.12, 0.47, 0.19, 0.0),  # Ellipsis/Implicits
        (0.14, 0.24, 0.65, 0.24, 0.47, 0.26),  # Existential
        (0.23, 0.11, 0.25, 0.23, 0.15, 0.21),  # Factivity
        (0.4, 0.0, 0.56, 0.76, 0.45, 0.6),  # Genitives/Partitives
        (0.003, 0.079, 0.24, 0.17, 0.13, -0.013),  # Intersectivity
        (-0.042, -0.13, -0.079, -0.23, -0.12, -0.19),  # Intervals/Numbers
        (0.092, -0.036, 0.035, 0.23, -0.028, 0.16),  # Lexical entailment
        (0.042, 0.0, 0.13, 0.22, 0.15, 0.0),  # Morphological negation
        (0.4, 0.06, 0.11, 0.12, 0.0, 0.17),  # Named entities
        (0.099, 0.063, 0.2, 0.0, -0.02, -0.072),  # Negation
        (-0.23, 0.068, 0.1, 0.13, -0.16, 0.055),  # Nominalization
        (0.12, -0.4, 0.21, 0.21, 0.12, 0.12),  # Non-monotone
        (0.39, 0.22, 0.45, 0.3, 0.36, 0.56),  # Prepositional phrases
        (0.3, 0.16, 0.27, 0.3, 0.0, 0.42),  # Quantifiers
        (0.46, 0.18, 0.34, 0.0, -0.06, 0.8),  # Redundancy
        (0.0, 0.065, 0.32, 0.27, 0.0, 0.36),  # Relative clauses
        (0.34, -0.17, 0.34, 0.0, 0.34, 0.34),  # Restrictivity
        (0.44, 0.19, 0.3, 0.55, 0.44, 0.65),  # Symmetry/Collectivity
        (-0.14, -0.011, 0.0, -0.042, -0.042, -0.073),  # Temporal
        (0.34, 0.34, 0.34, 0.34, 0.19, 0.52),  # Universal
        (0.44, 0.28, 0.38, 0.49, 0.38, 0.4),  # Upward monotone
        (0.2, 0.14, 0.22, 0.0, 0.0, 0.21),  # World knowledge
    ),
}
"""Figures 2, 6 and 9: language, then category, then seeds 0 to 5."""

CATEGORY_MEANS: Mapping[str, tuple[tuple[float, float], ...]] = {
    "en": (
        (0.274, 0.16),  # Active/passive
        (-0.071, 0.09),  # Anaphora/coreference
        (0.046, 0.04),  # Common sense
        (0.298, 0.2),  # Conditionals
        (0.182, 0.19),  # Conjunction
        (0.048, 0.07),  # Coordination scope
        (0.246, 0.02),  # Core args
        (0.388, 0.12),  # Datives
        (-0.188, 0.11),  # Disjunction
        (0.142, 0.08),  # Double negation
        (0.135, 0.07),  # Downward monotone
        (0.454, 0.03),  # Ellipsis/implicits
        (0.221, 0.09),  # Existential
        (0.286, 0.05),  # Factivity
        (0.09, 0.2),  # Genitives/partitives
        (0.252, 0.08),  # Intersectivity
        (-0.177, 0.1),  # Intervals/numbers
        (0.048, 0.06),  # Lexical entailment
        (0.061, 0.09),  # Morphological negation
        (0.123, 0.09),  # Named entities
        (0.088, 0.01),  # Negation
        (0.142, 0.21),  # Nominalization
        (0.076, 0.07),  # Non-monotone
        (0.402, 0.08),  # Prepositional phrases
        (0.056, 0.07),  # Quantifiers
        (0.0, 0.0),  # Redundancy
        (0.081, 0.05),  # Relative clauses
        (-0.094, 0.2),  # Restrictivity
        (-0.024, 0.05),  # Symmetry/collectivity
        (0.002, 0.22),  # Temporal
        (0.396, 0.19),  # Universal
        (0.292, 0.09),  # Upward monotone
        (0.09, 0.12),  # World knowledge
    ),
    "fr": (
        (0.245, 0.1),  # Active/passive
        (0.048, 0.13),  # Anaphora/coreference
        (0.076, 0.09),  # Common sense
        (0.04, 0.3),  # Conditionals
        (0.274, 0.22),  # Conjunction
        (0.088, 0.13),  # Coordination scope
        (0.14, 0.11),  # Core args
        (0.337, 0.34),  # Datives
        (0.116, 0.03),  # Disjunction
        (-0.001, 0.07),  # Double negation
        (0.031, 0.11),  # Downward monotone
        (0.113, 0.18),  # Ellipsis/implicits
        (0.355, 0.06),  # Existential
        (0.139, 0.09),  # Factivity
        (0.085, 0.22),  # Genitives/partitives
        (0.158, 0.02),  # Intersectivity
        (-0.05, 0.1),  # Intervals/numbers
        (0.077, 0.08),  # Lexical entailment
        (0.126, 0.09),  # Morphological negation
        (-0.072, 0.18),  # Named entities
        (0.057, 0.13),  # Negation
        (0.002, 0.01),  # Nominalization
        (-0.102, 0.26),  # Non-monotone
        (0.293, 0.09),  # Prepositional phrases
        (0.252, 0.17),  # Quantifiers
        (0.075, 0.24),  # Redundancy
        (0.248, 0.15),  # Relative clauses
        (-0.016, 0.04),  # Restrictivity
        (-0.143, 0.07),  # Symmetry/collectivity
        (-0.007, 0.11),  # Temporal
        (0.725, 0.15),  # Universal
        (0.3, 0.13),  # Upward monotone
        (0.09, 0.11),  # World knowledge
    ),
    "de": (
        (0.124, 0.13),  # Active/passive
        (0.26, 0.03),  # Anaphora/coreference
        (0.03, 0.04),  # Common sense
        (0.044, 0.09),  # Conditionals
        (0.259, 0.12),  # Conjunction
        (-0.125, 0.15),  # Coordination scope
        (0.27, 0.15),  # Core args
        (0.362, 0.29),  # Datives
        (0.074, 0.22),  # Disjunction
        (-0.235, 0.23),  # Double negation
        (0.012, 0.12),  # Downward monotone
        (0.031, 0.14),  # Ellipsis/implicits
        (0.249, 0.21),  # Existential
        (0.15, 0.1),  # Factivity
        (-0.027, 0.31),  # Genitives/partitives
        (0.025, 0.14),  # Intersectivity
        (-0.075, 0.1),  # Intervals/numbers
        (0.048, 0.1),  # Lexical entailment
        (0.238, 0.08),  # Morphological negation
        (0.152, 0.22),  # Named entities
        (-0.027, 0.16),  # Negation
        (0.117, 0.11),  # Nominalization
        (0.122, 0.13),  # Non-monotone
        (0.255, 0.15),  # Prepositional phrases
        (0.124, 0.11),  # Quantifiers
        (0.047, 0.16),  # Redundancy
        (0.303, 0.21),  # Relative clauses
        (0.112, 0.22),  # Restrictivity
        (-0.009, 0.18),  # Symmetry/collectivity
        (0.063, 0.13),  # Temporal
        (0.495, 0.14),  # Universal
        (0.196, 0.19),  # Upward monotone
        (0.077, 0.1),  # World knowledge
    ),
    "ru": (
        (0.31, 0.1),  # Active/passive
        (0.035, 0.23),  # Anaphora/coreference
        (0.066, 0.05),  # Common sense
        (-0.207, 0.14),  # Conditionals
        (0.056, 0.19),  # Conjunction
        (0.136, 0.07),  # Coordination scope
        (0.168, 0.14),  # Core args
        (0.268, 0.23),  # Datives
        (0.059, 0.11),  # Disjunction
        (0.041, 0.21),  # Double negation
        (0.129, 0.09),  # Downward monotone
        (0.028, 0.1),  # Ellipsis/implicits
        (0.122, 0.16),  # Existential
        (0.247, 0.04),  # Factivity
        (0.168, 0.17),  # Genitives/partitives
        (0.258, 0.08),  # Intersectivity
        (-0.06, 0.12),  # Intervals/numbers
        (0.111, 0.12),  # Lexical entailment
        (0.207, 0.18),  # Morphological negation
        (0.16, 0.14),  # Named entities
        (0.093, 0.04),  # Negation
        (0.295, 0.22),  # Nominalization
        (0.12, 0.14),  # Non-monotone
        (0.403, 0.1),  # Prepositional phrases
        (0.222, 0.19),  # Quantifiers
        (0.503, 0.23),  # Redundancy
        (0.247, 0.2),  # Relative clauses
        (-0.048, 0.3),  # Restrictivity
        (-0.202, 0.12),  # Symmetry/collectivity
        (0.093, 0.21),  # Temporal
        (0.343, 0.23),  # Universal
        (0.345, 0.19),  # Upward monotone
        (0.035, 0.09),  # World knowledge
    ),
    "sv": (
        (0.113, 0.09),  # Active/passive
        (0.228, 0.14),  # Anaphora/coreference
        (0.045, 0.08),  # Common sense
        (-0.151, 0.18),  # Conditionals
        (0.205, 0.12),  # Conjunction
        (0.019, 0.1),  # Coordination scope
        (0.388, 0.05),  # Core args
        (0.012, 0.21),  # Datives
        (-0.012, 0.21),  # Disjunction
        (0.076, 0.13),  # Double negation
        (0.066, 0.07),  # Downward monotone
        (0.18, 0.22),  # Ellipsis/implicits
        (0.333, 0.19),  # Existential
        (0.197, 0.05),  # Factivity
        (0.462, 0.26),  # Genitives/partitives
        (0.102, 0.1),  # Intersectivity
        (-0.132, 0.07),  # Intervals/numbers
        (0.076, 0.11),  # Lexical entailment
        (0.09, 0.09),  # Morphological negation
        (0.143, 0.14),  # Named entities
        (0.045, 0.1),  # Negation
        (-0.006, 0.15),  # Nominalization
        (0.063, 0.23),  # Non-monotone
        (0.38, 0.12),  # Prepositional phrases
        (0.242, 0.14),  # Quantifiers
        (0.287, 0.32),  # Redundancy
        (0.169, 0.17),  # Relative clauses
        (0.198, 0.23),  # Restrictivity
        (0.428, 0.17),  # Symmetry/collectivity
        (-0.051, 0.05),  # Temporal
        (0.345, 0.1),  # Universal
        (0.395, 0.07),  # Upward monotone
        (0.128, 0.1),  # World knowledge
    ),
}
"""Table 6: language, then category, then (mean, standard deviation) over seeds."""
