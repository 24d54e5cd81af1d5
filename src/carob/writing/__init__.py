"""Writes runs to files: converted, cut, merged, split, filtered and without repeated documents.

The input is one run or its parts, and the output is a file. ``write_run`` reads the rows and lets the kernel make the
lists, some queries at a time; ``formats`` writes the lists.
"""
