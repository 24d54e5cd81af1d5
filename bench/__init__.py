"""How fast karat is beside its peers, and how much memory it takes: ``python -m bench``."""
