# This file types the module that the build writes: see [[tool.scikit-build.generate]] in pyproject.toml.

__version__: str
