"""Noiseless privacy of sums: Figures 1 to 4 of NP §3, each next to the exact curve."""

from collections.abc import Iterator
from functools import partial
from math import log
from pathlib import Path
from typing import Final

from dalenius.bounds import Enclosure
from dalenius.certificates import (
    bernoulli_formula,
    chernoff_formula,
    fact_delta,
    gaussian_sum_delta,
    independent_approximation,
    printed_formula,
)
from dalenius.channel import Release
from dalenius.models import Independent, Moments
from dalenius.noise import NoNoise
from dalenius.notions import NoiselessPrivacy, noiseless_delta
from dalenius.queries import Count, Sum
from papers.noiseless.sums_figures import Bits, BitsAt, SumAt, draw_bits, draw_deltas, draw_epsilons
from papers.paper import Number, Outcome, Study, beside, write_rows

FIGURE_1: Final = Bits(0.5, 0.95, (*range(50, 1000, 50), *range(1000, 5000, 250), *range(5000, 20_001, 1000)))
FIGURE_2: Final = Bits(1.0, 0.2, (*range(5, 100, 5), *range(100, 1001, 20)))
RANGE, VARIANCE, PRINTED, LEAST = 30.0, 4.0, 3.0, 8.0
"""Of a record of Example 1. PRINTED: its E|X-μ|³; LEAST: the least possible, that of ±2 with probability ½ each."""
SIZES: Final = (*range(500, 2000, 250), *range(2000, 5000, 500), 5000, 7500, 10_000, 15_000, 20_000)
ASKED: Final = 10_000
"""The n that the paper's text names."""
LAW: Final = {-14: 8e-5, -2: 0.4958, 0: 0.00825, 2: 0.4958, 16: 7e-5}
"""Mean 0, variance 4, range 30."""
THIRD: Final = sum(abs(value) ** 3 * chance for value, chance in LAW.items())
SIGNIFICANT: Final = 0.05


def run(data: Path) -> Outcome:
    """Everything; no data are read."""
    first, second = tuple(_bits(FIGURE_1)), tuple(_bits(FIGURE_2))
    sums = tuple(map(_sum, SIZES))
    numbers = (*_of_bits(), *_of_example(next(each for each in sums if each.n == ASKED)))
    files = {
        "noiseless_figure_1.png": partial(draw_bits, FIGURE_1, first),
        "noiseless_figure_1.csv": partial(write_rows, tuple(_lines_of_bits(first))),
        "noiseless_figure_2.png": partial(draw_bits, FIGURE_2, second),
        "noiseless_figure_2.csv": partial(write_rows, tuple(_lines_of_bits(second))),
        "noiseless_figure_3.png": partial(draw_epsilons, sums, THIRD),
        "noiseless_figure_3.csv": partial(write_rows, tuple(_lines_of_epsilons(sums))),
        "noiseless_figure_4.png": partial(draw_deltas, sums, THIRD),
        "noiseless_figure_4.csv": partial(write_rows, tuple(_lines_of_deltas(sums))),
        "noiseless_numbers.csv": partial(write_rows, tuple(beside(numbers))),
    }
    return Outcome(files, numbers, NOTES)


NOTES: Final = (
    "The figures are not in the text of the paper that we have: their axes are our choice, and the numbers beside ours "
    "are those of the text.",
    "Figures 1 and 2: the paper prints no formula for the earlier bound, that of Bhaskar et al.; ours is the Chernoff "
    "bound its text describes (dalenius.certificates.chernoff). A bound of 1 or more says nothing.",
    "The exact curve is the least δ there is, over all events, people and pairs of values; it falls in steps, since a "
    "count is a whole number. It holds for an adversary who knows p and nobody's record.",
    "Figures 3 and 4: no records have the moments of Example 1, σ² = 4 and E|X-μ|³ = 3, since E|X-μ|³ >= σ³ = 8 "
    "(erratum E7). Figure 3 does not use the third moment.",
    "With σ² = 4 the nearest possible E|X-μ|³ is 8, which only ±2 with probability ½ each has; its range is 4, not 30. "
    "A range of 30 comes as close as one likes: our curves of Figures 3 and 4 are of a law with variance 4, range "
    f"30 and E|X-μ|³ = {THIRD:.4g}: "
    + ", ".join(f"{value} with probability {chance:g}" for value, chance in LAW.items())
    + ".",
    "The corrected certificate holds for interval events (E6), the exact curves for all events.",
)
STUDY: Final = Study(
    source="noiseless privacy of locally dependent data (source NP of the errata), §3",
    about="Figures 1 to 4: δ of a count of bits, ε and δ of Example 1, each beside the exact curve",
    run=run,
    reads_data=False,
)


def _bits(figure: Bits) -> Iterator[BitsAt]:
    for n in figure.sizes:
        theorem, earlier = bernoulli_formula(n, figure.p, figure.epsilon), chernoff_formula(n, figure.p, figure.epsilon)
        yield BitsAt(n, theorem, earlier, _exact(figure, n))


def _exact(figure: Bits, n: int) -> Enclosure:
    return noiseless_delta(_count(n, figure.p), figure.epsilon)


def _count(n: int, p: float) -> Release:
    return Release(Independent(n=n, probabilities=[p]), Count(), NoNoise())


def _sum(n: int) -> SumAt:
    epsilon = _theorem_epsilon(n)
    printed = printed_formula(n, VARIANCE, PRINTED, epsilon)
    release = Release(Independent(n=n, values=tuple(LAW), probabilities=[tuple(LAW.values())]), Sum(), NoNoise())
    least = NoiselessPrivacy(delta=printed).leakage(release)
    corrected = _corrected(n, epsilon, THIRD)
    exact = noiseless_delta(release, epsilon)
    return SumAt(n, epsilon, printed, corrected, exact, Enclosure(least.lower, least.upper))


def _theorem_epsilon(n: int) -> float:
    return float((RANGE**2 * log(n) / (n * VARIANCE)) ** 0.5)


def _corrected(n: int, epsilon: float, third: float) -> float:
    moments = Moments(n=n, variance=VARIANCE, third=third, range=RANGE)
    return independent_approximation(moments).delta(epsilon)


def _of_bits() -> Iterator[Number]:
    for where, figure, n in (("Fig 1", FIGURE_1, 5000), ("Fig 2", FIGURE_2, 200)):
        at = f"δ at ε = {figure.epsilon:g}, p = {figure.p:g}, n = {n:,}"
        yield Number(
            where, f"{at}: Theorem 1", None, bernoulli_formula(n, figure.p, figure.epsilon), "the paper's line"
        )
        earlier = chernoff_formula(n, figure.p, figure.epsilon)
        yield Number(where, f"{at}: Bhaskar et al.", None, earlier, "the dashed line, as we derive it")
        yield Number(where, f"{at}: exact", None, _exact(figure, n).upper, "the least δ, all events")
        enough = next(n for n in range(1, 100_000) if bernoulli_formula(n, figure.p, figure.epsilon) <= SIGNIFICANT)
        exactly = 1 + max(n for n in range(1, 500) if _exact(figure, n).upper > SIGNIFICANT)
        yield Number(where, f"people for δ <= {SIGNIFICANT:g}: Theorem 1", None, enough, "from its formula")
        yield Number(where, f"people for δ <= {SIGNIFICANT:g}: exact", None, exactly, "from there on, of n up to 500")


def _of_example(at: SumAt) -> Iterator[Number]:
    n, where = at.n, "Example 1"
    impossible = "the text: below 0.05; of moments that no records have (E7)"
    yield Number(where, f"ε of Theorem 2 at n = {n:,}", 0.5, at.epsilon, "the text: below 0.5 from there on")
    small = next(n for n in range(3, 100_000) if _theorem_epsilon(n) < 0.5)
    yield Number(where, "people from which ε < 0.5", 10_000, small, "ln n/n falls from n = 3 on")
    yield Number(where, f"δ of Theorem 2 as printed, at n = {n:,}", SIGNIFICANT, at.printed, impossible)
    enough = next(
        n for n in range(3, 100_000) if printed_formula(n, VARIANCE, PRINTED, _theorem_epsilon(n)) < SIGNIFICANT
    )
    yield Number(where, f"people from which that δ < {SIGNIFICANT:g}", 10_000, enough, "the text: around 10,000")
    nearest = _corrected(n, at.epsilon, LEAST)
    yield Number(where, "corrected δ, E|X-μ|³ = 8", SIGNIFICANT, nearest, "the nearest possible moment; intervals only")
    yield Number(where, f"corrected δ, E|X-μ|³ = {THIRD:.4g}", None, at.corrected, "of our law; intervals only")
    yield Number(where, "exact δ of our law", None, at.exact.upper, "at the ε of Theorem 2, all events")
    yield Number(where, "exact least ε of our law", 0.5, at.least.upper, "at the δ of Theorem 2 as printed, all events")
    coin = noiseless_delta(_count(n, 0.5), at.epsilon).upper
    yield Number(
        where, "exact δ of ±2 with probability ½ each", None, coin, "the only law with E|X-μ|³ = 8; range 4, not 30"
    )
    yield Number(
        where, "normal term: the printed 4/(5√n)", 4 / (5 * n**0.5), fact_delta(n), "what Fact 1 gives: 5/(4√n)"
    )
    normal = gaussian_sum_delta((n - 1) * VARIANCE, RANGE, at.epsilon).delta
    yield Number(where, "normal term: exact", 4 / (5 * n**0.5), normal, "Balle and Wang 2018, Thm 8")


def _lines_of_bits(points: tuple[BitsAt, ...]) -> Iterator[tuple[object, ...]]:
    yield "n", "theorem_1", "bhaskar_et_al", "exact_lower", "exact_upper"
    for at in points:
        yield at.n, at.theorem, at.earlier, at.exact.lower, at.exact.upper


def _lines_of_epsilons(points: tuple[SumAt, ...]) -> Iterator[tuple[object, ...]]:
    yield "n", "epsilon_printed", "delta_printed", "exact_epsilon_at_it_lower", "exact_epsilon_at_it_upper"
    for at in points:
        yield at.n, at.epsilon, at.printed, at.least.lower, at.least.upper


def _lines_of_deltas(points: tuple[SumAt, ...]) -> Iterator[tuple[object, ...]]:
    yield (
        "n",
        "epsilon",
        "delta_printed",
        "corrected_nearest_moments",
        "corrected_our_law",
        "exact_lower",
        "exact_upper",
    )
    for at in points:
        nearest = _corrected(at.n, at.epsilon, LEAST)
        yield at.n, at.epsilon, at.printed, nearest, at.corrected, at.exact.lower, at.exact.upper
