# This file declares the types of the module written by the build; see [[tool.scikit-build.generate]] in pyproject.toml.

__version__: str
