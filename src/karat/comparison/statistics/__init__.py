"""Statistics on plain arrays: scores by query and run in; tests, intervals, corrections and rank correlations out.

Rows are queries in a fixed order (sorted by id), columns are runs; a difference is the first run's score minus the
second's. Only NumPy is imported here; functions that need scipy's special functions import them themselves.
"""

from karat.comparison.statistics.bootstrap import bootstrap, rank_interval, resample_means
from karat.comparison.statistics.corrections import benjamini_hochberg, bonferroni, holm
from karat.comparison.statistics.randomisation import RESAMPLES, SEED, Flips, max_flip, sign_flip
from karat.comparison.statistics.rank_correlation import Kendall, Overlap, TauAP, kendall, rbo, tau_ap
from karat.comparison.statistics.sums import all_pairs
from karat.comparison.statistics.t_test import Paired, bayes, equivalence, margin, paired, wins
from karat.comparison.statistics.tukey import Anova, anova, paired_tukey, randomised_tukey

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
    "bootstrap",
    "equivalence",
    "holm",
    "kendall",
    "margin",
    "max_flip",
    "paired",
    "paired_tukey",
    "randomised_tukey",
    "rank_interval",
    "rbo",
    "resample_means",
    "sign_flip",
    "tau_ap",
    "wins",
]
