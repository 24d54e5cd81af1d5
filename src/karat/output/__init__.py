"""Turns values into text: errors, tables, translated sentences and files."""
