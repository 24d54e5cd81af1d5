"""Turns results into text: errors, tables, translated sentences and files."""
