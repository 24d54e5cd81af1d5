"""Qrels and runs from files, dicts, frames and engines. Whatever a user has in, judged rows and ranked documents out."""
