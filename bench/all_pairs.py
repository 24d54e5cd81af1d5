"""Family-wise error and power of tests of all pairs of runs, for ``python -m bench.error_rates --pairs``.

The population is a collection's scores, or simulated scores. Each replicate draws queries from it with replacement. In
four settings the truth is known:

- *all equal*: all runs are shifted to the same mean, so every finding is an error.
- *half equal*: every second run, in the order of the means, is shifted to the mean of these runs. A finding between two
  of these runs is an error.
- *twins*: each run is paired with the run with the most similar scores among those not yet paired, and the scores of
  such twins are exchanged at random within each query. A finding between twins is an error. All other differences
  remain.
- *as they are*: the scores are unchanged, and power is the share of all pairs that are found significant with the
  population's sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.answer import Bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

ALPHA, RESAMPLES, QUERIES = 0.05, 999, 50
SEED, POPULATION = 2036, 20_000
WIDEST, BEST = 0.015, 0.95
"""The tolerated difference of the family-wise error from alpha, and the minimum share of the best test's power."""

MOVED, MOVED_LIMIT = "all equal", 0.13
"""The setting in which differences of real runs become skewed, where every test based on t fails, and its limit."""

DEFAULT, REFERENCES = "Romano-Wolf", ("BH, t",)
"""carob's default test, and tests that do not bound the family-wise error, so their power is no benchmark."""

POWER = "as they are"
"""The setting in which power is measured."""


class Population(NamedTuple):
    """The scores of runs [queries, runs] from which replicates draw queries."""

    name: str
    scores: Floats


class Setting(NamedTuple):
    """A population with a known truth.

    Args:
        name: the name of the setting.
        scores: the population [queries, runs].
        null: the indices of the pairs without a true difference; empty if power is measured.
        twins: pairs of runs whose scores are exchanged at random [pairs, 2].
    """

    name: str
    scores: Floats
    null: Places
    twins: Places


class Figure(NamedTuple):
    """A proportion with its standard error over replicates."""

    share: float
    error: float


def simulated() -> Iterator[Population]:
    """Yields simulated systems with different spreads: unrelated systems, and variants of four systems.

    A score is Φ(difficulty of the query + quality of the system + noise), which behaves like effectiveness in [0, 1]
    with a floor.
    """
    from scipy.special import ndtr

    draw = np.random.default_rng(SEED)
    runs = 16
    difficulty = draw.normal(-0.4, 0.8, (POPULATION, 1))
    noise = draw.normal(0, 1, (POPULATION, runs)) * np.linspace(0.15, 0.9, runs)
    yield Population("simulated, unrelated", ndtr(difficulty + np.tile([0.0, 0.1, 0.2, 0.35], 4) + noise))
    family = np.repeat(draw.normal(0, 1, (POPULATION, 4)) * [0.3, 0.5, 0.7, 0.9], 4, axis=1)
    own = draw.normal(0, 1, (POPULATION, runs)) * np.tile([0.05, 0.1, 0.2, 0.3], 4)
    quality = np.repeat([0.0, 0.1, 0.2, 0.3], 4) + np.tile([0.0, 0.03, 0.06, 0.1], 4)
    yield Population("simulated, variants", ndtr(difficulty + quality + family + own))


def settings(population: Population) -> Iterator[Setting]:
    """Yields the four settings of a population."""
    from carob.statistics.resampling import all_pairs

    scores = population.scores
    runs = scores.shape[1]
    pairs, means, none = all_pairs(runs), scores.mean(axis=0), np.zeros(0, np.int64)
    nobody = np.zeros((0, 2), np.int64)
    yield Setting(MOVED, scores - means, np.arange(len(pairs)), nobody)
    half = np.argsort(means)[::2]
    moved = scores.copy()
    moved[:, half] += means[half].mean() - means[half]
    yield Setting("half equal", moved, np.flatnonzero(np.isin(pairs, half).all(axis=1)), nobody)
    alike = twins(scores)
    same = [place for place, pair in enumerate(pairs.tolist()) if pair in alike.tolist()]
    yield Setting("twins", scores, np.array(same), alike)
    yield Setting(POWER, scores, none, nobody)


def twins(scores: Floats) -> Places:
    """Returns pairs of runs, the most correlated pair first. Each run is in at most one pair [pairs, 2]."""
    alike = np.triu(np.corrcoef(scores.T), 1)
    found = []
    free = np.triu(np.ones_like(alike), 1)
    while free.any():
        one, other = np.unravel_index(np.argmax(np.where(free > 0, alike, -2)), alike.shape)
        found.append((int(one), int(other)))
        for run in (one, other):
            free[run] = free[:, run] = 0
    return np.array(found)


def drawn(setting: Setting, draw: np.random.Generator) -> Floats:
    """Returns the scores of one replicate [queries, runs]."""
    rows = setting.scores[draw.integers(0, len(setting.scores), QUERIES)]
    for one, other in setting.twins:
        turned = draw.random(QUERIES) < 0.5
        rows[turned, one], rows[turned, other] = rows[turned, other], rows[turned, one]
    return rows


def tests(runs: int) -> dict[str, Callable[[Floats, int], NDArray[np.bool_]]]:
    """Returns the tests by name. Each test takes scores and a seed, and returns whether each pair is significant."""
    from scipy.stats import studentized_range

    from carob.comparison.significance import corrected
    from carob.statistics.estimates import paired
    from carob.statistics.multiple_comparisons import anova, randomised_tukey
    from carob.statistics.resampling import Draw, all_pairs, max_flip, romano_wolf

    pairs = all_pairs(runs)
    range_cut = studentized_range.ppf(1 - ALPHA, runs, (QUERIES - 1) * (runs - 1))

    def differences(scores: Floats) -> Floats:
        return scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]

    def one_step(scores: Floats, seed: int) -> NDArray[np.bool_]:
        cut = romano_wolf(scores, draw=settled(seed)).cut
        return np.asarray(np.abs(differences(scores).mean(axis=0)) > cut)

    def paired_tukey(scores: Floats, _: int) -> NDArray[np.bool_]:
        error = np.sqrt(anova(scores).ms_rest / len(scores))
        return np.asarray(np.abs(differences(scores).mean(axis=0)) > range_cut * error)

    def settled(seed: int) -> Draw:
        return Draw(RESAMPLES, seed, alpha=ALPHA)

    return {
        "randomised Tukey": lambda scores, seed: randomised_tukey(scores, draw=settled(seed)).p <= ALPHA,
        "paired Tukey": paired_tukey,
        "max-T": lambda scores, seed: max_flip(scores, draw=settled(seed)).p <= ALPHA,
        "Holm, t": lambda scores, _: corrected(paired(differences(scores)).p, "holm") <= ALPHA,
        "studentized max-T": one_step,
        "Romano-Wolf": lambda scores, seed: romano_wolf(scores, draw=settled(seed)).p <= ALPHA,
        "BH, t": lambda scores, _: corrected(paired(differences(scores)).p, "bh") <= ALPHA,
    }


def measured(setting: Setting, replicates: int) -> dict[str, Figure]:
    """Returns the family-wise error of each test, or its power if the setting has no pair without a difference."""
    from carob.statistics.resampling import all_pairs

    runs = setting.scores.shape[1]
    draw = np.random.default_rng([SEED, *setting.name.encode()])
    pairs, means = all_pairs(runs), setting.scores.mean(axis=0)
    truth = np.sign(means[pairs[:, 0]] - means[pairs[:, 1]])
    known = tests(runs)
    found = {name: np.empty(replicates) for name in known}
    for place in range(replicates):
        scores = drawn(setting, draw)
        seen = scores.mean(axis=0)
        right = np.sign(seen[pairs[:, 0]] - seen[pairs[:, 1]]) == truth
        for name, test in known.items():
            significant = test(scores, place)
            its = significant[setting.null].any() if len(setting.null) else (significant & right).mean()
            found[name][place] = its
    return {
        name: Figure(float(its.mean()), float(its.std(ddof=1) / np.sqrt(replicates)))
        for name, its in found.items()
    }


class Row(NamedTuple):
    """The results of each test for one population and setting."""

    population: str
    setting: str
    figures: dict[str, Figure]

    def __str__(self) -> str:
        """Returns the row of a Markdown table."""
        cells = [f"{each.share:.3f} ±{each.error:.3f}" for each in self.figures.values()]
        return f"| {self.population} | {self.setting} | {' | '.join(cells)} |"


def rows(populations: Iterable[Population], replicates: int) -> Iterator[Row]:
    """Yields a row for each population and setting."""
    for population in populations:
        for setting in settings(population):
            yield Row(population.name, setting.name, measured(setting, replicates))


def printed(populations: Iterable[Population], replicates: int) -> list[Row]:
    """Prints a Markdown table, one row at a time, and returns its rows."""
    known: list[Row] = []
    for row in rows(populations, replicates):
        if not known:
            print(
                f"| systems | truth | {' | '.join(row.figures)} |\n" + "|---" * (2 + len(row.figures)) + "|"
            )
        known.append(row)
        print(row, flush=True)
    return known


def limits(known: list[Row]) -> Iterator[Bar]:
    """Yields the limits on carob's default test: its error over all populations, and its power in each population."""
    for setting in dict.fromkeys(row.setting for row in known):
        its = [row for row in known if row.setting == setting]
        if setting != POWER:
            error = float(np.mean([row.figures[DEFAULT].share for row in its]))
            most = MOVED_LIMIT if setting == MOVED else ALPHA + WIDEST
            yield Bar(f"{DEFAULT}, family-wise error, {setting}, mean", "at most", most, error, "")
            continue
        for row in its:
            best = max(each.share for name, each in row.figures.items() if name not in REFERENCES)
            share = row.figures[DEFAULT].share / best
            yield Bar(
                f"{DEFAULT}, power as a share of the best, {row.population}", "at least", BEST, share, ""
            )
