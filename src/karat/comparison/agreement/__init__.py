"""Agreement of judges: two sets of qrels come in, and runs if wanted; κ, α and the effect on systems go out."""

from karat.comparison.agreement.agree import agreement
from karat.comparison.agreement.findings import Effect, Statistic
from karat.comparison.agreement.result import Agreement

__all__ = ["Agreement", "Effect", "Statistic", "agreement"]
