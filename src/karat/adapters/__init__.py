"""karat where another library asks for its own kind of object: a file each, which imports it when called."""

__all__: list[str] = []
