"""One module per library, each with the same three names.

``label`` is the distribution that is timed. ``prepare(qrels, run)`` reads two files with the library's own reader and
returns the input of its evaluation. ``run(qrels, run)`` returns the means of ``MEASURES``, in order, from the result of
``prepare`` or from dicts.
"""

MEASURES = ("AP", "RR", "nDCG@10", "nDCG", "P@10", "R@1000")
"""The measures that every peer computes, with carob's names."""
