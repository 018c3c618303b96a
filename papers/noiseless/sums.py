"""NP Figures 3 and 4: ε and δ of the sums of Example 1 without noise, beside the exact curves.

No records have the moments of Example 1, σ² = 4 and E|X-μ|³ = 3, since E|X-μ|³ >= σ³ = 8 (erratum E7); Figure 3 does
not use the third moment. The nearest possible one is 8, which only ±2 with probability ½ each has; its range is 4,
not 30. A range of 30 comes as close as one likes: our curves are of LAW. The corrected certificate holds for interval
events (E6), the exact curves for all events.
"""

from collections.abc import Iterator
from math import exp, log
from typing import Final, NamedTuple

import dalenius as dl
from dalenius.gaussian.quantities import of_gaussian
from dalenius.theorems import independent_approximation
from papers.figure import BLACK, BLUE, ORANGE
from papers.noiseless.bits import SIGNIFICANT, count, draw
from papers.numbers import Number, main, write_csv

RANGE, VARIANCE, PRINTED, LEAST = 30.0, 4.0, 3.0, 8.0
"""Of a record of Example 1. PRINTED: its E|X-μ|³; LEAST: the least possible, that of ±2 with probability ½ each."""
SIZES: Final = (*range(500, 2000, 250), *range(2000, 5000, 500), 5000, 7500, 10_000, 15_000, 20_000)
NAMED: Final = 10_000
"""The n that the paper's text names."""
LAW: Final = {-14: 8e-5, -2: 0.4958, 0: 0.00825, 2: 0.4958, 16: 7e-5}
"""Mean 0, variance 4, range 30."""
THIRD: Final = sum(abs(value) ** 3 * chance for value, chance in LAW.items())
TITLE: Final = "Example 1: σ² = 4, range 30"


class SumAt(NamedTuple):
    """Example 1 at one n: ε and δ as printed, the corrected δ of the nearest moments and of our law, the exact δ of our
    law, the least ε at the printed δ."""

    n: int
    epsilon: float
    printed: float
    nearest: float
    corrected: float
    exact: dl.Enclosure
    least: dl.Enclosure


def sums(quick: bool = False) -> Iterator[Number]:
    points = [sum_at(n) for n in (SIZES[:3] if quick else SIZES)]
    sizes = [at.n for at in points]
    lines = (
        ("Theorem 2\n(any E|X-μ|³)", [at.epsilon for at in points], BLUE, "-", ""),
        (
            f"exact, at the\nprinted δ: our law,\nE|X-μ|³ = {THIRD:.3g}",
            *([at.least.upper for at in points], BLACK, "-", "o"),
        ),
    )
    draw("noiseless_figure_3", sizes, lines, "ε (nats)", TITLE)
    header = "n", "epsilon_printed", "delta_printed", "exact_epsilon_at_it_lower", "exact_epsilon_at_it_upper"
    write_csv("noiseless_figure_3", [header, *((at.n, at.epsilon, at.printed, *at.least) for at in points)])
    deltas = (
        ("as printed,\nE|X-μ|³ = 3 (impossible)", [at.printed for at in points], ORANGE, "--", ""),
        (f"corrected, intervals\nonly, E|X-μ|³ = {THIRD:.3g}", [at.corrected for at in points], BLUE, "-", ""),
        (
            f"exact, all events,\nour law, E|X-μ|³ = {THIRD:.3g}",
            *([at.exact.upper for at in points], BLACK, "-", "o"),
        ),
    )
    draw("noiseless_figure_4", sizes, deltas, "δ at the ε of Figure 3", TITLE)
    names = "corrected_nearest_moments", "corrected_our_law", "exact_lower", "exact_upper"
    rows = ((at.n, at.epsilon, at.printed, at.nearest, at.corrected, *at.exact) for at in points)
    write_csv("noiseless_figure_4", [("n", "epsilon", "delta_printed", *names), *rows])
    yield from numbers(sum_at(NAMED))


def sum_at(n: int) -> SumAt:
    epsilon = theorem_epsilon(n)
    printed = printed_formula(n, epsilon)
    records = dl.Independent(n=n, values=tuple(LAW), probabilities=[tuple(LAW.values())])
    release = dl.Release(records, dl.Sum(), dl.NoNoise())
    least = dl.NoiselessPrivacy(delta=printed).leakage(release)
    nearest, corrected = _corrected(n, epsilon, LEAST), _corrected(n, epsilon, THIRD)
    exact = dl.noiseless_delta(release, epsilon)
    return SumAt(n, epsilon, printed, nearest, corrected, exact, dl.Enclosure(least.lower, least.upper))


def printed_formula(n: int, epsilon: float) -> float:
    """NP Theorem 2 as printed, of these moments: not sound (E6, E7)."""
    spread = (n * VARIANCE) ** 0.5
    return float(1.12 * n * PRINTED / spread**3 * (1 + exp(epsilon)) + 4 / (5 * n**0.5))


def theorem_epsilon(n: int) -> float:
    return float((RANGE**2 * log(n) / (n * VARIANCE)) ** 0.5)


def numbers(at: SumAt) -> Iterator[Number]:
    n, where = at.n, "Example 1"
    yield Number(where, f"ε of Theorem 2 at n = {n:,}", 0.5, at.epsilon, "from there on", "<")
    small = next(n for n in range(3, 100_000) if theorem_epsilon(n) < 0.5)
    yield Number(where, "people from which ε < 0.5", NAMED, small, "ln n/n falls from n = 3 on", "<")
    impossible = "of moments that no records have (E7)"
    yield Number(where, f"δ of Theorem 2 as printed, at n = {n:,}", SIGNIFICANT, at.printed, impossible, "<")
    deltas = ((n, printed_formula(n, theorem_epsilon(n))) for n in range(3, 100_000))
    enough = next(n for n, delta in deltas if delta < SIGNIFICANT)
    yield Number(where, f"people from which that δ < {SIGNIFICANT:g}", NAMED, enough, "the text: around 10,000")
    nearest = "the nearest possible moment; intervals only"
    yield Number(where, "corrected δ, E|X-μ|³ = 8", SIGNIFICANT, at.nearest, nearest, "<")
    yield Number(where, f"corrected δ, E|X-μ|³ = {THIRD:.4g}", None, at.corrected, "of our law; intervals only")
    yield Number(where, "exact δ of our law", None, at.exact.upper, "at the ε of Theorem 2, all events")
    all_events = "at the δ of Theorem 2 as printed, all events"
    yield Number(where, "exact least ε of our law", 0.5, at.least.upper, all_events, "<")
    coin, why = dl.noiseless_delta(count(n, 0.5), at.epsilon).upper, "the only law with E|X-μ|³ = 8; range 4, not 30"
    yield Number(where, "exact δ of ±2 with probability ½ each", None, coin, why)
    term = 4 / (5 * n**0.5)
    yield Number(where, "normal term: the printed 4/(5√n)", term, 5 / (4 * n**0.5), "what Fact 1 gives: 5/(4√n)")
    normal = of_gaussian(RANGE / ((n - 1) * VARIANCE) ** 0.5, at.epsilon).upper
    yield Number(where, "normal term: exact", None, normal, "Balle and Wang 2018, Thm 8")


def _corrected(n: int, epsilon: float, third: float) -> float:
    moments = dl.Moments(n=n, variance=VARIANCE, third=third, range=RANGE)
    return independent_approximation(moments).delta(epsilon)


if __name__ == "__main__":
    main(sums)
