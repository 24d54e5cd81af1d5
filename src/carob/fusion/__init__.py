"""Fuses several runs into one. The input is runs and a recipe; the output is a run.

``pooled`` reads the lists of all runs over one numbering of documents, ``normalisations`` turns the scores or ranks of
each list into points, ``formulas`` combines the points of a document, ``rules`` and ``profiles`` name the decisions
that the formulas leave open and what search engines and libraries decided, and ``fuse`` puts these together.
"""
