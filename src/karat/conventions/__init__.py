"""What a number means: policies, profiles and requests. Names and options in, decisions out."""

__all__: list[str] = []
