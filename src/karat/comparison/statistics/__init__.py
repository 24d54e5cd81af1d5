"""Significance on plain numbers: tests, intervals, corrections, orders and judges, from score matrices alone.

Rows are queries and stand in a fixed order (sorted by id), columns are runs; a difference is the first run's score
minus the second's. Only NumPy is imported here, and scipy's special functions by those who need them.
"""

from karat.comparison.statistics.bootstrap import bootstrap, rank_interval, resample_means
from karat.comparison.statistics.corrections import benjamini_hochberg, bonferroni, holm
from karat.comparison.statistics.flips import Flips, max_flip, sign_flip
from karat.comparison.statistics.grid import all_pairs
from karat.comparison.statistics.intervals import Paired, bayes, equivalence, margin, paired, wins
from karat.comparison.statistics.judges import confusion, gwet, kappa, krippendorff
from karat.comparison.statistics.orders import Kendall, Overlap, TauAP, kendall, rbo, tau_ap
from karat.comparison.statistics.signs import RESAMPLES, SEED
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
    "confusion",
    "equivalence",
    "gwet",
    "holm",
    "kappa",
    "kendall",
    "krippendorff",
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
