"""Matches runs with qrels: applies a policy to qrels and a run, and returns judged rows and counts of decisions."""
