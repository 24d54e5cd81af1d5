"""One file per library, each with the same three names.

``label``: the distribution that is timed. ``prepare(qrels, run)``: what its evaluation takes, read from two files with
its own reader. ``run(qrels, run)``: the means of ``MEASURES`` in their order, from what ``prepare`` gave or from dicts.
"""

MEASURES = ("AP", "RR", "nDCG@10", "nDCG", "P@10", "R@1000")
"""The measures that every peer computes, by carob's names."""
