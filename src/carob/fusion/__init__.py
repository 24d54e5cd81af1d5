"""Fuses several runs into one, according to a recipe.

``pooled`` reads the lists of all runs and numbers their documents, ``methods`` describes the methods and
normalisations, ``rules`` defines the decisions that the formulas leave open, ``profiles`` contains the decisions of
search engines and libraries, ``recipe`` validates the settings, and ``fuse`` combines them. The kernel computes the
fused lists.
"""
