"""Agreement of judges: how alike two sets of judgments are, and what the choice of one does to systems."""

from karat.agreements.agreeing import agreement
from karat.agreements.labels import Statistic
from karat.agreements.result import Agreement
from karat.agreements.systems import Effect

__all__ = ["Agreement", "Effect", "Statistic", "agreement"]
