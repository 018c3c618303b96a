"""DDP Figure 6: what a noisy sum, difference or product of Example 1's two records leaks of the first.

D_j = D_i/2 + X/2 with D_i and X uniform on [0, 1]. Given D_i = d each query is uniform on an interval, so that its law
with Laplace noise is in closed form. The *separation* is the worst log of a ratio of two such laws, over two values of
D_i and all outputs. Outside of both intervals the ratio is one of moments E[e^{±εQ}], which are in closed form as well;
it is the supremum for these three queries, as a grid of outputs shows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from papers.figure import BLACK, BLUE, GREY, ORANGE, panels, save
from papers.numbers import Array, Number, main, write_csv

EPSILONS: Final = (0.1, 0.5, 1.0, 2.0, 4.0)
SHOWN: Final = 1.0
"""The ε of the picture."""
VALUES: Final = np.linspace(0, 1, 101)
"""Of D_i."""
OUTPUTS: Final = np.linspace(-2.5, 4.0, 1301)


@final
@dataclass(frozen=True)
class PairQuery:
    """A query of both records: name, how it is written, and between which two numbers it lies given D_i = d."""

    name: str
    formula: str
    ends: Callable[[Array], tuple[Array, Array]]
    printed: float | None


QUERIES: Final = (
    PairQuery("sum", "D_i + D_j", lambda d: (1.5 * d, 1.5 * d + 0.5), 1.5),
    PairQuery("subtraction", "D_i - D_j", lambda d: (0.5 * d - 0.5, 0.5 * d), 0.5),
    PairQuery("multiplication", "D_i · D_j", lambda d: (0.5 * d**2, 0.5 * d**2 + 0.5 * d), None),
)


def figure_6(quick: bool = False) -> Iterator[Number]:
    draw()
    write_csv("dependent_figure_6", rows(), rounded=True)
    write_csv("dependent_figure_6_separations", separations(), rounded=True)
    yield from numbers()


def separation(query: PairQuery, epsilon: float) -> float:
    """In nats: the worst log-ratio of two laws of the query plus Laplace(1/ε) noise, over D_i on a grid."""
    low, high = query.ends(VALUES)
    far = max(float(np.ptp(_log_moments(low, high, slope))) for slope in (epsilon, -epsilon))
    outputs = np.unique(np.concatenate([low, high]))  # and in between, in the tests
    logs = np.log([density(outputs, a, b, epsilon) for a, b in zip(low, high, strict=True)])
    return max(far, float(np.ptp(logs, axis=0).max()))


def density(outputs: Array, low: float, high: float, epsilon: float) -> Array:
    """Of a value uniform on [low, high] plus Laplace(1/ε) noise, at each output."""
    if high == low:
        return np.asarray(epsilon / 2 * np.exp(-epsilon * np.abs(outputs - low)))
    below = np.exp(-epsilon * np.abs(outputs - low))
    above = np.exp(-epsilon * np.abs(outputs - high))
    inside = (outputs > low) & (outputs < high)
    return np.asarray(np.where(inside, 2 - below - above, np.abs(below - above)) / (2 * (high - low)))


def rows() -> Iterator[tuple[object, ...]]:
    """The lines of the picture, then the separations."""
    yield "query", "epsilon", "output", "density_given_0", "density_given_1", "log_ratio"
    for query in QUERIES:
        for output, zero, one in zip(OUTPUTS[::5], *_lines(query)[:, ::5], strict=True):
            yield query.name, SHOWN, f"{output:.6g}", zero, one, float(np.log(one / zero))


def separations() -> Iterator[tuple[object, ...]]:
    """By query and ε, in units of ε."""
    yield "query", "epsilon", "separation_over_epsilon"
    for query in QUERIES:
        for epsilon in EPSILONS:
            yield query.name, epsilon, separation(query, epsilon) / epsilon


def numbers() -> Iterator[Number]:
    for query in QUERIES:
        why = "" if query.printed else "grows with ε; the text prints none"
        ours = separation(query, SHOWN) / SHOWN
        yield Number("Fig 6", f"separation of {query.name}, in ε; ε = {SHOWN:g}", query.printed, ours, why)


def draw() -> None:
    figure, all_axes = panels(1, len(QUERIES), (11.1, 3.9), sharey=True)
    for axes, query in zip(all_axes, QUERIES, strict=True):
        zero, one = np.log(_lines(query))
        axes.plot(OUTPUTS, zero, color=BLUE, label="given D_i = 0")
        axes.plot(OUTPUTS, one, color=ORANGE, linestyle="--", label="given D_i = 1")
        axes.plot(OUTPUTS, one - zero, color=BLACK, linestyle=":", label="log of their ratio")
        axes.axhspan(-SHOWN, SHOWN, color="0.92", zorder=0, label=f"±ε, ε = {SHOWN:g}")
        found = separation(query, SHOWN)
        axes.axhline(found, color=GREY, linewidth=0.8)
        axes.text(-2.4, found + 0.06, f"separation {found:.3g}", fontsize=8, color="0.25")
        axes.set_title(f"{query.name}: {query.formula}", fontsize=10)
        axes.set(xlabel="published output", xlim=(OUTPUTS[0], OUTPUTS[-1]), ylim=(-4, 2.2))
    all_axes[0].set_ylabel("log of a density, or of their ratio, nats")
    all_axes[0].legend(fontsize=8, framealpha=1, loc="lower center")
    save("dependent_figure_6", figure)


def _lines(query: PairQuery) -> Array:
    """(2, outputs): the densities given D_i = 0 and D_i = 1."""
    low, high = query.ends(np.array([0.0, 1.0]))
    return np.stack([density(OUTPUTS, float(a), float(b), SHOWN) for a, b in zip(low, high, strict=True)])


def _log_moments(low: Array, high: Array, slope: float) -> Array:
    """log E[e^{slope·U}], U uniform on [low, high]."""
    half = np.abs(slope) * (high - low) / 2
    safe = np.where(half > 0, half, 1.0)
    return np.asarray(slope * (low + high) / 2 + np.where(half > 0, np.log(np.sinh(safe) / safe), 0.0))


if __name__ == "__main__":
    main(figure_6)
