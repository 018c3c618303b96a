"""The meaning of an ε: how far a count at that ε moves the chance of a person alone, and of a member of a group."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final, final

from dalenius.calibration import calibrate
from dalenius.channel import Release
from dalenius.interpretation.group import Group, checked_number, group_of
from dalenius.interpretation.limits import LARGEST_EPSILON
from dalenius.interpretation.moved_odds import Moved, moved_odds
from dalenius.interpretation.sentences import TEXTS, factor_of, percent, plain
from dalenius.noise import Gaussian, Geometric
from dalenius.notions import InferentialPrivacy
from dalenius.plotting import BLUE, VERMILLION, given_axes
from dalenius.queries import Count
from dalenius.tabular import Cell, Tabular

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST_EPSILON: Final = 1e-6
_LEAST_DELTA, _LARGEST_DELTA = 1e-15, 0.5
_WIDTH: Final = 50
"""Characters of the picture for all chances from 0 to 1."""
_NAMES: Final = 27
"""Characters of the names beside the picture."""


@final
@dataclass(frozen=True, repr=False, eq=False)
class Meaning(Tabular):
    """The meaning of an ε for one person, alone and in a group. It shows as a table, a paragraph and a picture.

    Attributes:
        epsilon: The ε that is promised to one person, in nats.
        delta: The δ that is promised with it; 0 for none.
        group: The group that the person belongs to, with its model and the chance of each record.
        noise: The noise of the count: geometric, or Gaussian where there is a δ.
        alone: How far outputs move the odds about a person alone, from half of all outputs to the worst.
        member: The same about the member of the group about whom most leaks.

    Example:
        >>> import dalenius as dl
        >>> found = dl.meaning(epsilon=1.0, household=2, alike=1.0)
        >>> found.noise, [round(each.odds.middle, 6) for each in (found.alone[-1], found.member[-1])]
        (Geometric(scale=1.0), [1.0, 2.0])
    """

    epsilon: float
    delta: float
    group: Group
    noise: Geometric | Gaussian
    alone: Sequence[Moved]
    member: Sequence[Moved]

    @property
    def caption(self) -> str:
        """The title of the table."""
        return f"What ε = {plain(self.epsilon)} means; the chance before is {self.before}"

    @property
    def before(self) -> str:
        """The chance before the release, in percent."""
        return f"{plain(100 * self.group.chance)} %"

    @property
    def words(self) -> str:
        """The meaning as one paragraph."""
        promised = self._promised
        gaps: dict[str, str] = {
            "epsilon": plain(self.epsilon),
            "delta": plain(self.delta),
            "before": self.before,
            **{f"alone_{name}": text for name, text in _said(promised[0]).items()},
            **_said(promised[1]),
            "group": self._gapped(self.group.kind),
            **{str(each.outputs): factor_of(each.odds.upper) for each in self.member[:2]},
            "noise": self.noise.kind.capitalize() if self.delta else self.noise.kind,
            "scale": plain(self.noise.scale or 0.0),
            "outside": TEXTS[f"outside_{self.group.kind}"],
        }
        names = ("alone_delta", "member", "no_worst", "assumed") if self.delta else ("alone", "member", "assumed")
        return " ".join(TEXTS[name].format(**gaps) for name in names)

    @property
    def picture(self) -> str:
        """The picture in characters: the chance before, after 99 % of the outputs, and after what is promised."""
        return self.drawn(_NAMES + _WIDTH)

    def drawn(self, width: int) -> str:
        """Draws the picture in characters, for a terminal.

        Args:
            width: The characters of a line.

        Returns:
            The lines: a scale, a bar for each person, and what the marks mean.
        """
        bar = max(10, min(_WIDTH, width - _NAMES))
        scale = f"{'chance of being ill':<{_NAMES}}0 %{'100 %':>{bar - 3}}"
        rows = [f"{name:<{_NAMES}}{self._bar(moved, bar)}" for name, moved in self._people]
        far = f"all outputs but {plain(self.delta)}" if self.delta else "all outputs"
        marks = fill(f"┃ before, ━ after 99 % of outputs, ─ after {far}", width)
        return "\n".join([scale, *rows, marks])

    def records(self) -> list[dict[str, Cell]]:
        """Returns the rows of the data frame: a row for each person and set of outputs.

        The columns are who, outputs, share (of the outputs that may say more), lower and upper (of the nats by which
        the odds move), lowest and highest (of the chances that are left, rounded outwards).
        """
        return [
            {
                "who": name,
                "outputs": each.outputs,
                "share": each.share,
                "lower": each.odds.lower,
                "upper": each.odds.upper,
                "lowest": each.lowest.lower,
                "highest": each.highest.upper,
            }
            for name, moved in self._people
            for each in moved
        ]

    def shown(self) -> list[dict[str, str]]:
        """Returns the rows as people read them: a row for each set of outputs."""
        rows = []
        for alone, member in zip(self.alone, self.member, strict=True):
            row = {"outputs": TEXTS[alone.outputs]}
            # Because a row has each name of a column once, the second one has a blank behind it.
            for name, each, blank in (("alone", alone, ""), ("group", member, " ")):
                said = _said(each)
                row |= {f"{name}: odds": said["times"], f"chance{blank}": f"{said['low']} to {said['high']}"}
            rows.append(row)
        return rows

    def notes(self) -> list[str]:
        """Returns the paragraph and the picture."""
        return [self.words, self.picture]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draws the chances that are left: a thick line for 99 % of the outputs, a thin one for what is promised.

        Args:
            ax: The matplotlib axes to draw on; None (the default) for new ones.

        Returns:
            The axes.
        """
        ax = given_axes(ax)
        for place, ((_, moved), colour) in enumerate(zip(self._people, (BLUE, VERMILLION), strict=True)):
            for each, width in ((moved[1], 9.0), (moved[self._place], 2.5)):
                ends = [100 * each.lowest.lower, 100 * each.highest.upper]
                ax.plot(ends, [place, place], color=colour, linewidth=width, solid_capstyle="butt")
        ax.axvline(100 * self.group.chance, color="black", linestyle=":", linewidth=1.2)
        ax.annotate("before", (100 * self.group.chance, -0.55), xytext=(3, 0), textcoords="offset points", va="center")
        ax.set_yticks([0, 1], [name for name, _ in self._people])
        ax.set_ylim(1.6, -0.8)
        ax.set_xlim(0, 100)
        ax.set_xlabel("chance of being ill after the release (%)")
        return ax

    @property
    def _people(self) -> list[tuple[str, Sequence[Moved]]]:
        return [(TEXTS["who_alone"], self.alone), (TEXTS[f"who_{self.group.kind}"], self.member)]

    @property
    def _place(self) -> int:
        """The set of outputs that the promise is about: all, or all but δ."""
        return 2

    @property
    def _promised(self) -> tuple[Moved, Moved]:
        return self.alone[self._place], self.member[self._place]

    def _gapped(self, name: str) -> str:
        """Returns a text about the group with its gaps filled."""
        repeats = "" if self.group.repeats is None else plain(self.group.repeats)
        return TEXTS[name].format(size=self.group.size, repeats=repeats)

    def _bar(self, moved: Sequence[Moved], width: int) -> str:
        """Draws one bar of the picture, of so many characters."""
        line = [" "] * width
        for each, mark in ((moved[self._place], "─"), (moved[1], "━")):
            first, last = (min(int(width * end), width - 1) for end in (each.lowest.lower, each.highest.upper))
            line[first : last + 1] = mark * (last + 1 - first)
        line[min(int(width * self.group.chance), width - 1)] = "┃"
        return "".join(line).rstrip()


def _said(moved: Moved) -> dict[str, str]:
    """Returns the texts for one set of outputs: the factor of the odds, and the lowest and highest chance."""
    odds = factor_of(moved.odds.upper)
    return {
        "odds": odds,
        "times": odds if isinf(moved.odds.upper) else f"× {odds}",
        "low": percent(moved.lowest.lower, False),
        "high": percent(moved.highest.upper, True),
    }


def meaning(
    epsilon: float,
    delta: float = 0.0,
    household: int | None = None,
    alike: float | None = None,
    infected: Sequence[float] | None = None,
    chain: float | None = None,
    chance: float | None = None,
) -> Meaning:
    """Say what an ε means for a person alone, and for a member of a household that depends on each other.

    The numbers are those of a count with noise that keeps exactly this ε (and δ) for one record. The adversary knows
    the records of everybody outside the household. The law of the household is one of three.

    Args:
        epsilon: The ε that is promised to one person, in nats, from 1e-6 to 100.
        delta: The δ that is promised with it: 0 (the default) for geometric noise, or from 1e-15 to 0.5 for Gaussian
            noise.
        household: The number of members, or the days of the chain, from 1 to 64; None (the default) for 4, or the
            number that `infected` has.
        alike: The probability that all members have one value. Otherwise each has a value of its own. None (the
            default) for 0.9, where no other law is given.
        infected: Instead of `alike`: the probabilities that 0, 1, .., all members are ill.
        chain: Instead of `alike`: the probability that a day repeats the day before. Otherwise it is drawn anew.
        chance: The chance that one person is ill; None (the default) for 0.1, or the chance that `infected` has.

    Returns:
        The paragraph, the table and the picture, with an enclosure of each number.

    Raises:
        InputError: A number is out of range, or there are several laws.

    Example:
        >>> import dalenius as dl
        >>> found = dl.meaning(epsilon=1.0, household=4, alike=0.9)
        >>> found.words.split(". ")[2]
        'A chance of 10 % then stays between 3.92 % and 23.2 %'
        >>> [(each.outputs, round(each.odds.middle, 4)) for each in found.member]
        [('median', 3.0455), ('q99', 3.8444), ('worst', 3.8444)]

    Notes:
        A member's record counts as the one about which most leaks. `dalenius convert` bounds all pipelines with this
        ε, and not only a count.
    """
    checked_number("epsilon", epsilon, _LEAST_EPSILON, LARGEST_EPSILON, after=f" ({LARGEST_EPSILON.said})")
    if delta:
        checked_number("delta", delta, _LEAST_DELTA, _LARGEST_DELTA, "0, or ")
    group = group_of(household, alike, infected, chain, chance)
    noise = _noise(epsilon, delta, group)
    alone, member = (
        moved_odds(Release(model, Count(), noise), group.chance, delta) for model in (group.alone, group.model)
    )
    return Meaning(epsilon, delta, group, noise, alone, member)


def _noise(epsilon: float, delta: float, group: Group) -> Geometric | Gaussian:
    """Returns the least noise of its kind that keeps the promise to a person alone."""
    if not delta:
        return Geometric(scale=1 / epsilon)
    found: Any = calibrate(Release(group.alone, Count(), Gaussian()), InferentialPrivacy(epsilon=epsilon, delta=delta))
    return Gaussian(scale=found.noise.scale)
