"""Holds cases for trec_eval's face, and as a program records what the real trec_eval makes of them.

``python tests/compat/trec_eval_cases.py TREC_EVAL_10 TREC_EVAL_9``, with the paths of both programs as their own
Makefiles build them (v10.0 and v9.0.8 of usnistgov/trec_eval), writes the golden file anew.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

GOLDEN = Path(__file__).with_name("trec_eval_golden.json")

# Two judged queries; ties, an unjudged document (u), a pooled one that was left unjudged (p), grades 0 to 3.
QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n1 0 p -1\n1 0 e 3\n2 0 a 0\n2 0 x 1\n2 0 y 1\n"
RUN = (
    "1 Q0 b 1 9.5 t\n1 Q0 a 2 9.5 t\n1 Q0 u 3 8 t\n1 Q0 p 4 7.25 t\n1 Q0 c 5 1e0 t\n"
    "2 Q0 y 1 0x10 t\n2 Q0 n 2 3 t\n2 Q0 x 3 -inf last\n"
)
GROUPS = "1 g1 a 1\n1 g1 b 0\n1 g2 b 2\n1 g2 c 1\n1 g2 u -1\n2 only y 1\n2 only x 1\n"
LEVELS = "1 g1 a 2\n1 g1 b 0\n1 g1 c 1.5\n1 g1 z 0\n1 g2 b 1\n1 g2 a 0\n1 g2 u 0\n2 g y 1\n2 g x 1\n2 g q 0\n"
PREFERENCES = (
    "1 g s1 a 2\n1 g s1 b 1\n1 g s2 b 1\n1 g s2 c 0\n1 h s a 0\n1 h s c 1\n1 h s u 0\n2 g s x 1\n2 g s y 0\n"
)
BASE = {
    "qrels": QRELS,
    "run": RUN,
    "short": "1 Q0 c 1 2 one\n",
    "twice": RUN + "2 Q0 y 9 -5 t\n",
    "groups": GROUPS,
    "levels": LEVELS,
    "prefs": PREFERENCES,
    "cycle": "1 g s1 a 2\n1 g s1 b 1\n1 g s2 b 2\n1 g s2 a 1\n",
    "zero": "1 g s1 a 2\n1 g s1 b 1\n1 g s2 a 0\n1 g s2 c 1\n",
    "two-levels": "1 g s a 2\n1 g s b 1\n1 g s a 1\n",
    "negative": "1 0 a -1\n2 0 x 1\n",
    "empty": "",
    "blank": "1 0 a 1\n\n2 0 x 1\n",
    "comments": "# one\n1 0 a 1\n#two\n2 0 x 1",
    "odd": "1\t0\va\f+2kg\r\n 2 0  x 1e3 \r\n",
    "five": "1 0 a 1 more\n2 0 x 1\n",
    "jg-twice": "1 g a 1\n1 g a 0\n",
    "z": "1 map 0.5 0.25\n2 map 0.1 0\n1 P_5 .2 2e-1\n1 num_ret 5 0\n2 zzz 0 1\n3 a 0 1\n1 zzz 0 1\n",
    "z-bad": "1 map 0.5\n",
}
GRADES = ("0", "1", "1", "2", "3", "-1", "-2", "4", "10", "+1", "1.7", "01", "x", "999")
SCORES = (
    *("0", "-0", "1", "1.0", "1.00000001", "16777217", "16777216", "1e5", "1E-5", ".5", "5.", "-3"),
    *("+2", "1e39", "1e-46", "1e400", "inf", "-inf", "INFINITY", "0x10", "0x1p3", "1d3", "1_0", "abc", "1,5"),
)
IDS = ("d1", "d2", "d3", "D1", "d10", "d01", "é", "ß", "\uff441", "d-1", "a/b", "~", "!", "z" * 60)
SCRAPS = (
    "",
    " ",
    "\t",
    "\r",
    "\n",
    "\n\n",
    "  ",
    "\v",
    "#",
    "\ufeff",
    "\x01",
    "1",
    "q1",
    "-",
    "\xa0",
    "q1 0 d1 1\n",
)
MEASURES = (
    *("all_trec", "official", "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall"),
    *(
        "P",
        "P.1,3,5",
        "recall.2",
        "ndcg",
        "ndcg_cut.3",
        "map_cut.2",
        "ndcg.1=3,2=1",
        "ndcg_rel",
        "Rndcg",
        "binG",
    ),
    *("G", "infAP", "set_P", "set_F.0.5", "set_map", "utility", "utility.1,-1,0,0", "num_q", "num_rel_ret"),
    *(
        "success.1,5",
        "relative_P.5",
        "relstring.5",
        "11pt_avg",
        "yaap",
        "num_nonrel_judged_ret",
        "G.2=3",
        "map",
        "official",
    ),
)
RARE = ("all_prefs", "nosuch", "P.0", "prefs_simp", "utility.1", "P.-1", "ndcg.x", "")
FLAGS = ("-q", "-c", "-n", "-J", "-N5", "-M2", "-M10", "-l2", "-l1", "-l0", "-M0", "-q -c", "-q -n", "-o")
COMMANDS = """
qrels run
-q qrels run
-q -m all_trec qrels run
-q -m all_trec -c qrels short
-q -m all_trec -J -l 2 qrels run
-q -m all_trec -M 2 qrels run
-q -m all_trec -M 2 -J qrels run
-m all_trec -M 0 -c qrels run
-q -m yaap -m dcg -m ideal_dcg qrels run
-q -m set -l 0 qrels run
-q -m map -m P.2 -m recip_rank -m success -l -1 qrels run
-q -m official -n qrels run
-n qrels run
qrels -q run -m map
-qcmmap qrels run
--meas=map --query qrels run
--measure map --level 2 qrels run
-m map -- qrels run
-m set.5 -m map.x,y qrels run
-m P.20,1,3 -m recall.7,2 -m ndcg_cut.10,2,23.4 -m unj.4,1 -m P.2 qrels run
-q -m iprec_at_recall..501,.5 -m Rprec_mult.5.0,.25 -m 11pt_avg.0,.4,1 qrels run
-q -m relstring.3 -m relstring qrels run
-q -m relstring -m relstring.4 -c qrels short
-q -c -m relstring -m utility -m unj -m rbp_resid -m yaap -m num_rel -l 2 qrels short
-q -c -J -m iprec_at_recall -m 11pt_avg -m num_ret qrels short
-q -N 100 -m utility.1,-.5,-.25,.01 qrels run
-m utility.1,2 qrels run
-q -m set_F.0.5 -m rbp.p=0.5 -m rbp_resid.p=0.3 qrels run
-q -m ndcg.1=3.5,2=9,3=.5 -m Rndcg.3=10 -m G.1=2,2=2 -m ndcg_rel.1=3,0=1 qrels run
-q -m ndcg.3=0.6,1=0.9,2=0.3 -m G.3=0.6,1=0.9,2=0.3 -m Rndcg.0=-1 -m ndcg_rel.0=-1 qrels run
-q -m ndcg.-1=.5,-2=.25,x=3 -m Rndcg.1=0,2=0,3=0 qrels run
-q -m dcg.+3=1,02=4 qrels run
-q -m rbp.1=1,2=0,3=.5 qrels run
-m P.0 qrels run
-m P.5,5 qrels run
-m iprec_at_recall.0.5,0.50 qrels run
-m ndcg.1=2,,2=3 qrels run
-m rbp.0.5 qrels run
-m nosuch qrels run
-m nosuch.3 qrels run
-m P. qrels run
-m all_trec. qrels run
-U qrels run
--bogus=2 qrels run
--Re x qrels run
--nosummary=3 qrels run
--measure
qrels run -m
qrels
qrels run more
-v qrels
-m nosuch -U
-U -m nosuch
-R nosuch qrels run
-T nosuch qrels run
absent run
qrels absent
empty run
qrels empty
blank run
five run
qrels qrels
-q comments run
-q -m map -m num_rel odd run
- run
qrels twice
-q -M 2 -m map qrels twice
-q -m num_q -m runid qrels twice
qrels short
-q -m map qrels short
-D 0.2 -q -m map -m num_q -m gm_map -c qrels run
-D 0.77 -m map qrels run
-q negative run
-q -Z z -m runid -m num_q -m num_ret -m num_rel -m map -m P.5 -m relstring qrels run
-c -Z z -m num_rel -m map -m gm_map qrels run
-Z z-bad qrels run
-Z absent qrels run
-q -R qrels_jg -m qrels_jg groups run
-q -R qrels_jg -m qrels_jg -J -M 3 -l 2 groups run
-q -c -R qrels_jg -m map_avgjg -m P_avgjg.2,7 -m Rprec_mult_avgjg.1.5 groups short
-R qrels_jg -m map groups run
-R qrels_jg jg-twice run
-m map_avgjg qrels run
-m prefs qrels run
-q -R qrels_prefs -m all_prefs levels run
-q -R qrels_prefs -m all_prefs -M 1 -J -l 3 levels run
-q -c -R qrels_prefs -m prefs levels short
-q -R qrels_prefs -m all_prefs qrels run
-q -R prefs -m all_prefs prefs run
-q -R prefs -m prefs -M 2 prefs run
-R prefs -m map prefs run
-R prefs qrels run
-R prefs -m all_prefs cycle run
-R prefs -m all_prefs zero run
-R prefs -m all_prefs two-levels run
-q -R prefs -m num_q cycle run
-R qrels_prefs prefs run
"""


class Case(NamedTuple):
    """A command line, the files that it reads, and what came of it."""

    version: int
    arguments: list[str]
    files: dict[str, str]
    code: int = 0
    output: str = ""
    errors: str = ""


def by_hand() -> list[Case]:
    """Every command on the same files; the plain ones for version 9 too."""
    cases = []
    for line in COMMANDS.strip().splitlines():
        arguments = line.split()
        files = {name: text for name, text in BASE.items() if name in arguments}
        cases += [Case(version, arguments, files) for version in (10, 9)]
    return cases


def score(r: random.Random, kind: int) -> str:
    """A score: distinct, tied, or what C makes of odd text."""
    odd = [
        "nan",
        "inf",
        "-Infinity",
        "0x1.8p3",
        "1e999",
        "abc",
        "1,5",
        "+3",
        "-0",
        "12abc",
        "16777217",
        "16777216",
    ]
    return [f"{r.random():.6f}", str(r.randint(0, 3)), r.choice(odd), f"{r.random():.1f}"][kind]


def at_random(seed: int) -> Case:
    """Judgments in one of the formats, a run, and a command line that fits them."""
    r = random.Random(seed)
    form = r.choice(["qrels", "qrels", "qrels", "qrels_jg", "prefs", "qrels_prefs"])
    queries = r.sample(["1", "2", "10", "q3", "é"], r.randint(1, 3))
    pool = [f"d{number}" for number in range(r.choice([4, 12, 30]))]
    grades = r.choice([[0, 1], [0, 1, 2, 3], [-1, 0, 1, 2], [-2, -1, 0, 4, 12]])
    levels = r.choice([["0", "1"], ["0", "0.5", "1", "2"], ["16777216", "16777217", "0"]])
    lines, ranked, kind = [], [], r.randint(0, 3)
    for query in queries:
        # A query needs a grade of 0 or more, or the original has no place for its grades.
        lines += [f"{query} 0 first 0"] if form == "qrels" else []
        for document in r.sample(pool, r.randint(1, len(pool))):
            group = r.choice(["g1", "g2"])
            judged = {
                "qrels": f"{query} 0 {document} {r.choice(grades)}",
                "qrels_jg": f"{query} {group} {document} {max(r.choice(grades), -1)}",
                "prefs": f"{query} {group} {'s' if group == 'g1' else r.choice('st')} {document} {r.choice(levels)}",
                "qrels_prefs": f"{query} {group} {document} {r.choice(levels)}",
            }
            lines.append(judged[form])
        if r.random() < 0.9:
            found = r.sample([*pool, "n1", "n2"], r.randint(1, len(pool)))
            ranked += [f"{query} Q0 {document} 0 {score(r, kind)} tag" for document in found]
    r.shuffle(lines)
    r.shuffle(ranked)
    measures = {
        "qrels": r.choice([["official"], ["all_trec"], ["ndcg.1=.5,2=4", "P.3,1"], ["dcg", "yaap", "set"]]),
        "qrels_jg": ["qrels_jg"],
        "prefs": ["all_prefs"],
        "qrels_prefs": ["all_prefs"],
    }[form]
    arguments = ["-R", form, *(each for name in measures for each in ("-m", name))]
    arguments += [flag for flag in ("-q", "-c", "-J") if r.random() < 0.5]
    arguments += ["-M", r.choice(["1", "5"])] if r.random() < 0.2 else []
    arguments += ["-l", r.choice(["0", "2", "3"])] if r.random() < 0.3 else []
    files = {"qrels": "\n".join(lines) + "\n", "run": "\n".join(ranked) + "\n"}
    return Case(10 if r.random() < 0.7 else 9, [*arguments, "qrels", "run"], files)


def mutated(seed: int) -> Case:
    """A few queries with ties, repeats and unjudged documents; a third of the cases have damaged texts."""
    r = random.Random(seed)
    queries = r.sample(["q1", "q2", "q3", "1", "10", "2", "é"], r.randint(1, 4))
    ids = [*IDS[: r.randint(2, len(IDS))], *(f"x{each}" for each in range(r.randint(0, 30)))]
    plain = r.random() < 0.6
    grades = GRADES[: 5 if plain else len(GRADES)]
    odd = SCORES[:4] if plain else SCORES

    def number(rank: int) -> str:
        exact = (40 - rank) / r.choice([1, 1, 3])
        return r.choice(odd) if r.random() < 0.3 else f"{exact:.{r.choice([0, 4, 9])}f}"

    judged = [
        [query, "0", document, r.choice(grades)]
        for query in queries
        for document in r.sample(ids, r.randint(1, len(ids)))
    ]
    # Without -c, the original stops at a query that the run lacks.
    answered = queries if r.random() < 0.8 else r.sample([*queries, "q9"], r.randint(1, len(queries)))
    found = [
        [query, "Q0", document, str(rank), number(rank), "tag"]
        for query in answered
        for rank, document in enumerate(r.sample(ids, r.randint(1, len(ids))))
    ]
    texts = []
    for lines in (judged, found):
        if r.random() < 0.2:
            r.shuffle(lines)
        if r.random() < 0.05:
            lines.append(r.choice(lines))
        blank = r.choice([" ", " ", "\t", "  "])
        end = r.choice(["\n", "\n", "\n", "\r\n"])
        texts.append(end.join(blank.join(line) for line in lines) + (end if r.random() < 0.9 else ""))
    if r.random() < 0.33:
        which = r.randrange(2)
        for _ in range(r.randint(1, 2)):
            text = texts[which]
            start = r.randint(0, len(text))
            texts[which] = text[:start] + r.choice(SCRAPS) + text[start + r.choice([0, 0, 1, 1, 3, 20]) :]
    options = [part for _ in range(r.randint(0, 2)) for part in r.choice(FLAGS).split()]
    for _ in range(r.randint(0, 3)):
        options += ["-m", r.choice(MEASURES if r.random() < 0.97 else RARE)]
    return Case(10, [*options, "qrels", "run"], dict(zip(("qrels", "run"), texts, strict=True)))


def random_cases(count: int) -> list[Case]:
    """Random cases whose run has a line: without one the original reads what is not there."""
    cases = map(at_random, range(2 * count))
    return [case for case in cases if case.files["run"].strip()][:count]


def ask(program: str, case: Case) -> Case:
    """What the real program says."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files.items():
            Path(folder, name).write_bytes(text.encode())
        # The path as it is invoked stands before getopt's own messages.
        done = subprocess.run(
            ["trec_eval", *case.arguments],
            executable=program,
            cwd=folder,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return case._replace(code=code, output=done.stdout.decode(), errors=done.stderr.decode())


def recorded() -> list[Case]:
    """The cases of the golden file."""
    return [Case(*each) for each in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]]


def write_golden(version_10: str, version_9: str) -> None:
    """Ask both programs; where one crashes there is nothing to record."""
    programs = {10: version_10, 9: version_9}
    cases = [ask(programs[case.version], case) for case in [*by_hand(), *random_cases(120)]]
    kept = [case for case in cases if case.code != 139]
    about = "usnistgov/trec_eval v10.0 (f425365) and v9.0.8, built by their own Makefiles; x86-64, glibc 2.36"
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in kept)
    GOLDEN.write_text(f'{{"recorded from": "{about}", "cases": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    write_golden(*sys.argv[1:])
