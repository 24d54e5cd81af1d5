"""Named conventions: how other tools, and the user's notes, read the same names. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from karat.errors import PolicyError, did_you_mean
from karat.measures import Measure, parse_measure, parse_measures
from karat.policy import Policy

__all__ = ["PROFILES", "Profile", "profile_named", "profiles"]


@dataclass(frozen=True)
class Profile:
    """A tool's conventions: a policy, and what its names for measures mean.

    Args:
        name: the tool and its version.
        source: where this was read or measured.
        policy: the evaluation-wide axes.
        names: names that the tool has and karat has not, or reads otherwise.
        axes: parameters that differ from karat's defaults, by measure.
        measures: what is evaluated if nothing is asked for; karat's own default if empty.
        digits: decimals that the tool prints.
    """

    name: str
    source: str
    policy: Policy = field(default_factory=Policy)
    names: dict[str, str] = field(default_factory=dict)
    axes: dict[str, dict[str, Any]] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    digits: int = 4

    def read(self, name: str | Measure) -> list[tuple[str, Measure]]:
        """The measures that ``name`` stands for under this profile, each with the label that shows it."""
        if isinstance(name, str) and name in self.names:
            return [(name, parse_measure(self.names[name]))]
        found = []
        for measure in parse_measures(name):
            missing = {
                k: v for k, v in self.axes.get(measure.name, {}).items() if k not in dict(measure.parameters)
            }
            meant = Measure(measure.name, (*measure.parameters, *missing.items()), measure.depth)
            found.append((str(measure), meant))
        return found


TREC_EVAL_9 = Policy(scores="float32", missing="skip")
CUT_UP = {"IPrec": {"rounding": "up"}, "IPrecMean": {"rounding": "up"}}
NOTE_004 = "the user's fifth note: an experiment that scores a judged ranking"

PROFILES: dict[str, Profile] = {
    each.name: each
    for each in (
        Profile("trec_eval-10", "usnistgov/trec_eval v10.0 (f425365)", Policy(missing="error")),
        Profile("trec_eval-9", "usnistgov/trec_eval v9.0.8", TREC_EVAL_9, axes=CUT_UP),
        Profile(
            "pytrec_eval",
            "pytrec_eval-terrier 0.5.11, dicts",
            TREC_EVAL_9.changed(duplicates="last"),
            axes=CUT_UP,
        ),
        Profile(
            "note-004",
            NOTE_004,
            Policy(negative="nonrelevant", missing="error"),
            names={"MAP": "AP(over=retrieved)", "MRR": "RR", "NDCG": "nDCG(discount=jk(2), ideal=retrieved)"},
            axes={"AP": {"over": "retrieved"}, "nDCG": {"discount": "jk(2)", "ideal": "retrieved"}},
            measures=("MAP", "MRR", "NDCG"),
            digits=5,
        ),
    )
}


def profiles() -> dict[str, str]:
    """Every profile's name with its source.

    Example:
        >>> import karat
        >>> karat.profiles()["trec_eval-9"]
        'usnistgov/trec_eval v9.0.8'
    """
    return {name: profile.source for name, profile in PROFILES.items()}


def profile_named(name: str | None) -> Profile:
    """The profile of that name; karat's own conventions for None.

    Raises:
        PolicyError: there is no such profile.
    """
    if name is None:
        return Profile("karat", "")
    if name not in PROFILES:
        hint = did_you_mean(name, PROFILES, f"There are: {', '.join(PROFILES)}.")
        raise PolicyError(f"There is no profile '{name}'. {hint}")
    return PROFILES[name]
