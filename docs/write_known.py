"""Writes src/carob/diagnosis/check/known.json: fingerprints of public judgments, from files of the sets' names.

``python docs/write_known.py FOLDER`` reads the qrels of a clone of castorini/anserini-tools. The table has hashes only:
for each set, those of the 24 pairs of query and document with the smallest ones, and a sum over all judgments.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import carob
from carob.diagnosis.check.known import FILE, fingerprint

TREC = {"51-100": 1, "101-150": 2, "151-200": 3, "351-400": 7, "401-450": 8}
NAMES: dict[str, str] = {
    r"adhoc\.(51-100|101-150|151-200|351-400|401-450)": "TREC-{trec} ad hoc, topics {0}",
    r"adhoc\.451-550": "TREC-9 and TREC 2001 web (WT10g), topics 451-550",
    r"robust05": "TREC 2005 Robust",
    r"core(17|18)": "TREC 20{0} Common Core",
    r"backgroundlinking(\d\d)": "TREC 20{0} News, background linking",
    r"terabyte(\d\d)\.[\d-]+": "TREC 20{0} Terabyte",
    r"web\.401-450": "TREC-8 small web, topics 401-450",
    r"web\.51-100": "TREC 2010 Web",
    r"web\.101-150": "TREC 2011 Web",
    r"web\.151-200": "TREC 2012 Web",
    r"web\.201-250": "TREC 2013 Web",
    r"web\.251-300": "TREC 2014 Web",
    r"microblog(\d{4})": "TREC {0} Microblog",
    r"dl(\d\d)-(doc|passage)": "TREC 20{0} Deep Learning, {1}s",
    r"dl(\d\d)-doc-msmarco-v2\.1": "TREC 20{0} Deep Learning, documents, for MS MARCO V2.1",
    r"msmarco-passage\.dev-subset": "MS MARCO passages, dev (small)",
    r"msmarco-doc\.dev": "MS MARCO documents, dev",
    r"msmarco-(v2|v2\.1)-(doc|passage)\.(dev2?)": "MS MARCO {0} {1}s, {2}",
    r"covid-round(\d)": "TREC-COVID, round {0}",
    r"covid-round(\d)-cumulative": "TREC-COVID, rounds 1 to {0}",
    r"covid-complete": "TREC-COVID, complete",
    r"beir-v1\.0\.0-webis-touche2020\.test": "BEIR Touché 2020 (v2)",
    r"beir-v1\.0\.0-(.+)\.test": "BEIR {0}",
    r"bright-(.+)\.fixed": "BRIGHT {0} (fixed)",
    r"bright-([^.]+)": "BRIGHT {0}",
    r"miracl-v1\.0-(\w\w)-dev": "MIRACL {0}, dev",
    r"mrtydi-v1\.1-(\w\w)\.test": "Mr. TyDi {0}, test",
    r"hc4-v1\.0-(\w\w)\.test": "HC4 {0}, test",
    r"neuclir22-(\w\w)": "TREC 2022 NeuCLIR {0}",
    r"rag(24|25)\.test": "TREC 20{0} RAG, retrieval",
    r"car17v2\.0\.benchmarkY1test": "TREC 2017 CAR v2.0, benchmarkY1test",
    r"fever\.dev": "FEVER, dev",
    r"cacm": "CACM",
}
"""The names of sets by the names of their files; ``{0}`` is the first group."""
LEAST = 40
"""Smaller sets cannot be told from toys."""


def name_of(file: str) -> str | None:
    """Returns the name of a set, or None for one that is left out."""
    for pattern, name in NAMES.items():
        found = re.fullmatch(pattern, file)
        if found:
            groups = ["document" if each == "doc" else each for each in found.groups()]
            return name.format(*groups, trec=TREC.get("".join(groups[:1]), ""))
    return None


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "diagnosis"))
    from broken import published  # type: ignore[import-not-found]

    own = "a set that carob's tests make"
    sets: dict[str, dict[str, object]] = {
        own: {"name": own, **fingerprint(carob.Qrels.of(published().encode()))}
    }
    for path in sorted(Path(sys.argv[1]).glob("*")):
        name = name_of(path.name.removeprefix("qrels.").removesuffix(".txt").removesuffix(".tsv"))
        if name is None:
            continue
        qrels = carob.Qrels.of(path.read_bytes(), carob.Policy(duplicates="first"))
        if qrels.judgments.count < LEAST:
            continue
        made = fingerprint(qrels)
        twin = next((each for each in sets.values() if each["total"] == made["total"]), None)
        if twin is None:
            sets[name] = {"name": name, **made}
        else:
            twin["name"] = f"{twin['name']}, also {name}"
    lines = ",\n".join(json.dumps(each, separators=(",", ":"), ensure_ascii=False) for each in sets.values())
    Path(FILE).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(sets)} sets, {Path(FILE).stat().st_size:,} bytes")  # noqa: T201
