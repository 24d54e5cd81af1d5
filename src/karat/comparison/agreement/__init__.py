"""Agreement of judges: how alike two sets of judgments are, and what the choice of one does to systems."""

from karat.comparison.agreement.agreeing import agreement
from karat.comparison.agreement.labels import Statistic
from karat.comparison.agreement.result import Agreement
from karat.comparison.agreement.systems import Effect

__all__ = ["Agreement", "Effect", "Statistic", "agreement"]
