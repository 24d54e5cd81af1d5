"""Statistics on plain arrays of scores by query and run: tests, intervals, corrections and rank correlations.

Rows are queries in a fixed order (sorted by id), columns are runs; a difference is the first run's score minus the
second's. Only NumPy is imported here; functions that need scipy's special functions import them themselves.
"""

from karat.comparison.statistics.multiple_comparisons import (
    Anova,
    anova,
    benjamini_hochberg,
    bonferroni,
    holm,
    paired_tukey,
    randomised_tukey,
)
from karat.comparison.statistics.rank_correlation import Kendall, Overlap, TauAP, kendall, rbo, tau_ap
from karat.comparison.statistics.resampling import (
    RESAMPLES,
    SEED,
    Flips,
    max_flip,
    resample_means,
    sign_flip,
)
from karat.comparison.statistics.sums import all_pairs
from karat.comparison.statistics.t_test import Paired, bayes, equivalence, margin, paired, wins

__all__ = [
    "RESAMPLES",
    "SEED",
    "Anova",
    "Flips",
    "Kendall",
    "Overlap",
    "Paired",
    "TauAP",
    "all_pairs",
    "anova",
    "bayes",
    "benjamini_hochberg",
    "bonferroni",
    "equivalence",
    "holm",
    "kendall",
    "margin",
    "max_flip",
    "paired",
    "paired_tukey",
    "randomised_tukey",
    "rbo",
    "resample_means",
    "sign_flip",
    "tau_ap",
    "wins",
]
