"""Converts results to text: errors, tables, translated sentences and files."""
