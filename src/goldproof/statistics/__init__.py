"""Arrays in, estimates out: no input or output, no torch.

Each public name is imported when first used, so that importing this package loads no scipy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "added_metrics": ("TableMetric",),
    "agreement": ("agreement_null", "directional_agreement", "lag_one_autocorrelation"),
    "bootstrap": (
        "bca_interval",
        "bootstrap_differences",
        "bootstrap_interval",
        "bootstrap_scores",
        "bootstrap_weights",
        "percentile_interval",
    ),
    "attempts": ("attempts_interval", "attempts_of"),
    "attribution": ("Attribution", "FactorPart", "attribute_variance", "deviation_factors"),
    "board": ("Board",),
    "bands": ("mid_p_bounds", "proportion_bands"),
    "categories": ("categories_interval",),
    "changes": ("Flips", "churn", "flips", "model_churn", "seed_churn"),
    "chance": ("ChanceBand", "chance_band", "clustered_chance_band", "margins_table"),
    "comparison": (
        "Comparison",
        "bootstrap_test",
        "compare",
        "compare_runs",
        "equivalence_test",
        "permutation_test",
    ),
    "components": ("VarianceComponents", "variance_components"),
    "estimate": ("Estimate",),
    "intervals": (
        "clopper_pearson",
        "mean_interval",
        "score_interval",
        "spearman_interval",
        "table_interval",
        "wilson",
    ),
    "item_scores": ("item_scores_interval", "mean_metric"),
    "metrics": ("METRICS", "Metric", "confusion", "encode_labels", "metric", "span_f1_metric", "spearman"),
    "multiplicity": ("benjamini_hochberg", "benjamini_yekutieli", "holm", "simultaneous_bands"),
    "power": (
        "detectable_difference",
        "detectable_paired",
        "detectable_unpaired",
        "half_width",
        "items_for_difference",
        "items_needed",
        "runs_needed",
    ),
    "ranking": ("Ranking", "rank_items", "rank_sets", "rank_tasks"),
    "proportions": (
        "cochran_q",
        "mcnemar",
        "paired_proportions",
        "significant_difference",
        "two_proportion_test",
        "unpaired_proportions",
    ),
    "runs": ("runs_components", "runs_interval"),
    "selection": ("BestOf", "best_of", "chosen_score", "without_luck"),
    "sets": ("PairedSet", "compare_over_sets", "shared_codes"),
    "spans": ("coded_span_counts", "find_spans", "span_counts", "span_f1"),
    "stability": ("CategorySpread", "category_spread", "correlation_interval", "pairwise_correlation"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - one list of names, kept beside their homes


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
