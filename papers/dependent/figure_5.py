"""DDP Figure 5: error and leaked information of the attack on centroids with noise for independent records."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from papers.dependent.runs import BITS, EPSILONS, Adversary, Found, Runs, Setting, runs_of
from papers.figure import BLACK, BLUE, GREY, ORANGE, panels, save
from papers.numbers import Number, data_folder, main, write_csv

HALF: Final = 0.5
ADVERSARIES: Final[tuple[tuple[Adversary, float, str, tuple[str, str, str]], ...]] = (
    ("independent", 1.0, "no friends known, all others known", (BLUE, "-", "o")),
    ("independent", HALF, "no friends known, half of the others", (BLUE, "--", "s")),
    ("dependent", 1.0, "friends known, all others known", (ORANGE, "-", "^")),
    ("dependent", HALF, "friends known, half of the others", (ORANGE, "--", "v")),
)
PRINTED_BITS: Final = 8.38
SMALL: Final = 0.1
ONE: Final = 1.0
"""ε of the numbers."""


def figure_5(quick: bool = False) -> Iterator[Number]:
    """Leaked information is Eq 11, the entropy of the prior of somebody who knows no friends less that of the posterior
    of somebody who does. It is as large where nothing is published; what the output adds is `gained`."""
    runs = runs_of(data_folder())
    draw(runs)
    write_csv("dependent_figure_5", rows(runs), rounded=True)
    yield from numbers(runs)


def line(runs: Runs, adversary: Adversary, share: float, times: float = 1.0) -> list[Found]:
    return [runs.at(Setting(times, epsilon, adversary, share)) for epsilon in EPSILONS]


def rows(runs: Runs) -> Iterator[tuple[object, ...]]:
    yield HEADER
    for adversary, share, _, _ in ADVERSARIES:
        yield (adversary, share, "nothing", *cells(runs.nothing(share, adversary)), "")
        for epsilon, found in zip(EPSILONS, line(runs, adversary, share), strict=True):
            yield (adversary, share, epsilon, *cells(found), epsilon * BITS)


HEADER: Final = (
    *("adversary", "share_known", "epsilon", "leaked_bits", "gained_bits", "error_km", "error_km_without_output"),
    *("expected_km", "success", "success_without_output", "epsilon_in_bits"),
)


def cells(found: Found) -> tuple[float, ...]:
    return (
        *(found.leaked * BITS, found.gained * BITS, found.error_km, found.prior_error_km),
        *(found.expected_km, found.success, found.prior_success),
    )


def numbers(runs: Runs) -> Iterator[Number]:
    nothing, small = runs.nothing(), runs.at(Setting(1.0, SMALL))
    strangers = runs.nothing(adversary="independent")
    half = runs.at(Setting(1.0, SMALL, share=HALF))
    independent = runs.at(Setting(1.0, SMALL, "independent"))
    why = f"of {nothing.people:,} people on 3 × 400 cells; log2(400) = 8.64 is the most a city's grid allows"
    yield Number("§IV-D", "prior information, bits (Eq 8)", PRINTED_BITS, nothing.independent_entropy * BITS, why)
    at = f"ε = {SMALL:g}"
    yield Number("Fig 5b", f"the bound ε of Thm 2 in bits, {at}", None, SMALL * BITS, "E8: ε is in nats")
    yield Number("Fig 5b", f"leaked, bits, {at}: friends known", None, small.leaked * BITS, "the text: above ε")
    yield Number(
        *("Fig 5b", "leaked, bits, nothing published: friends known", None, nothing.leaked * BITS),
        "the same: Eq 11 subtracts entropies of two priors, and the output adds nothing",
    )
    yield Number("Fig 5b", f"gained from the output, bits, {at}: friends known", None, small.gained * BITS, "below ε")
    yield Number("Fig 5b", f"leaked, bits, {at}: no friends known", None, independent.leaked * BITS, "below ε")
    why = "the text: still more than who knows all others and no friends"
    yield Number("Fig 5b", f"leaked, bits, {at}: friends, half of the others", None, half.leaked * BITS, why)
    one = runs.at(Setting(1.0, ONE)), runs.at(Setting(1.0, ONE, "independent"))
    top = "by the likeliest cell; of two in San Francisco that are nearly as likely, noise decides"
    for found, words, why in (
        (independent, f"ε = {SMALL:g}, no friends known", top),
        (small, f"ε = {SMALL:g}, friends known", "the text: smaller with friends"),
        (one[1], f"ε = {ONE:g}, no friends known", "not smaller with friends here"),
        (one[0], f"ε = {ONE:g}, friends known", ""),
    ):
        yield Number("Fig 5a", f"inference error, km, {words}", None, found.error_km, why)
    for found, words in ((strangers, "no friends known"), (nothing, "friends known")):
        what = f"error from a cell drawn by the belief, km, nothing published, {words}"
        yield Number("Fig 5a", what, None, found.expected_km, "smaller with friends, without any output")


def draw(runs: Runs) -> None:
    figure, (left, right) = panels(1, 2, (10.4, 4.4))
    for adversary, share, label, (colour, dashes, mark) in ADVERSARIES:
        found = line(runs, adversary, share)
        style = {"color": colour, "linestyle": dashes, "marker": mark, "markersize": 5}
        left.plot(EPSILONS, [at.error_km for at in found], label=label, **style)
        right.plot(EPSILONS, [at.leaked * BITS for at in found], **style)
    nothing, strangers = runs.nothing(), runs.nothing(adversary="independent")
    for axes, height, other in (
        (left, nothing.error_km, strangers.error_km),
        (right, nothing.leaked * BITS, strangers.leaked * BITS),
    ):
        axes.axhline(height, color=GREY, linestyle=":", label="nothing published, friends known")
        axes.axhline(other, color=GREY, linestyle="-.", linewidth=0.8, label="nothing published, no friends known")
        axes.set(xscale="log", xlabel="ε of noise for independent records, nats")
    bound(right)
    left.set(ylabel="inference error (Eq 10), km", ylim=(0, None))
    right.set_ylabel("leaked information (Eq 11), bits")
    handles, labels = left.get_legend_handles_labels()
    more, words = right.get_legend_handles_labels()
    figure.legend(
        [*handles, more[-1]], [*labels, words[-1]], loc="outside lower center", ncols=3, frameon=False, fontsize=8
    )
    save("dependent_figure_5", figure)


def bound(axes: Any) -> None:
    """ε itself, in bits: where the text has the most that an adversary of DP learns."""
    epsilons = np.geomspace(EPSILONS[0], EPSILONS[-1], 200)
    top = max(axes.get_ylim()[1], 2.0)
    axes.plot(epsilons, epsilons * BITS, color=BLACK, linewidth=1.2, linestyle=(0, (1, 1)), label="ε, in bits")
    axes.set_ylim(-0.25, top)


if __name__ == "__main__":
    main(figure_5)
