"""karat measures rankings: relevance judgments and ranked lists in, numbers out."""

from karat._version import __version__
from karat.curves import Curve, curve
from karat.difference import Difference, difference
from karat.errors import DataError, KaratError, MeasureError, PolicyError
from karat.evaluate import evaluate, evaluate_grades, evaluate_judged_ranking
from karat.explain import explain
from karat.measures import Measure, measures
from karat.policy import Policy
from karat.profiles import profiles
from karat.scores import Scores
from karat.tables import Qrels, Run

__all__ = [
    "Curve",
    "DataError",
    "Difference",
    "KaratError",
    "Measure",
    "MeasureError",
    "Policy",
    "PolicyError",
    "Qrels",
    "Run",
    "Scores",
    "__version__",
    "curve",
    "difference",
    "evaluate",
    "evaluate_grades",
    "evaluate_judged_ranking",
    "explain",
    "measures",
    "profiles",
]
