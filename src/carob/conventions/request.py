"""A request for measures: the measures by label, the profile and the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob.conventions.policy import Policy
from carob.conventions.profiles import Profile, every_profile, profile_named
from carob.measures import REGISTER
from carob.measures.unknown_names import UnknownMeasureError
from carob.output.errors import DataError, MeasureError, PolicyError, Worded, worded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from carob.conventions.profiles import ProfileLike
    from carob.measures import Measure
    from carob.measures.names import MeasureObject

DEFAULT_MEASURES = ("AP", "RR", "nDCG@10", "nDCG", "P@10", "R@1000")

Measured: TypeAlias = "Measure | MeasureObject"
MeasuresLike: TypeAlias = "str | Measured | Iterable[str | Measured] | None"


def conventions(
    profile: ProfileLike, policy: Policy | None, default: Policy | None = None
) -> tuple[Profile, Policy]:
    """Returns the profile and the complete policy. Settings that the caller did not give come from the profile.

    Args:
        profile: the profile or its name; None or ``carob`` for carob's own conventions.
        policy: the caller's policy.
        default: the policy that supplies the other settings if there is no profile; carob's default policy if None.

    Raises:
        PolicyError: the profile does not exist, or the policy is not a ``Policy``.
    """
    convention = profile_named(profile)
    if policy is not None and not isinstance(policy, Policy):
        raise PolicyError(f"policy must be a carob.Policy, not {policy!r}.")
    base = default if default is not None and convention.name == "carob" else convention.policy
    return convention, (policy or Policy()).over(base)


@dataclass(frozen=True, eq=False, repr=False)
class Request:
    """The requested measures, and the conventions under which they are computed.

    Args:
        asked: the measures by label.
        convention: the profile.
        policy: the complete policy.
        weights: the weight of each query in the means; None for equal weights.
    """

    asked: dict[str, Measure]
    convention: Profile
    policy: Policy
    weights: Mapping[str, float] | None = None

    @cached_property
    def by_policy(self) -> dict[Policy, dict[str, Measure]]:
        """The measures by label, grouped by the policy that applies to them.

        Raises:
            PolicyError: ``by_measure`` in the policy contains an unknown measure.
        """
        strangers = [
            key for key in self.policy.exceptions if key.rstrip("@").partition("(")[0] not in REGISTER
        ]
        if strangers:
            raise PolicyError(
                f"by_measure names '{strangers[0]}', which is not a measure: 'carob measures' lists all measures."
            )
        found: dict[Policy, dict[str, Measure]] = {}
        for (label, measure), own in zip(self.asked.items(), self.policy.of_each(self.asked.values())):
            found.setdefault(own, {})[label] = measure
        return found

    @property
    def groups(self) -> bool:
        """Whether any measure needs judgment groups, which come from the second column of qrels."""
        return needs_groups(self.asked)

    @cached_property
    def scores(self) -> bool:
        """Whether any measure compares scores across queries, for which ranks are not enough."""
        return any(measure.micro for measure in self.asked.values())


def request_of(
    measures: MeasuresLike,
    profile: ProfileLike,
    policy: Policy | None,
    weights: Mapping[str, float] | None = None,
) -> Request:
    """Returns the request for the given measures, profile and policy.

    If ``measures`` is None, the request contains the default measures of the profile or of carob.

    Raises:
        MeasureError: a measure does not exist.
        PolicyError: the profile does not exist, or the policy is not a ``Policy``.
    """
    convention, policy = conventions(profile, policy)
    return Request(labelled(measures, convention), convention, policy, weights)


def labelled(measures: MeasuresLike, convention: Profile) -> dict[str, Measure]:
    """Returns the requested measures by label, as the profile interprets their names."""
    if measures is None:
        measures = convention.measures or DEFAULT_MEASURES
    try:
        asked = dict(convention.read(measures))
    except UnknownMeasureError as error:
        raise with_profiles(error, convention) from None
    if not asked:
        raise DataError("No measure was requested: name at least one, such as nDCG@10.")
    for label, measure in asked.items():
        if measure.definition.takes == "recommendations":
            raise MeasureError(of_recommendations(label, measure))
    return asked


def of_recommendations(label: str, measure: Measure) -> str:
    """Returns the error message for a recommendation measure that was requested for judged documents."""
    needs = "".join(f", {what}=…" for what in measure.definition.needs)
    ratio = f"{measure.name}Ratio"
    other = f" For judged documents, write {ratio}: {REGISTER[ratio].sentence}" if ratio in REGISTER else ""
    return (
        f"{label} measures recommended items, not judged documents: use carob.beyond_accuracy(recommended, "
        f"'{label}'{needs}), or carob beyond.{other}"
    )


def with_profiles(error: UnknownMeasureError, convention: Profile) -> UnknownMeasureError:
    """Returns the error for an unknown name, extended by the profiles in which the name exists."""
    word = error.word.casefold()
    knowing = [
        profile.name
        for profile in every_profile().values()
        if profile.name != convention.name
        and any(name.removesuffix("@").casefold() == word for name in profile.names)
    ]
    if not knowing:
        return error
    first, *more = knowing
    others = f" (or {', '.join(more)})" if more else ""
    start = f"There is no measure '{error.word}' among carob's own names." if error.guessed else str(error)
    return UnknownMeasureError(
        error.word,
        worded(
            f"{start} It is one of {first}'s names: add ",
            Worded(f"profile='{first}'", f"--profile {first}"),
            f"{others}.",
        ),
    )


def needs_groups(asked: Mapping[str, Measure]) -> bool:
    """Returns whether any measure needs judgment groups, which come from the second column of qrels."""
    return any(measure.definition.groups for measure in asked.values())


def refuse_other_orders(asked: Mapping[str, Measure], policy: Policy) -> None:
    """Refuses subtopic measures if ties are ordered by grade, because a document has a grade for each subtopic.

    Raises:
        PolicyError: there is a subtopic measure, and ``ties`` is optimistic, pessimistic or expected.
    """
    label = next((label for label, measure in asked.items() if measure.definition.groups), None)
    if label is not None and policy.ties in ("optimistic", "pessimistic", "expected"):
        raise PolicyError(
            f"{label} cannot be computed with ties={policy.ties}, because a document has a grade for each "
            "subtopic. Choose another rule for ties, such as ties=trec."
        )
