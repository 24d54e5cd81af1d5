"""Time of a measure with each setting of the policy changed, relative to the default policy."""

from __future__ import annotations

from time import perf_counter

import carob
from bench.answer import Answer, Bar, Setting, ratio, size_of
from bench.side_by_side import Timing

CHANGED = {
    "nDCG@10": "nDCG(gain=exp2(2),discount=jk(3),ideal=uncut)@10",
    "nDCG": "nDCG(gain={1:1,2:3,3:7},discount=log(10),ideal=length)",
    "nDCG@20": "nDCG(gain={1:1,2:3,3:7},discount=jk(2),ideal=trec_eval)@20",
    "AP@10": "AP(rel=2,over=capped)@10",
    "P@10": "P(rel=2,over=capped)@10",
    "R@10": "R(rel=2,over=capped)@10",
    "F@10": "F(beta=2,rel=2,over=retrieved)@10",
    "RR": "RR(rel=2,of=highest)",
    "RBP": "RBP(p=0.8,gain=exp2,max=3)",
    "ERR": "ERR(max=5,gain=linear)",
    "Q": "Q(beta=2,gain=exp2,rel=2,over=capped)",
    "AUC": "AUC(rel=2,single=half)",
    "INST": "INST(T=2,gain=linear,max=5)",
}
LIMIT = 1.5


def ask(setting: Setting) -> list[Answer]:
    """Times one measure per call, from files in memory, alternating between the default and the changed setting."""
    made = setting.data("small")
    qrels, run = carob.Qrels.of(made.qrels), made.run.read_bytes()
    timings, bars = [], []
    for plain, changed in CHANGED.items():
        pair = [Timing(f"carob {name}") for name in (plain, changed)]
        for _ in range(setting.times(21)):
            for name, each in zip((plain, changed), pair):
                start = perf_counter()
                carob.evaluate(qrels, run, name)
                each.seconds.append(perf_counter() - start)
        timings += pair
        bars.append(Bar(f"{changed} against {plain}", "at most", LIMIT, ratio(*pair), "times as long"))
    return [Answer("every axis changed", f"{made.run.name}, {size_of(made.run)}", timings, bars)]
