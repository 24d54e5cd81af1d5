"""Judging by people and models: turns pairs of queries and documents into files of judgments.

The input is a table of pairs, such as the one that ``carob next`` writes, and the texts of queries and documents. The
output is a page on which a person grades the documents (served on this machine, or a single offline file) or prompts
for a model, and then the judgments, as a table with probabilities or as qrels. All other packages can read both
formats.
"""
