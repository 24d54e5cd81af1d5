"""pytrec_eval-terrier against its profile."""

from __future__ import annotations

import pytest

from peers.small_cases import check_equal, small_cases

pytrec_eval = pytest.importorskip("pytrec_eval", reason="needs pytrec_eval-terrier, of the extra 'peers'")

NAMES = [
    "map",
    "map_cut_5",
    "ndcg",
    "ndcg_cut_5",
    "P_5",
    "recall_5",
    "recip_rank",
    "Rprec",
    "bpref",
    "infAP",
    "11pt_avg",
]


@pytest.mark.parametrize("negative", [False, True], ids=["no negative grades", "negative grades"])
def test_every_query(negative: bool) -> None:
    cases = small_cases(missing=True, negative=negative, empty=not negative)
    theirs = pytrec_eval.RelevanceEvaluator(cases.qrels, pytrec_eval.supported_measures).evaluate(cases.run)
    for name in NAMES:
        check_equal(cases, "pytrec_eval", name, {query: values[name] for query, values in theirs.items()})
