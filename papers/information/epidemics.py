"""IP §IV on rare epidemics: leakage of a fixed noise, and the least noise for a fixed promise, by their probability.

With probability p all of a group are ill; otherwise nobody is, or each with a chance of its own. The noise is from the
closed form of Result 14.2, which the channel's leakage of ten people agrees with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Final, final

from papers.family import PEOPLE
from papers.figure import BLACK, BLUE, GREEN, ORANGE, panels, save
from papers.information.example import CHANCES
from papers.information.rare import Rare, RareAt, rare_at, rows
from papers.numbers import Number, main, write_csv

EPSILON: Final = 1.0
SPORADIC: Final = 0.01
SIZES: Final = (10, 100, 1000, 1_000_000)
LEAKAGES: Final = (
    ("inferential", "inferential", ORANGE, "-", "s"),
    ("information", "information", BLUE, "-", "o"),
    ("relative_entropy", "relative entropy", GREEN, "--", "^"),
    ("mutual_information", "mutual information", BLACK, "-.", "D"),
)
LOOKS: Final = ((ORANGE, "s"), (BLUE, "o"), (GREEN, "^"), (BLACK, "D"))


@final
@dataclass(frozen=True)
class Needed:
    """The least scale of Laplace noise on the count that keeps a promise of epsilon, in people."""

    law: Rare
    epsilon: float
    inferential: float
    information: float

    @property
    def group(self) -> float:
        """Of group privacy, whatever the law."""
        return self.law.people / self.epsilon

    @property
    def rule(self) -> float:
        """1 + ln(1/r)/ε, r the share of epidemics among the reasons to be ill: about what rarity saves."""
        return 1 - log(self.law.share) / self.epsilon


def epidemics(quick: bool = False) -> Iterator[Number]:
    chances = (1e-12, 1e-6, 1e-3, 0.5) if quick else CHANCES
    rare = [rare_at(Rare(PEOPLE, p, q), 1 / EPSILON, EPSILON) for q in (0.0, SPORADIC) for p in chances]
    causes = [(PEOPLE, 0.0), *((people, SPORADIC) for people in SIZES)]
    scales = [needed(Rare(people, p, q)) for people, q in causes for p in chances]
    draw_leakages(rare)
    write_csv("information_rare", rows(rare, 1 / EPSILON))
    draw_noise(scales)
    write_csv("information_rare_noise", _rows_of_needed(scales))
    yield from _of_rare(rare)
    yield from _of_noise()


def needed(law: Rare) -> Needed:
    return Needed(law, EPSILON, *(law.least_scale(notion, EPSILON) for notion in ("inferential", "information")))


def draw_leakages(points: Sequence[RareAt]) -> None:
    """The worst and the average, for epidemics as the only cause and beside others; and how likely the worst is."""
    figure, (left, middle, right) = panels(1, 3, (11.6, 4.8))
    causes = sorted({at.law.sporadic for at in points})
    for axes, cause in zip((left, middle), causes, strict=True):
        own = [at for at in points if at.law.sporadic == cause]
        for name, label, colour, dashes, mark in LEAKAGES:
            heights = [getattr(at, name).middle for at in own]
            _plot(axes, own, heights, colour, dashes, mark, label)
        axes.set(yscale="log", ylim=(1e-8, 100))
        axes.axhline(1.0, color="0.5", linewidth=0.8, linestyle=":")
        axes.set_title(_cause(cause), fontsize=10)
    left.set_ylabel("leakage of Laplace(1) noise, nats")
    _likely(right, points, causes)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=2, frameon=False, fontsize=9)
    save("information_rare", figure)


def draw_noise(points: Sequence[Needed]) -> None:
    """In people for ten; as what is saved of group noise for more."""
    figure, (left, right) = panels(1, 2, (10.4, 4.4))
    ten = min(at.law.people for at in points)
    for cause, dashes in zip(sorted({at.law.sporadic for at in points}), ("-", "--"), strict=True):
        own = [at for at in points if at.law.sporadic == cause and at.law.people == ten]
        words = "only cause" if not cause else f"else chance {cause:g}"
        _plot(left, own, [at.inferential for at in own], ORANGE, dashes, "s", f"inferential, {words}")
        _plot(left, own, [at.information for at in own], BLUE, dashes, "o", f"information, {words}")
    left.set(ylabel="least scale of Laplace noise, people", ylim=(0, 11))
    left.set_title(f"{ten} people, ε = 1; group noise is {ten}", fontsize=10)
    _saved(right, [at for at in points if at.law.sporadic > 0])
    left.legend(fontsize=8, framealpha=1, loc="center", bbox_to_anchor=(0.42, 0.62))
    right.legend(fontsize=8, framealpha=1)
    save("information_rare_noise", figure)


def _likely(axes: Any, points: Sequence[RareAt], causes: Sequence[float]) -> None:
    for cause, dashes in zip(causes, ("-", "--"), strict=True):
        own = [at for at in points if at.law.sporadic == cause]
        words = "only cause" if not cause else "also others"
        shown = [at for at in own if at.ill.upper > 0]
        _plot(axes, shown, [at.ill.middle for at in shown], ORANGE, dashes, "s", f"δ of the ill at ε = 1, {words}")
        shown = [at for at in own if at.above.upper > 0]
        _plot(axes, shown, [at.above.middle for at in shown], BLUE, dashes, "o", f"output above 1 nat, {words}")
        _plot(axes, own, [at.farthest for at in own], BLACK, dashes, "D", f"10 or more published, {words}")
    axes.set(yscale="log", ylim=(1e-8, 3))
    axes.set_ylabel("probability")
    axes.set_title("how likely the leak is", fontsize=10)


def _saved(axes: Any, points: Sequence[Needed]) -> None:
    for people, (colour, mark) in zip(sorted({at.law.people for at in points}), LOOKS, strict=True):
        own = [at for at in points if at.law.people == people]
        heights = [at.group / at.inferential for at in own]
        _plot(axes, own, heights, colour, "-", mark, f"{people:,} people")
    own = [at for at in points if at.law.people == points[0].law.people]
    axes.plot(
        [at.law.epidemic for at in own], [at.rule for at in own], color="0.5", linestyle=":", label="1 + ln(1/r)/ε"
    )
    axes.set(ylabel="group noise / least noise (inferential)", ylim=(0, 26))
    axes.set_title("what rarity saves, other causes 0.01, ε = 1", fontsize=10)


def _plot(axes: Any, points: Sequence[RareAt | Needed], heights: Sequence[float], *look: str) -> None:
    colour, dashes, mark, label = look
    places = [at.law.epidemic for at in points]
    style = {"color": colour, "linestyle": dashes, "marker": mark, "markersize": 4, "markevery": 2}
    axes.plot(places, heights, label=label, **style)
    axes.set(xscale="log", xlim=(1e-12, 0.5), xlabel="probability of an epidemic, p")


def _cause(sporadic: float) -> str:
    return f"otherwise each ill with chance {sporadic:g}" if sporadic else "an epidemic is the only cause"


def _of_rare(points: Sequence[RareAt]) -> Iterator[Number]:
    claim = "the text: very small effect (errata)"
    for at in points:
        if at.law.epidemic in (1e-12, 1e-6):
            cause = f", else each with chance {at.law.sporadic:g}" if at.law.sporadic else " or nobody"
            what = f"leakage of Laplace(1), nats; with probability {at.law.epidemic:g} all ten are ill{cause}"
            yield Number("§IV", f"inferential {what}", None, at.inferential.middle, claim)
            yield Number("§IV", f"information {what}", None, at.information.middle, claim)
            yield Number("§IV", f"mutual-information {what}", None, at.mutual_information.middle, "an average")


def _of_noise() -> Iterator[Number]:
    for people in SIZES:
        saved = people / EPSILON / Rare(people, 1e-6, SPORADIC).least_scale("information", EPSILON)
        what = f"group noise over the least, {people:,} people, epidemic 1e-06, else chance {SPORADIC:g}"
        yield Number("§IV", what, None, saved, "about 1 + ln(1/r)/ε, whatever the number of people (Result 14.2)")


def _rows_of_needed(points: Sequence[Needed]) -> Iterator[tuple[object, ...]]:
    yield "people", "sporadic", "epidemic", "epsilon", "group_scale", "inferential_scale", "information_scale", "rule"
    for at in points:
        law = at.law
        yield law.people, law.sporadic, law.epidemic, at.epsilon, at.group, at.inferential, at.information, at.rule


if __name__ == "__main__":
    main(epidemics)
