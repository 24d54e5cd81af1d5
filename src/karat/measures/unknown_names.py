"""Errors for unknown names of measures: what to write instead, or that karat lacks the measure."""

from __future__ import annotations

import re

from karat.measures.aliases import ALSO_CALLED, TABLE, canonical, folded
from karat.measures.define import REGISTER
from karat.measures.grammar import shortened
from karat.output.errors import MeasureError, Worded, by_policy, worded

__all__ = ["UnknownMeasureError", "unknown"]

BEYOND = "use karat.beyond_accuracy in Python; it takes recommended items, not judgments."
CURVE = "karat.curve in Python gives a measure at every depth, IPrec@0 to IPrec@1 give precision by recall."
JUDGES = "karat agreement compares two judges and the system orders that they lead to."
NO_ERRORS = "it measures errors of predicted ratings; karat measures rankings."
NO_MODEL = "it needs a language model or compares texts; karat measures rankings by judgments."

POINTERS: tuple[tuple[tuple[str, ...], str], ...] = (
    # Two meanings.
    (
        ("Hits", "Hits@k"),
        "it is Success@10 (whether one of the first 10 is relevant) or, in ranx, NumRelRet@10 (how many are).",
    ),
    (
        ("Accuracy", "acc"),
        "it is AUC in ir_measures, and Success@10 in sentence-transformers and BEIR.",
    ),
    (
        ("准确率", "精度"),
        "it means precision or accuracy; write P@10 for precision (精确率 and 查准率 mean P too).",
    ),
    (("平均准确率", "平均精确率"), "write AP, 平均精度 or MAP for average precision."),
    (("NERR",), "write nERR for the normalised ERR of NTCIR; karat does not have NERR8 to NERR11 of C/W/L."),
    (
        ("nRBP",),
        "write NRBP for novelty- and rank-biased precision by subtopic; karat does not have a normalised RBP.",
    ),
    (
        ("roc_auc_score", "roc_auc", "AUROC", "ROC", "RetrievalAUROC"),
        "write AUC for an area per query, AUC(micro=true) for one area over all queries, as in scikit-learn.",
    ),
    (
        ("Hole",),
        "write Unjudged@10 (not judged for this query); BEIR's hole means not judged for any query.",
    ),
    (("pAUC",), "write PartialAUC@3, the area up to the third nonrelevant document."),
    (("Diversity",), f"write ILD, the mean distance between the items of a list: {BEYOND}"),
    # The same under another name, with parameters to choose.
    (
        ("top_k_accuracy_score", "top_k_accuracy"),
        "write Success@10: whether the label is among the first 10.",
    ),
    (
        ("average_precision_score",),
        worded(
            "write AP; for scikit-learn's treatment of ties, write LRAP with ",
            Worded("profile='sklearn'", "--profile sklearn"),
            ".",
        ),
    ),
    (
        ("FallOut", "Fallout", "RetrievalFallOut", "FPR", "false_positive_rate"),
        "karat has no fallout; NumNonRelRet@10 counts the retrieved documents that are judged not relevant.",
    ),
    (("sensitivity", "TPR", "true_positive_rate"), "write R, recall."),
    (("PPV", "positive_predictive_value"), "write P, precision."),
    (
        ("MeanRank", "MR", "AvgRank", "AMR"),
        "karat has no mean rank, which is undefined for a missing document; write RR or Success@10.",
    ),
    (("ASL", "ESL", "expected_search_length"), "karat has no search length; write RR, or RecallEffort."),
    (("AUPRC", "PR-AUC", "AUCPR", "PRAUC"), "write AP, the area under the steps of precision by recall."),
    (
        (
            "PrecisionRecallCurve",
            "RetrievalPrecisionRecallCurve",
            "precision_recall_curve",
            "PRCurve",
            "roc_curve",
        ),
        CURVE,
    ),
    (("RetrievalRecallAtFixedPrecision", "RecallAtFixedPrecision"), f"karat does not have it; {CURVE}"),
    (("11pt", "11-point", "eleven_point"), "write IPrecMean."),
    (
        ("opa", "opa_metric", "ordered_pair_accuracy", "OPA"),
        "karat has no pair accuracy over all grades; write AUC, for pairs of a relevant and another document.",
    ),
    (("alpha_ndcg_metric",), "write alphanDCG@10."),
    # Not here.
    (("Compat", "Compatibility"), "karat has no compatibility (rank-biased overlap with ideal rankings)."),
    (("RBO", "rank_biased_overlap"), "karat has no rank-biased overlap of two rankings."),
    (
        ("NERR8", "NERR9", "NERR10", "NERR11"),
        "karat does not have C/W/L's approximations of ERR; write ERR@20 or nERR@20.",
    ),
    (
        ("coverage_error", "MultilabelCoverageError"),
        "karat has no coverage error; write RecallEffort, the rank at which enough relevant documents are found.",
    ),
    (
        ("label_ranking_loss", "LabelRankingLoss", "MultilabelRankingLoss", "ranking_loss"),
        "karat has no ranking loss; write AUC, 1 minus the share of wrong pairs, in which ties count one half.",
    ),
    (("O", "O-measure"), "karat does not have NTCIR's O-measure; write RR, or Q."),
    (("P+", "P-plus", "P-measure"), "karat does not have NTCIR's P-measure and P+; write RR, or Q."),
    (
        ("NCU", "NCUgu,P", "NCUgu,BR", "NCUrb,P", "NCUrb,BR"),
        "karat does not have NTCIR's normalised cumulative utility, except for its members AP, Q and nERR.",
    ),
    (("EBR", "iRBU", "RBU", "RB-ERR"), "karat does not have it; write nERR@10, RBP or ERRIA."),
    (("GAP",), "karat has no graded average precision of Robertson and others; write Q."),
    (
        ("D-nDCG", "D#-nDCG", "D#nDCG", "DnDCG", "D-measure"),
        "karat does not have NTCIR's D and D# measures; write alphanDCG@10 and SRecall@10 (I-rec).",
    ),
    (
        ("TBG", "time_biased_gain", "U-measure", "sDCG", "XCG", "nxCG"),
        "karat does not have it; write RBP, INST or BPM for measures of a user model.",
    ),
    (("NDPM", "ATOP", "wpref"), "karat does not have it; write AUC or Bpref."),
    (
        ("WSS", "work_saved_over_sampling"),
        "karat does not have it; write RecallEffort, or R at the depth that was read.",
    ),
    (("NCRR",), "karat has no cumulative reciprocal rank; write RR, or DCG(discount=rank)."),
    (
        ("ARP", "average_relevance_position"),
        "karat does not have it; write RR or nDCG, or for the popularity of items, Popularity: " + BEYOND,
    ),
    (
        ("MCC", "matthews_corrcoef", "balanced_accuracy", "specificity", "TNR"),
        "karat does not have it, since a ranking does not list true negatives; write P, R or F.",
    ),
    (
        ("debias", "DebiasedMAP", "DebiasedPrecision"),
        worded("karat has no debiased measures; query weights are ", Worded("weights=", "--weights"), "."),
    ),
    (("RMSE", "MSE", "MAE", "MAPE", "R2", "LogLoss", "Logloss", "cross_entropy"), NO_ERRORS),
    (
        (
            "faithfulness",
            "answer_relevancy",
            "answer_correctness",
            "groundedness",
            "BLEU",
            "ROUGE",
            "ROUGE-L",
            "METEOR",
            "BERTScore",
            "exact_match",
            "EM",
            "perplexity",
        ),
        NO_MODEL,
    ),
    (
        (
            "tau",
            "kendall",
            "Kendalltau",
            "kendall_tau",
            "spearman",
            "spearmanr",
            "tau_ap",
            "AP-correlation",
            "kappa",
            "cohen_kappa_score",
            "cohen_kappa",
        ),
        JUDGES,
    ),
    (
        (
            "IntraListDiversity",
            "GiniIndex",
            "ShannonEntropy",
            "AveragePopularity",
            "MIUF",
            "MeanInvUserFreq",
            "Surprisal",
            "Personalization",
            "ItemCoverage",
            "CatalogCoverage",
            "UserCoverage",
            "CategoricalDiversity",
            "LongTail",
            "APLT",
            "ACLT",
            "TailPercentage",
            "AvgRecPopularity",
            "PopularityBias",
        ),
        f"it is a measure of recommendations (docs/recommendation.md): {BEYOND}",
    ),
    (
        ("unknown_doc_rating", "ignore_unlabeled"),
        worded(
            "it is an axis of the policy: ",
            by_policy("unjudged", "removed"),
            ", or Unjudged@10 to count them.",
        ),
    ),
    (
        ("return_std", "std"),
        "it is not a measure; karat compare gives intervals, scores.by_query() gives every value.",
    ),
)
"""Names with the sentence that follows "There is no measure 'NAME': "."""

SUFFIXES = re.compile(r"(?:[-_ ]?(?:at)?[-_ ]?(?:[0-9]+|k)|[-_](?:score|metric|rate|mean))$", re.IGNORECASE)
LEVEL = re.compile(r"-l([0-9]+)$")
PERSISTENCE = re.compile(r"rbp[._-]([0-9]+)$", re.IGNORECASE)
ALIKE = 0.55
"""The smallest similarity of a suggested name."""
MOST = 3


class UnknownMeasureError(MeasureError):
    """An unknown name of a measure.

    Args:
        word: the name.
        text: the message.
        guessed: whether the message has only the nearest names, or none.
    """

    def __init__(self, word: str, text: str, *, guessed: bool = False) -> None:
        """Keep the name, so that a caller can look for it among the profiles' names."""
        super().__init__(text)
        self.word, self.guessed = word, guessed


def unknown(word: str, at: str | None = None) -> UnknownMeasureError:
    """The error for an unknown name: a known equivalent, another spelling, or the nearest names."""
    there_is_none = f"There is no measure '{shortened(word)}'"
    said = pointer(word)
    if said is not None:
        return UnknownMeasureError(word, worded(f"{there_is_none}: ", said))
    spelled = respelled(word, at)
    if spelled is not None:
        return UnknownMeasureError(word, f"{there_is_none}. Did you mean {spelled}?")
    near = nearest(word)
    hint = f"Did you mean {' or '.join(near)}?" if near else "'karat measures' lists them all."
    return UnknownMeasureError(word, f"{there_is_none}. {hint}", guessed=True)


def pointer(word: str) -> str | None:
    """The sentence of ``POINTERS`` for a name."""
    said = {folded(name): sentence for names, sentence in POINTERS for name in names}
    return said.get(folded(word))


def respelled(word: str, at: str | None = None) -> str | None:
    """karat's spelling of a name with another form of depth or parameter: ``P10``, ``rbp.95``, ``map-l2``."""
    persistence = PERSISTENCE.match(word)
    if persistence:
        return f"RBP(p=0.{persistence[1]})"
    level = LEVEL.search(word) or LEVEL.search(at or "")
    if level:
        own = canonical(LEVEL.sub("", word))
        depth = LEVEL.sub("", at) if at else ""
        return named(own, f"rel={level[1]}", depth) if own else None
    stem, depth = word, at or ""
    while SUFFIXES.search(stem):
        digits = re.search(r"[0-9]+$", stem)
        depth = digits[0] if digits else depth
        stem = SUFFIXES.sub("", stem)
        own = canonical(stem)
        if own is not None:
            return named(own, "", depth)
    return None


def named(own: str, parameter: str, depth: str) -> str:
    """A measure's name with one more parameter, and with the depth if it takes one."""
    name, _, inside = own.rstrip(")").partition("(")
    parts = ", ".join(each for each in (inside, parameter) if each)
    takes = REGISTER[name].at == "depth"
    return name + (f"({parts})" if parts else "") + (f"@{depth}" if depth and takes else "")


def nearest(word: str) -> list[str]:
    """The measures whose names or aliases are most similar to a word, the most similar first."""
    known = {name: name for name in REGISTER} | ALSO_CALLED
    known |= {
        name: each.karat.partition("@")[0]
        for name, each in TABLE.items()
        if each.karat and "(" not in each.karat
    }
    wanted = folded(word)
    likeness: dict[str, float] = {}
    for theirs, own in known.items():
        alike = likeness_of(wanted, folded(theirs))
        if alike:
            likeness[own] = max(alike, likeness.get(own, 0.0))
    return sorted(likeness, key=lambda own: -likeness[own])[:MOST]


def likeness_of(a: str, b: str) -> float:
    """The similarity of two names: 0.55 or more, or 0 for names that are too different.

    The same letters in another order and the same first letter add to the similarity.
    """
    if not a or not b or len(a) > 100 or abs(len(a) - len(b)) > max(len(a), len(b)) // 2:
        return 0.0
    from difflib import SequenceMatcher  # here, since only errors need it

    alike = SequenceMatcher(None, a, b, autojunk=False).ratio()
    swapped = sorted(a) == sorted(b)
    if alike < ALIKE and not swapped:
        return 0.0
    return max(alike, ALIKE) + 0.15 * swapped + 0.1 * (a[0] == b[0])
