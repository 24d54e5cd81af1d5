"""Hand-worked values: each expectation is arithmetic that a reader can redo from the lists beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import log, log2, log10, pi
from typing import Any

from carob import evaluate_grades
from carob.measures import REGISTER, Number, OneOf

OF_LISTS = {name: each for name, each in REGISTER.items() if each.takes != "recommendations"}
"""The measures of judged lists: all but those of recommendations."""


@dataclass(frozen=True)
class Case:
    """A measure, ranked grades (None: unjudged), all judged grades, and the value."""

    measure: str
    ranked: list[float | None]
    judged: list[float]
    value: float

    def check(self) -> None:
        """Compare with what carob says, to the precision of the arithmetic written here."""
        found = evaluate_grades([self.ranked], [self.measure], judged=[self.judged])
        value = found.matrix[0, 0]
        assert abs(value - self.value) <= 1e-12 * max(1.0, abs(self.value)), (self.measure, value, self.value)


# Ranks 1 to 5: highly relevant, judged not relevant, unjudged, relevant, pooled but unjudged. One document of
# grade 3 is not retrieved. So R = 3 relevant, N = 2 judged not relevant, n = 5 retrieved.
MIXED: list[float | None] = [2, 0, None, 1, -1]
POOL: list[float] = [2, 0, 1, -1, 3, 0]
# Ranks 1 to 3: judged not relevant, relevant, relevant; everything judged was retrieved but one document.
LATE: list[float | None] = [0, 1, 1]
LATE_POOL: list[float] = [0, 1, 1, 0]
# Pooled but unjudged, unjudged, relevant: the two kinds of unjudged differ for infAP.
SAMPLED: list[float | None] = [-1, None, 1]
SAMPLED_POOL: list[float] = [-1, 1]

IDEAL_1, IDEAL_2, IDEAL_3 = 3, 3 + 2 / log2(3), 3 + 2 / log2(3) + 1 / log2(4)
DCG_5 = 2 + 1 / log2(5)

CASES = [
    Case("NumQ", MIXED, POOL, 1),
    Case("NumRet", MIXED, POOL, 5),
    Case("NumRet@3", MIXED, POOL, 3),
    Case("NumRel", MIXED, POOL, 3),
    Case("NumRel(rel=2)", MIXED, POOL, 2),
    Case("NumRelRet", MIXED, POOL, 2),
    Case("NumNonRelRet", MIXED, POOL, 1),
    Case("P@5", MIXED, POOL, 2 / 5),
    Case("P@10", MIXED, POOL, 2 / 10),
    Case("P(over=retrieved)@10", MIXED, POOL, 2 / 5),
    Case("P(rel=2)@5", MIXED, POOL, 1 / 5),
    Case("P(over=capped)@2", MIXED, POOL, 1 / 2),
    Case("P(over=capped)@5", MIXED, POOL, 2 / 3),
    Case("F@5", MIXED, POOL, 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)),
    Case("F(beta=2)@5", MIXED, POOL, 5 * (2 / 5) * (2 / 3) / (4 * 2 / 5 + 2 / 3)),
    Case("F(over=retrieved)@10", MIXED, POOL, 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)),
    Case("F", [0], [1], 0),
    Case("E@5", MIXED, POOL, 1 - 2 / (1 / (2 / 5) + 1 / (2 / 3))),
    Case("E(b=2)@5", MIXED, POOL, 1 - 5 / (1 / (2 / 5) + 4 / (2 / 3))),
    Case("E", [0], [1], 1),
    Case("R@5", MIXED, POOL, 2 / 3),
    Case("R@3", MIXED, POOL, 1 / 3),
    Case("R", MIXED, POOL, 2 / 3),
    Case("R(over=capped)@2", MIXED, POOL, 1 / 2),
    Case("R(over=capped)@4", MIXED, POOL, 2 / 3),
    Case("Success@1", MIXED, POOL, 1),
    Case("Success@1", LATE, LATE_POOL, 0),
    Case("Rprec", MIXED, POOL, 1 / 3),
    Case("Rprec(mean=found)", MIXED, POOL, 1 / 3),
    Case("Rprec(times=2)", MIXED, POOL, 2 / 6),
    Case("Rprec(times=0.2)", MIXED, POOL, 1 / 1),
    Case("SetP", MIXED, POOL, 2 / 5),
    Case("SetAP", MIXED, POOL, (2 / 5) * (2 / 3)),
    Case("SetF", MIXED, POOL, 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)),
    Case("SetF(weight=0.5)", MIXED, POOL, 1.5 * (2 / 5) * (2 / 3) / (2 / 3 + 0.5 * 2 / 5)),
    Case("Utility", MIXED, POOL, 2 - 3),
    Case("Utility(c=-0.5,d=0.01,collection=100)", MIXED, POOL, 2 - 3 - 0.5 * 1 + 0.01 * (100 + 2 - 5 - 3)),
    Case("Unjudged@5", MIXED, POOL, 2 / 5),
    Case("Unjudged@10", MIXED, POOL, 2 / 10),
    Case("Judged@5", MIXED, POOL, 3 / 5),
    Case("Judged@10", MIXED, POOL, 3 / 5),
    Case("Judged(over=depth)@10", MIXED, POOL, 3 / 10),
    Case("AP", MIXED, POOL, (1 / 1 + 2 / 4) / 3),
    Case("AP@3", MIXED, POOL, (1 / 1) / 3),
    Case("AP(over=retrieved)", MIXED, POOL, (1 / 1 + 2 / 4) / 2),
    Case("AP(over=capped)@2", MIXED, POOL, (1 / 1) / 2),
    Case("AP(over=length)@10", [1, 0], [1, 1, 1], (1 / 1) / 2),
    Case("AP(over=depth)@4", MIXED, POOL, (1 / 1 + 2 / 4) / 4),
    Case("AP(rel=2)", MIXED, POOL, (1 / 1) / 2),
    Case("ListedAP", MIXED, POOL, (1 / 1 + 2 / 4) / 3),
    Case("ListedAP@2", LATE, LATE_POOL, (1 / 2) / 2),
    Case("MeanP@3", LATE, LATE_POOL, (0 / 1 + 1 / 2 + 2 / 3) / 3),
    Case("MeanP", LATE, LATE_POOL, (0 / 1 + 1 / 2 + 2 / 3) / 3),
    Case("MeanP@5", [1, 0], [1], (1 / 1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5),
    Case("Q", MIXED, POOL, ((1 + 2) / (1 + 3) + (2 + 3) / (4 + 6)) / 3),
    Case("Q(beta=2)", MIXED, POOL, ((1 + 4) / (1 + 6) + (2 + 6) / (4 + 12)) / 3),
    Case("Q(beta=0)", MIXED, POOL, (1 / 1 + 2 / 4) / 3),
    Case("Q(over=capped)@2", MIXED, POOL, ((1 + 2) / (1 + 3)) / 2),
    Case("Q(gain=exp2,rel=2)", MIXED, POOL, ((1 + 3) / (1 + 7)) / 2),
    Case("GMAP", MIXED, POOL, (1 / 1 + 2 / 4) / 3),
    Case("infAP", MIXED, POOL, (1 + (1 / 4 + (3 / 4) * (2 / 3) * (1.00001 / 2.00002))) / 3),
    Case("infAP", SAMPLED, SAMPLED_POOL, 1 / 3 + (2 / 3) * (1 / 2) * (0.00001 / 0.00002)),
    Case("Bpref", MIXED, POOL, (1 + (1 - 1 / 2)) / 3),
    Case("Bpref", [0, 0, 0, 1], [0, 0, 0, 1, 1], (1 - 2 / 2) / 2),
    Case("GMBpref", MIXED, POOL, (1 + (1 - 1 / 2)) / 3),
    Case("IPrec@0", MIXED, POOL, 1 / 1),
    Case("IPrec@0", LATE, LATE_POOL, 2 / 3),
    Case("IPrec@0.5", MIXED, POOL, 2 / 4),
    Case("IPrec@0.9", MIXED, POOL, 0),
    Case("IPrec(rounding=up)@0.4", MIXED, POOL, 2 / 4),
    Case("IPrec@0.4", MIXED, POOL, 1 / 1),
    Case("IPrecMean", MIXED, POOL, (5 * 1 + 4 * (2 / 4) + 2 * 0) / 11),
    Case("IPrecMean(points=[0.5,1])", MIXED, POOL, (2 / 4 + 0) / 2),
    Case("YAAP", LATE, LATE_POOL, log((1 + 1 / 2 + 2 / 3) / (1 + 2 - 1 / 2 - 2 / 3))),
    Case("CG", MIXED, POOL, 3),
    Case("CG(gain=binary)@1", MIXED, POOL, 1),
    Case("CG(gain=linear(2))", [3, 2, 1], [3, 2, 1], 3 + 2),
    Case("CG(gain=exp2(2))", [3, 2, 1], [3, 2, 1], (2**2 - 1) + (2**1 - 1)),
    Case("CG(gain=binary(2))", [3, 2, 1], [3, 2, 1], 1 + 1),
    Case("nCG", MIXED, POOL, 3 / 6),
    Case("nCG@2", MIXED, POOL, 2 / (3 + 2)),
    Case("DCG", MIXED, POOL, DCG_5),
    Case("DCG(gain=exp2)", MIXED, POOL, 3 + 1 / log2(5)),
    Case("DCG(discount=jk(2))", MIXED, POOL, 2 + 1 / log2(4)),
    Case("DCG(discount=jk(3))", [1, 1, 1, 1], [1, 1, 1, 1], 1 + 1 + 1 + 1 / (log(4) / log(3))),
    Case("DCG(discount=none)", MIXED, POOL, 3),
    Case("DCG(discount=ln)", MIXED, POOL, 2 / log(1 + 1) + 1 / log(4 + 1)),
    Case("DCG(discount=log(10))", MIXED, POOL, 2 / log10(1 + 1) + 1 / log10(4 + 1)),
    Case("DCG(discount=ln_rank)", MIXED, POOL, 2 + 1 / log(4)),
    Case("DCG(discount=ln_rank)", [1, 1], [1, 1], 1 + 1 / log(2)),
    Case("DCG(discount=log_rank(10))", MIXED, POOL, 2 + 1 / log10(4)),
    Case("DCG(discount=log_rank(2))", [1, 1, 1], [1, 1, 1], 1 + 1 + 1 / log2(3)),
    Case("DCG(discount=rank)", MIXED, POOL, 2 / 1 + 1 / 4),
    Case("DCG(gain={1:5,2:0.5})", MIXED, POOL, 0.5 + 5 / log2(5)),
    Case("DCG(gain={-1:1})", MIXED, POOL, 2 + 1 / log2(4) + 1 / log2(5)),
    Case("DCG(gain={-2:1})", MIXED, POOL, 2 + 1 / log2(5) + 1 / log2(6)),
    Case("IDCG", MIXED, POOL, IDEAL_3),
    Case("IDCG@2", MIXED, POOL, IDEAL_2),
    Case("nDCG", MIXED, POOL, DCG_5 / IDEAL_3),
    Case("nDCG@1", MIXED, POOL, 2 / 3),
    Case("nDCG(gain=exp2)@1", MIXED, POOL, 3 / 7),
    Case("nDCG(ideal=retrieved)@1", [1, 3], [1, 3, 5], 1 / 3),
    Case("nDCG(ideal=top)@1", [1, 3], [1, 3, 5], 1),
    Case("nDCG(ideal=top)@2", [0, 2, 3], [2, 3], 1 / log2(3)),
    Case("nDCG(ideal=top)", [1, 3], [1, 3, 5], (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
    Case("nDCG(ideal=top)@2", [0, 0, 3], [3], 0),
    Case("nDCG(ideal=depth)@3", [1, 0, 1], [1, 1], (1 + 1 / 2) / (1 + 1 / log2(3) + 1 / 2)),
    Case("nDCG(ideal=uncut)@1", MIXED, POOL, 2 / IDEAL_3),
    Case("nDCG(ideal=length)@3", [0, 1], [1, 1, 1], (1 / log2(3)) / (1 + 1 / log2(3))),
    Case("nDCG(ideal=full)@3", [0, 1], [1], (1 / log2(3)) / (1 + 1 / log2(3))),
    # SDCG of C/W/L: one document of gain 1 at the top of five ranks.
    Case("nDCG(ideal=depth)@5", [1], [1], 1 / sum(1 / log2(rank + 1) for rank in range(1, 6))),
    Case("nDCG(gain={1:0.9,2:0.3})", MIXED, [2, 0, 1], (0.3 + 0.9 / log2(5)) / (0.9 + 0.3 / log2(3))),
    Case("SDCG@3", LATE, LATE_POOL, (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3) + 1 / 2)),
    Case("SDCG@2", [1], [1], 1 / (1 + 1 / log2(3))),
    Case("SDCG(gain=linear,max=4)@2", MIXED, POOL, (2 / 4) / (1 + 1 / log2(3))),
    Case("SDCG(gain=exp2,max=2,discount=none)@4", MIXED, POOL, (3 / 3 + 1 / 3) / 4),
    Case("nDCGrel", MIXED, POOL, (2 / 3 + DCG_5 / IDEAL_3 + DCG_5 / IDEAL_3) / 3),
    Case("RnDCG", MIXED, POOL, (2 / 3 + 2 / IDEAL_2 + 2 / IDEAL_3 + DCG_5 / IDEAL_3) / 4),
    Case("RnDCG", [1, 0, 1, 0], [1, 1, 1], (1 + 1 / 2) / (1 + 1 / log2(3) + 1 / 2)),
    Case("G", MIXED, POOL, (2 / log2(2 + 3 - 2) + 1 / log2(2 + 7 - 3)) / 6),
    Case("binG", MIXED, POOL, (1 / log2(2 + 0) + 1 / log2(2 + 2)) / 3),
    Case("RR", MIXED, POOL, 1),
    Case("RR", LATE, LATE_POOL, 1 / 2),
    Case("RR@1", LATE, LATE_POOL, 0),
    Case("RR(of=highest)", [1, 0, 2], [1, 0, 2], 1 / 3),
    Case("RR(of=highest)@2", [1, 0, 2], [1, 0, 2], 1 / 1),
    Case("RR(of=highest)", LATE, LATE_POOL, 1 / 2),
    Case("RR(of=each)", LATE, LATE_POOL, (1 / 2 + 1 / 3) / 2),
    Case("ERR", MIXED, POOL, 3 / 16 + (1 - 3 / 16) * (1 / 16) / 4),
    Case("ERR(max=2)", MIXED, POOL, 3 / 4 + (1 - 3 / 4) * (1 / 4) / 4),
    Case("ERR@3", MIXED, POOL, 3 / 16),
    # CatBoost: the label itself is the chance to stop.
    Case("ERR(gain=linear,max=0)", [0.5, 1], [0.5, 1], 0.5 + 0.5 * 1 / 2),
    Case(
        "nERR",
        MIXED,
        POOL,
        (3 / 16 + (13 / 16) * (1 / 16) / 4)
        / (7 / 16 + (9 / 16) * (3 / 16) / 2 + (9 / 16) * (13 / 16) * (1 / 16) / 3),
    ),
    Case("nERR@1", MIXED, POOL, (3 / 16) / (7 / 16)),
    Case("RBP", MIXED, POOL, 0.1 * (2 / 3 + (1 / 3) * 0.9**3)),
    Case("RBP(p=0.5)", LATE, LATE_POOL, 0.5 * (0.5 + 0.5**2)),
    Case("RBP(p=0.8,rel=1)", MIXED, POOL, 0.2 * (1 + 0.8**3)),
    Case("RBP(p=0.8,max=4)", MIXED, POOL, 0.2 * (2 / 4 + (1 / 4) * 0.8**3)),
    Case("RBP(p=0.8,max=none)", MIXED, POOL, 0.2 * (2 + 1 * 0.8**3)),
    Case("RBP(p=0.5,gain=exp2,max=2)", MIXED, POOL, 0.5 * (3 / 3 + (1 / 3) * 0.5**3)),
    Case("RBPresid", MIXED, POOL, 0.9**5 + 0.1 * (0.9**2 + 0.9**4)),
    Case("RBPresid", LATE, LATE_POOL, 0),
    Case("RBPresid(tail=always)", LATE, LATE_POOL, 0.9**3),
    Case("RBPresid(tail=always)", MIXED, POOL, 0.9**5 + 0.1 * (0.9**2 + 0.9**4)),
    # The sum of 1 / m^2 over all m is pi^2 / 6.
    Case("INSQ", [1, 0, 1], [1, 1], (1 / 2**2 + 1 / 4**2) / (pi**2 / 6 - 1)),
    Case("INSQ(T=2)", [1, 0, 1], [1, 1], (1 / 4**2 + 1 / 6**2) / (pi**2 / 6 - 1 - 1 / 4 - 1 / 9)),
    Case("INSQ@2", [1, 0, 1], [1, 1], (1 / 2**2) / (1 / 2**2 + 1 / 3**2)),
    Case("INSQ(gain=linear,max=2)@2", [1, 2], [1, 2], (0.5 / 2**2 + 1 / 3**2) / (1 / 2**2 + 1 / 3**2)),
    # After rank 1 nothing more is wanted, so 1/4 go on; then (2/3)^2 of them; after the second one (2/3)^2.
    Case("INST@3", [1, None, 1], [1, 1], (1 + 1 / 9) / (1 + 1 / 4 + 1 / 9)),
    Case("INST@4", [1, None, 1], [1, 1], (1 + 1 / 9) / (1 + 1 / 4 + 1 / 9 + 4 / 81)),
    Case("INST@5", [1, None, 1], [1, 1], (1 + 1 / 9) / (1 + 1 / 4 + 1 / 9 + 4 / 81 * (1 + (3 / 4) ** 2))),
    Case(
        "INST",
        [1, None, 1],
        [1, 1],
        (1 + 1 / 9) / (1 + 1 / 4 + 1 / 9 + 4 / 81 * 9 * (pi**2 / 6 - 1 - 1 / 4)),
    ),
    Case("INST(gain=linear,max=2)@2", [1, 2], [1, 2], (1 / 2 + 1 * 0.36) / (1 + 0.36)),
    Case("BPM", LATE, LATE_POOL, 1 / 2),
    Case("BPM(T=2)", LATE, LATE_POOL, 2 / 3),
    Case("BPM(T=5)", LATE, LATE_POOL, 2 / 10),
    Case("BPM(T=5,K=2)", LATE, LATE_POOL, 1 / 2),
    Case("BPM(gain=linear,max=2)", [1, 2], [1, 2], (1 / 2 + 2 / 2) / 2),
    Case("AUC", MIXED, POOL, (3 + 1) / (2 * 3)),
    Case("AUC@3", LATE, LATE_POOL, 0),
    Case("AUC@1", MIXED, POOL, 0),
    Case("AUC(single=half)@1", MIXED, POOL, 0.5),
    Case("AUC(single=one)@1", MIXED, POOL, 1),
    # Of 5 * 4 / 2 pairs those with the higher grade above: 4 of rank 1, 1 of rank 4, and 3 of equal grades.
    Case("ListedAUC", MIXED, POOL, (4 + 1 + 3) / 10),
    Case("ListedAUC", LATE, LATE_POOL, (0 + 1) / 3),
    Case("AUC(rel=2)", MIXED, POOL, 4 / (1 * 4)),
    Case("GAUC", MIXED, POOL, (3 + 1) / (2 * 3)),
    Case("PartialAUC@2", MIXED, POOL, (2 + 0) / (2 * 3)),
    Case("PartialAUC@5", MIXED, POOL, (5 + 3) / (5 * 3)),
    Case("PartialAUC(over=capped)@1", LATE, LATE_POOL, 0),
    Case("PartialAUC(over=capped)@2", MIXED, POOL, (2 + 0) / (2 * 2)),
    Case("CoverageRatio", MIXED, POOL, 1 / 2),
    Case("CoverageRatio(known=1)", MIXED, POOL, 2 / 3),
    Case("NoveltyRatio", MIXED, POOL, 1 / 2),
    Case("NoveltyRatio@1", MIXED, POOL, 0),
    Case("NoveltyRatio(known=3)", MIXED, POOL, 2 / 2),
    Case("RelativeRecall", MIXED, POOL, 2 / 10),
    Case("RelativeRecall(wanted=1)", MIXED, POOL, 1),
    Case("RecallEffort(wanted=2)", MIXED, POOL, 2 / 4),
    Case("RecallEffort(wanted=2,rel=2)", MIXED, POOL, 0),
    # A review of 7 documents: 5 judged, and 2 retrieved without a judgment. The third relevant one is missing.
    Case("WSS@95%", MIXED, POOL, (7 - 7) / 7 - 0.05),
    Case("WSS(unreached=zero)@95%", MIXED, POOL, 0),
    Case("WSS@50%", MIXED, POOL, (7 - 4) / 7 - 0.5),
    Case("WSS(rounding=floor)@50%", MIXED, POOL, (7 - 1) / 7 - 0.5),
    Case("WSS(rounding=even)@50%", MIXED, POOL, (7 - 4) / 7 - 0.5),
    Case("WSS(collection=larger)@50%", MIXED, POOL, (5 - 4) / 5 - 0.5),
    Case("WSS(collection=10)@50%", MIXED, POOL, (10 - 4) / 10 - 0.5),
    Case("WSS@95%", LATE, LATE_POOL, (4 - 3) / 4 - 0.05),
    Case("WSS(rounding=nearest)@25%", LATE, LATE_POOL, (4 - 2) / 4 - 0.75),
    Case("WSS(rel=2)@95%", LATE, LATE_POOL, 0.95 - 1),
    # The steps 0, 2/3, 4/3 and 2 are rounded to 0, 1, 1 and 2: a random order has 2 relevant documents at rank 4.
    Case("WSS(sampling=rounded)@95%", LATE, LATE_POOL, (4 - 3) / 4),
    Case("R@50%", MIXED, POOL, 1 / 3),
    Case("R(rounding=ceiling)@50%", MIXED, POOL, 2 / 3),
    Case("R(rounding=nearest)@50%", MIXED, POOL, 2 / 3),
    Case("R(rounding=even)@50%", MIXED, POOL, 2 / 3),
    Case("R(collection=10)@50%", MIXED, POOL, 2 / 3),
    Case("R@100%", MIXED, POOL, 2 / 3),
    Case("R@50%", LATE, LATE_POOL, 1 / 2),
    # A tenth of 20 judged documents is 2: the last multiple of it before 4 documents is 2, and before the end 3 is 2.
    Case("R(rounding=tenths)@20%", LATE, [1, 1, *[0] * 18], 1 / 2),
    Case("R(rounding=tenths)@100%", LATE, [1, 1, *[0] * 18], 1 / 2),
    Case("LastRel", MIXED, POOL, 7),
    Case("LastRel(unreached=found)", MIXED, POOL, 4),
    Case("LastRel(collection=10)", MIXED, POOL, 10),
    Case("LastRel", LATE, LATE_POOL, 3),
    Case("LastRel(of=share)", LATE, LATE_POOL, 3 / 4),
    Case("RecallArea", MIXED, POOL, ((7 - 1 + 0.5) + (7 - 4 + 0.5)) / (3 * 7 - 3 * 3 / 2)),
    Case("RecallArea(collection=larger)", MIXED, POOL, ((5 - 1 + 0.5) + (5 - 4 + 0.5)) / (3 * 5 - 3 * 3 / 2)),
    Case("LossER", MIXED, POOL, (1 / 3) ** 2 + (100 / 7) ** 2 * (5 / 103) ** 2),
    Case("LossER(of=recall)", MIXED, POOL, (1 / 3) ** 2),
    Case("LossER(of=effort, b=10)", MIXED, POOL, (10 / 7) ** 2 * (5 / 13) ** 2),
]

FAR = [math.inf, -math.inf, math.nan, 1e308, -1e308, 1e400, 5e-324, 10**400]
"""Outside every range, or at the ends of the doubles."""


def ends(declared: Number) -> tuple[list[float], list[float]]:
    """Numbers inside a range, its ends among them, and outside."""
    low, high = declared.lowest, declared.highest
    middle = [(low + high) / 2, low + (high - low) / 3, math.nextafter(low, high), math.nextafter(high, low)]
    inside = [high, *middle, *([] if declared.above else [low])]
    outside = [
        math.nextafter(low, -math.inf),
        math.nextafter(high, math.inf),
        *([low] if declared.above else []),
    ]
    return inside, outside


def tried(declared: OneOf | Number) -> tuple[list[Any], list[Any]]:
    """Values that a parameter takes, and values that it must refuse."""
    if isinstance(declared, Number):
        inside, outside = ends(declared)
        outside += [each for each in FAR if not declared.holds(each)]
        if isinstance(declared.default, tuple):
            return [(each,) for each in inside] + [tuple(inside)], [(each,) for each in outside] + [()]
        return inside, outside
    number_in, number_out = ends(declared.number)
    taken: list[Any] = []
    refused: list[Any] = ["", "best", "number", "jk", "jk(", "jk(-1)", "exp2(nan)", "log(inf)", ("a",)]
    for word in declared.words:
        if word == "number":
            taken += number_in
            refused += [*number_out, *(each for each in FAR if not declared.number.accepts(each))]
        elif "(" in word:
            name = word.partition("(")[0]
            shown = [f"{each:.6f}" for each in number_in if 0 <= each < 1e7]
            taken += [f"{name}({each})" for each in shown if declared.number.holds(float(each))]
            refused += [f"{name}({each})" for each in ("1" * 400, f"{2 * declared.number.highest:.1f}")]
        else:
            taken.append(word)
    return taken, refused


TABLES = [((1.0, 5.0), (2.0, 0.5)), ((0.0, 0.0),), ((3.0, 1e9),), ((1.0, 1e-9),), ((-1.0, 1.0),)]
"""Tables of grades and gains."""
