"""Agreement of judges: how alike two sets of judgments are, and what the choice of one does to systems."""

from karat.comparison.agreement.agree import agreement
from karat.comparison.agreement.findings import Effect, Statistic
from karat.comparison.agreement.result import Agreement

__all__ = ["Agreement", "Effect", "Statistic", "agreement"]
