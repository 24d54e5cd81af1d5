"""Benchmarks of karat's and other tools' time and memory: ``python -m bench``."""
