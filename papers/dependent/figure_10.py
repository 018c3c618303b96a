"""DDP Figures 10 and 7: what the attack finds out from centroids with noise for dependent records."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Self, final

from papers.dependent.figure_5 import HEADER, bound, cells
from papers.dependent.figure_8 import known_dependence
from papers.dependent.mechanisms import COMONOTONE, DPM, LPM, Dependence, Mechanism, multiple
from papers.dependent.runs import BITS, EPSILONS, Found, Runs, Setting, runs_of
from papers.figure import BLACK, BLUE, GREY, ORANGE, PINK, panels, save
from papers.numbers import Number, data_folder, main, write_csv

MECHANISMS: Final = (LPM, DPM, COMONOTONE)
SHARES: Final = (0.1, 0.5, 1.0)
OF_SHARES: Final = (0.1, 10.0)
"""Of the ε, those of Figure 10 (b)."""
UNDERESTIMATED: Final = (1.0, 0.9, 0.8)
"""Of ρ, Figure 7."""
LOOKS: Final = ((ORANGE, "-", "o"), (BLUE, "--", "s"), (PINK, "-.", "^"))
NAMED: Final = 0.1


@final
@dataclass(frozen=True, eq=False)
class Dependent:
    """The runs; times: each method's multiple of the noise, for the person with most friends, by ε."""

    runs: Runs
    times: Mapping[tuple[Mechanism, float], float]

    @classmethod
    def of(cls, runs: Runs, dependence: Dependence) -> Self:
        return cls(runs, {(which, at): multiple(which, dependence, at) for which in MECHANISMS for at in EPSILONS})

    def at(self, which: Mechanism, epsilon: float, share: float = 1.0) -> Found:
        return self.runs.at(Setting(self.times[which, epsilon], epsilon, share=share))

    def underestimated(self, factor: float, epsilon: float) -> Found:
        """ρ of friends taken to be so many times what it is; ρ_ii = 1."""
        times = 1 + factor * (self.times[DPM, epsilon] - 1)
        return self.runs.at(Setting(times, epsilon))


def figure_10(quick: bool = False) -> Iterator[Number]:
    found = Dependent.of(runs_of(data_folder()), known_dependence(data_folder()))
    draw(found)
    draw_underestimated(found)
    write_csv("dependent_figure_7", underestimated_rows(found), rounded=True)
    write_csv("dependent_figure_10a", rows(found), rounded=True)
    write_csv("dependent_figure_10b", share_rows(found), rounded=True)
    yield from numbers(found)


def rows(found: Dependent) -> Iterator[tuple[object, ...]]:
    yield "noise", *HEADER
    for which in MECHANISMS:
        for epsilon in EPSILONS:
            yield (which.key, "dependent", 1.0, epsilon, *cells(found.at(which, epsilon)), epsilon * BITS)
    yield "nothing published", "dependent", 1.0, "", *cells(found.runs.nothing()), ""


def share_rows(found: Dependent) -> Iterator[tuple[object, ...]]:
    yield "noise", *HEADER
    for epsilon in OF_SHARES:
        for share in SHARES:
            at = found.at(DPM, epsilon, share)
            yield DPM.key, "dependent", share, epsilon, *cells(at), epsilon * BITS
    for share in SHARES:
        yield "nothing published", "dependent", share, "", *cells(found.runs.nothing(share)), ""


def underestimated_rows(found: Dependent) -> Iterator[tuple[object, ...]]:
    yield "times_rho", *HEADER
    for factor in UNDERESTIMATED:
        for epsilon in EPSILONS:
            at = found.underestimated(factor, epsilon)
            yield factor, "dependent", 1.0, epsilon, *cells(at), epsilon * BITS


def numbers(found: Dependent) -> Iterator[Number]:
    at = f"ε = {NAMED:g}"
    independent = found.runs.at(Setting(1.0, NAMED, "independent"))
    lpm, dpm, nothing = found.at(LPM, NAMED), found.at(DPM, NAMED), found.runs.nothing()
    yield Number("Fig 10a", f"leaked, bits, {at}, friends known: LPM", None, lpm.leaked * BITS, "")
    why = "the text: much smaller than LPM's, as without friends, and below ε; more noise only leaves the prior"
    yield Number("Fig 10a", f"leaked, bits, {at}, friends known: DPM", None, dpm.leaked * BITS, why)
    why = "the limit of much noise: the friends' prior is known without the output"
    yield Number("Fig 10a", "leaked, bits, friends known: nothing published", None, nothing.leaked * BITS, why)
    yield Number("Fig 10a", f"leaked, bits, {at}, no friends known: LPM", None, independent.leaked * BITS, "")
    large = EPSILONS[-1]
    for which in MECHANISMS:
        gain = found.at(which, large).gained * BITS
        what = f"gained from the output, bits, ε = {large:g}: {which.label}"
        yield Number("Fig 10a", what, None, gain, f"ε is {large * BITS:.3g} bits")
    few, many = found.at(DPM, NAMED, SHARES[0]), found.at(DPM, NAMED, SHARES[-1])
    why = "the text: more prior information helps the adversary"
    yield Number("Fig 10b", f"leaked, bits, {at}, DPM, {SHARES[0]:.0%} of the others", None, few.leaked * BITS, why)
    yield Number("Fig 10b", f"leaked, bits, {at}, DPM, all others", None, many.leaked * BITS, "")
    most = max(
        abs(found.underestimated(factor, epsilon).leaked - found.underestimated(1.0, epsilon).leaked)
        for factor in UNDERESTIMATED
        for epsilon in EPSILONS
    )
    why = "the text: little; the noise hardly matters to Eq 11 at all"
    yield Number("Fig 7", "most by which 0.8 ρ or 0.9 ρ changes what is leaked, bits", None, most * BITS, why)


def draw(found: Dependent) -> None:
    figure, (left, right) = panels(1, 2, (10.4, 4.4))
    for which in MECHANISMS:
        colour, dashes, mark = which.look
        size = 9 if which is DPM else 5  # under another's
        style = {"color": colour, "marker": mark, "markersize": size}
        line = [found.at(which, epsilon) for epsilon in EPSILONS]
        left.plot(
            EPSILONS, [at.leaked * BITS for at in line], linestyle=dashes, label=f"leaked: {which.label}", **style
        )
        left.plot(EPSILONS, [at.gained * BITS for at in line], linestyle=":", markerfacecolor="white", **style)
    strangers = [found.runs.at(Setting(1.0, epsilon, "independent")).leaked * BITS for epsilon in EPSILONS]
    left.plot(EPSILONS, strangers, color=PINK, linestyle="-.", marker="*", label="leaked: LPM, no friends known")
    left.plot([], [], color=GREY, linestyle=":", marker="o", markerfacecolor="white", label="gained from the output")
    left.axhline(found.runs.nothing().leaked * BITS, color=GREY, linewidth=0.8, label="leaked: nothing published")
    bound(left)
    left.set(xscale="log", xlabel="ε, nats", ylabel="information, bits")
    left.set_title("(a) by noise, friends known", fontsize=10)
    for epsilon, (colour, dashes, mark) in zip(OF_SHARES, LOOKS, strict=False):
        heights = [found.at(DPM, epsilon, share).leaked * BITS for share in SHARES]
        right.plot(SHARES, heights, color=colour, linestyle=dashes, marker=mark, label=f"(b) DPM, ε = {epsilon:g}")
    heights = [found.runs.nothing(share).leaked * BITS for share in SHARES]
    right.plot(SHARES, heights, color=BLACK, linestyle=":", label="(b) nothing published")
    right.set(xlabel="share of the others who are known", ylabel="leaked information, bits", ylim=(0, None))
    right.set_title("(b) by what the adversary knows", fontsize=10)
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    save("dependent_figure_10", figure)


def draw_underestimated(found: Dependent) -> None:
    figure, (axes,) = panels(1, 1, (5.2, 4.4))
    for factor, (colour, dashes, mark) in zip(UNDERESTIMATED, LOOKS, strict=True):
        line = [found.underestimated(factor, epsilon) for epsilon in EPSILONS]
        style = {"color": colour, "linestyle": dashes, "marker": mark, "markersize": 5}
        axes.plot(EPSILONS, [at.leaked * BITS for at in line], label=f"leaked: {factor:g} ρ", **style)
        axes.plot(EPSILONS, [at.gained * BITS for at in line], markerfacecolor="white", label="gained", **style)
    bound(axes)
    axes.set(xscale="log", xlabel="ε, nats", ylabel="information, bits")
    axes.set_title("DPM with ρ underestimated", fontsize=10)
    axes.legend(fontsize=8, framealpha=1)
    save("dependent_figure_7", figure)


if __name__ == "__main__":
    main(figure_10)
