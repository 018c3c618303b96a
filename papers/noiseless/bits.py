"""NP Figures 1 and 2: δ of a count of independent bits without noise, beside the exact curve.

The figures are not in the text of the paper that we have: their axes are our choice, the numbers are those of the
text. The paper prints no formula for the earlier bound, that of Bhaskar et al.; ours is the Chernoff bound its text
describes. A bound of 1 or more says nothing. The exact curve is the least δ there is, over all events, people and
pairs of values; it falls in steps, since a count is a whole number. It holds for an adversary who knows p and
nobody's record.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import dalenius as dl
from dalenius.plotting import side_legend
from dalenius.theorems import bernoulli_formula
from papers.figure import BLACK, BLUE, ORANGE, panels, save
from papers.numbers import Number, main, write_csv

SIGNIFICANT: Final = 0.05
"""A δ."""


class Bits(NamedTuple):
    """ε, the chance of a 1, the n it is drawn at, and the n of the numbers."""

    epsilon: float
    p: float
    sizes: tuple[int, ...]
    named: int


FIGURES: Final = (
    Bits(0.5, 0.95, (*range(50, 1000, 50), *range(1000, 5000, 250), *range(5000, 20_001, 1000)), 5000),
    Bits(1.0, 0.2, (*range(5, 100, 5), *range(100, 1001, 20)), 200),
)


def bits(quick: bool = False) -> Iterator[Number]:
    for number, figure in enumerate(FIGURES, start=1):
        sizes = figure.sizes[:: 6 if quick else 1]
        name, at = f"noiseless_figure_{number}", (figure.p, figure.epsilon)
        theorem = [bernoulli_formula(n, *at) for n in sizes]
        earlier = [chernoff_formula(n, *at) for n in sizes]
        exact = [exact_delta(n, *at) for n in sizes]
        lines: Sequence[Line] = (
            ("Bhaskar et al.\n(our derivation)", earlier, ORANGE, "--", ""),
            ("Theorem 1", theorem, BLUE, "-", ""),
            ("exact", [each.upper for each in exact], BLACK, "-", "o"),
        )
        draw(name, sizes, lines, "δ", f"independent bits: ε = {figure.epsilon:g}, p = {figure.p:g}")
        rows = zip(sizes, theorem, earlier, (e.lower for e in exact), (e.upper for e in exact), strict=True)
        write_csv(name, [("n", "theorem_1", "bhaskar_et_al", "exact_lower", "exact_upper"), *rows])
        yield from _numbers(f"Fig {number}", figure)


def chernoff_formula(n: int, p: float, epsilon: float) -> float:
    """The δ of Bhaskar et al. (2011, Theorem 5), not capped at 1: 2 exp(-n s₀² min(2, 1/3p)), as we derive it.

    NP prints no formula of its dashed line: the authors "proved only that due to Chernoff bounds, for a fixed ε the δ
    is asymptotically negligible". The likelihoods given the two values differ by more than e^ε only if the count is off
    its mean np by s₀n or more (`dalenius.theorems.bernoulli_certificate`), and Chernoff's multiplicative bound,
    Pr[|B - np| >= βnp] <= 2 exp(-β²np/3), at β = s₀/p makes that δ = 2 exp(-n s₀²/3p). For p >= 1/6 it is never below
    Theorem 1's δ = 2 exp(-2n s₀²), hence sound by the proof there; for p < 1/6 it would be, and is Theorem 1's.
    """
    least = bernoulli_formula(n, p, epsilon)
    return float(max(least, 2 * (least / 2) ** min(1.0, 1 / (6 * p))))


def exact_delta(n: int, p: float, epsilon: float) -> dl.Enclosure:
    return dl.noiseless_delta(count(n, p), epsilon)


def count(n: int, p: float) -> dl.Release:
    return dl.Release(dl.Independent(n=n, probabilities=[p]), dl.Count(), dl.NoNoise())


Line = tuple[str, Sequence[float], str, str, str]
"""Its label, heights, colour, dashes and marker."""


def draw(name: str, sizes: Sequence[int], lines: Sequence[Line], what: str, title: str) -> None:
    """On a log axis, on which the exact curve has room beside the paper's. Lines differ in dashes too, for print and
    the colour-blind."""
    figure, (axes,) = panels(1, 1, (7.2, 4.0))
    for label, values, colour, dashes, marker in lines:
        axes.plot(sizes, values, color=colour, linestyle=dashes, marker=marker, markersize=3.5, label=label)
    axes.set(xlabel="people, n", ylabel=f"{what}, log axis", xlim=(0, sizes[-1]), yscale="log", title=title)
    axes.title.set_fontsize(10)
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    side_legend(axes)
    save(name, figure)


def _numbers(where: str, figure: Bits) -> Iterator[Number]:
    epsilon, p, _, n = figure
    at = f"δ at ε = {epsilon:g}, p = {p:g}, n = {n:,}"
    yield Number(where, f"{at}: Theorem 1", None, bernoulli_formula(n, p, epsilon), "the paper's line")
    earlier = chernoff_formula(n, p, epsilon)
    yield Number(where, f"{at}: Bhaskar et al.", None, earlier, "the dashed line, as we derive it")
    yield Number(where, f"{at}: exact", None, exact_delta(n, p, epsilon).upper, "the least δ, all events")
    enough = next(n for n in range(1, 100_000) if bernoulli_formula(n, p, epsilon) <= SIGNIFICANT)
    exactly = 1 + max(n for n in range(1, 500) if exact_delta(n, p, epsilon).upper > SIGNIFICANT)
    yield Number(where, f"people for δ <= {SIGNIFICANT:g}: Theorem 1", None, enough, "from its formula")
    yield Number(where, f"people for δ <= {SIGNIFICANT:g}: exact", None, exactly, "from there on, of n up to 500")


if __name__ == "__main__":
    main(bits)
