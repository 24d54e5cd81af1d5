"""Judging by people and by models: from pairs of queries and documents to files of judgments.

Input: a table of pairs, such as the one that ``carob next`` writes, and the texts of queries and documents. Output: a
page on which a person grades the documents, served on this machine or as one offline file, or prompts for a model; and
the judgments, as a table with probabilities or as qrels, which all other packages read.
"""
