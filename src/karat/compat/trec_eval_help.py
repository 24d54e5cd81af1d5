"""What ``karat trec-eval -h`` prints."""

from __future__ import annotations

from karat.measures import REGISTER
from karat.measures.names import own
from karat.measures.trec_eval import NICKNAMES, TABLE

__all__ = ["text"]

GENERAL = f"""\
karat trec-eval [options] QRELS RUN

Measures a run by relevance judgments, as trec_eval does: same options, same output, same exit codes.
RUN is a file, or standard input if its name begins with '-'. Both may be compressed (gz, zst, bz2, xz).

  -h  --help                        print this text, with what -m, -R and -T name
  -v  --version                     print the version of trec_eval that is followed
  -q  --query_eval_wanted           also print the values of every query
  -n  --nosummary                   print no values for all queries
  -m  --measure NAME[.PARAMETERS]   add a measure, or a nickname for several
                                    ({", ".join(NICKNAMES)})
  -c  --complete_rel_info_wanted    average over all queries of QRELS; those that the run lacks count 0
  -l  --level_for_rel GRADE         the lowest grade that is relevant (1)
  -J  --Judged_docs_only            remove unjudged documents before ranks are counted
  -M  --Max_retrieved_per_topic N   look at the first N documents of each query
  -N  --Number_docs_in_coll N       documents in the collection, for the measure utility (0)
  -R  --Rel_info_format FORMAT      qrels (default), qrels_jg, prefs or qrels_prefs
  -T  --Results_format FORMAT       trec_results, the only one
  -Z  --Zscore FILE                 print deviations from the means of FILE
  -D  --Debug_level N[.QUERY]       evaluate only QUERY
      --compat 9                    behave as trec_eval 9.0.8 (karat's own option)
"""
RUN = "RUN: lines 'query iteration document rank score tag'; the score alone decides the order.\n"
FORMATS = {
    "qrels": "QRELS: lines 'query iteration document grade'; a negative grade is in the pool but not judged.\n",
    "qrels_jg": "QRELS: lines 'query group document grade': grades of several judgment groups.\n",
    "prefs": "QRELS: lines 'query group subgroup document level': within a subgroup a higher level is preferred.\n",
    "qrels_prefs": "QRELS: lines 'query group document level': within a group a higher level is preferred.\n",
}
RULE = "-" * 23 + "\n"


def text(measures: set[str], form: str) -> str:
    """The help, with the measures and the format asked for."""
    parts = [GENERAL, RUN, *([FORMATS[form]] if form in FORMATS else [])]
    asked = [explained(name) for name in TABLE if name in measures]
    heading = "Individual measure documentation for requested measures\n"
    body = "".join(asked) or "None was requested: name them with -m before or after -h.\n"
    return ("\n" + RULE).join([*parts, heading + body])


def explained(name: str) -> str:
    """A measure with what it means."""
    template = TABLE[name].karat
    if not template:
        return f"{name}\n    {'The tag of the run.' if name == 'runid' else 'The first grades, as characters.'}\n"
    measure = own(template.format(1))
    return f"{name}\n    {(REGISTER[measure.name].formula.__doc__ or '').strip()}\n"
