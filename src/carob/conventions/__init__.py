"""The conventions of an evaluation: policies, profiles and requests."""

__all__: list[str] = []
