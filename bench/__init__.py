"""Time and memory of karat and its peers: ``python -m bench``."""
