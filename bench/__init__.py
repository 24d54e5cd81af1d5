"""Benchmarks of carob's and other tools' time and memory: ``python -m bench``."""
