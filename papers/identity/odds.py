"""IDP Examples 1 and 2: what a published count of the ill says of one member of a family of ten.

Anybody is ill with probability 0.1 at every strength of contagion. The odds are of one member being ill rather than
not, after the published count and before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any, Final, final

import dalenius as dl
from dalenius.plotting import METHOD_LOOKS
from papers.by_method import METHODS, named
from papers.family import CHANCE, PEOPLE, all_or_nobody, release_of
from papers.figure import BLACK, BLUE, GREEN, ORANGE, PINK, panels, save
from papers.numbers import Number, main, write_csv

EPSILON: Final = 1.0
"""Of Example 1's Laplace(1/ε)."""
PUBLISHED: Final = 12.0
"""The answer of Example 1."""
CONTAGIONS: Final = (0.0, 0.01, 0.05, 0.2, 1.0)
ANSWERS: Final = tuple(step / 2 for step in range(-10, 31))
RARE: Final = 1e-6
"""Outputs of a linear program's solution that are rarer are left out of the picture: they are what was mixed in."""
LOOKS: Final = ((BLACK, "-"), (BLUE, "--"), (GREEN, "-."), (PINK, (0, (5, 1, 1, 1, 1, 1))), (ORANGE, "-"))
FACTORS: Final = ((1e-4, "10⁻⁴"), (1e-2, "10⁻²"), (1.0, "1"), (1e2, "10²"), (1e4, "10⁴"))
LIMITS: Final = (-11.5, 14.5)


@final
@dataclass(frozen=True)
class Line:
    """A line of a panel: what it is of, the published answers, and the logs of the factors of the odds there."""

    panel: str
    name: str
    answers: tuple[float, ...]
    values: tuple[dl.Enclosure, ...]

    @property
    def heights(self) -> list[float]:
        return [value.middle for value in self.values]


def odds(quick: bool = False) -> Iterator[Number]:
    answers = ANSWERS[::4] if quick else ANSWERS
    of_contagion = [_line("contagion", f"{h:g}", release_of(h, 1 / EPSILON), answers) for h in CONTAGIONS]
    of_method = [_of_method(method, answers) for method in METHODS]
    draw(of_contagion, of_method)
    write_csv("identity_example", _rows([*of_contagion, *of_method]))
    yield from _of_example_1()
    yield from _of_example_2()


def log_odds(release: dl.Release, answer: float) -> dl.Enclosure | None:
    """log of posterior odds of being ill over prior odds, after that answer; None where it is never published, or
    hardly ever by noise that has no scale."""
    try:
        (law,) = dl.posterior(release, [answer]).laws
    except dl.InputError:
        return None
    if release.noise.scale is None and law.likelihood is not None and law.likelihood.upper < log(RARE):
        return None
    well, ill = law.people[0].values
    low, high = (
        log(above / ill.prior) - log(below / well.prior)
        for above, below in (
            (ill.posterior.lower, well.posterior.upper),
            (ill.posterior.upper, well.posterior.lower),
        )
    )
    return dl.Enclosure(low, high)


def draw(of_contagion: Sequence[Line], of_method: Sequence[Line]) -> None:
    figure, (left, right) = panels(1, 2, (10.4, 4.6), sharey=True)
    for line, (colour, dashes) in zip(of_contagion, LOOKS, strict=True):
        left.plot(line.answers, line.heights, color=colour, linestyle=dashes, label=f"contagion {line.name}")
    where = PUBLISHED, PEOPLE * EPSILON
    left.plot(*where, marker="o", markersize=8, markerfacecolor="white", markeredgecolor=ORANGE)
    words = f"Example 1: {PUBLISHED:g} published,\nodds times e¹⁰ = 22,026"
    left.annotate(words, where, xytext=(-6, 9), textcoords="offset points", ha="center", va="bottom", fontsize=8)
    left.set_title("noise as if people were independent, Laplace(1)", fontsize=10)
    left.set_ylabel("log(posterior odds / prior odds) of being ill, nats")
    _by_method(right, of_method)
    right.set_title("full contagion, noise of each method for ε = 1", fontsize=10)
    other = right.twinx()
    other.set_ylim(*LIMITS)
    other.set_yticks([log(value) for value, _ in FACTORS], [label for _, label in FACTORS])
    other.set_ylabel("as a factor of the odds")
    for axes in (left, right):
        axes.axhspan(-1, 1, color="0.9", zorder=0, label="within the promise, ε = 1")
        axes.set_xticks(range(-5, 16, 5))
        axes.set(xlabel="published count of ill people", xlim=(-5, 15), ylim=LIMITS)
        axes.legend(loc="lower right", fontsize=8, framealpha=1)
    save("identity_example", figure)


def _by_method(axes: Any, lines: Sequence[Line]) -> None:
    for line in lines:
        method = line.name.split(",")[0]
        name, look = named(method), METHOD_LOOKS[method]
        label = f"{name}: only {line.answers[0]:g}" if len(line.answers) == 1 else name + line.name.removeprefix(method)
        large = {"markersize": 9, "markerfacecolor": "none"}
        style: dict[str, Any] = {"markersize": 4, "markevery": 4}
        if len(line.answers) < 3:
            style = {"linestyle": "none", **large}
        elif method == "group":
            style |= large
        axes.plot(line.answers, line.heights, color=look.colour, marker=look.mark, label=label, **style)


def _of_method(method: str, answers: Sequence[float]) -> Line:
    """At full contagion, as Example 1 has it."""
    release = release_of(1.0)
    noise = dl.calibrate(release, dl.InferentialPrivacy(epsilon=EPSILON), method).noise
    if noise.scale is None:
        return _line("method", method, release.with_noise(noise), range(PEOPLE + 1))
    return _line("method", f"{method}, scale {noise.scale:.4g}", release.with_noise(noise), answers)


def _line(panel: str, name: str, release: dl.Release, answers: Sequence[float]) -> Line:
    found = [(float(answer), value) for answer in answers if (value := log_odds(release, answer)) is not None]
    return Line(panel, name, tuple(answer for answer, _ in found), tuple(value for _, value in found))


def _of_example_1() -> Iterator[Number]:
    for what, contagion, theirs, why in (
        (f"ε′ in e^ε′, how much likelier {PUBLISHED:g} is if all are ill; ε = 1", 1.0, 10.0, ""),
        ("the same if members were independent", 0.0, 1.0, "the text: the expected ε"),
    ):
        after = log_odds(release_of(contagion, 1 / EPSILON), PUBLISHED)
        assert after is not None
        yield Number("Example 1", what, theirs, after.middle, why)
    ((updated,),) = (law.people for law in dl.posterior(release_of(1.0, 1 / EPSILON), [PUBLISHED]).laws)
    change = updated.values[1].posterior.middle / updated.values[1].prior
    what = f"factor by which {PUBLISHED:g} raises the probability {CHANCE:g}"
    why = "the text says so of the probability; it is true of the odds (errata)"
    yield Number("Example 1", what, exp(10.0), change, why)


def _of_example_2() -> Iterator[Number]:
    """Two people, p(t1) = 0.1, geometric noise, Y = 2."""
    for what, model, theirs, why in (
        ("two members who are ill together", all_or_nobody(2, CHANCE), 2.0, "equation (3)"),
        ("two who are independent", dl.Independent(n=2, probabilities=[CHANCE]), 1.0, "the text: at most; attained"),
    ):
        after = log_odds(dl.Release(model, dl.Count(), dl.Geometric(scale=1 / EPSILON)), 2)
        assert after is not None
        what = f"log of posterior odds / prior odds at Y = 2, ε = 1: {what}"
        yield Number("Example 2", what, theirs, after.middle, why)


def _rows(lines: Sequence[Line]) -> Iterator[tuple[object, ...]]:
    yield "panel", "line", "published", "log_odds_change_lower", "log_odds_change_upper"
    for line in lines:
        for answer, value in zip(line.answers, line.values, strict=True):
            yield line.panel, line.name, answer, value.lower, value.upper


if __name__ == "__main__":
    main(odds)
