"""Which colour, mark and dashes a method or a notion has, in every picture there is.

Colours are those of Okabe and Ito (2008), which people who see fewer colours distinguish, without their yellow, which
is faint in print. No two methods share a colour and a mark, nor a mark and dashes: they differ in grey too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, TypeAlias, final

VERMILLION, BLUE, GREEN, PINK = "#D55E00", "#0072B2", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
COLOURS: Final = (VERMILLION, BLUE, GREEN, PINK, ORANGE, SKY, BLACK)

Dashes: TypeAlias = str | tuple[int, tuple[int, ...]]
DOTS: Final = (0, (1, 1.4))
LONG: Final = (0, (7, 2))


@final
@dataclass(frozen=True)
class Look:
    """colour as #RRGGBB, mark and dashes as matplotlib names them."""

    colour: str
    mark: str
    dashes: Any = "-"

    def line(self, filled: bool = True) -> dict[str, Any]:
        """What `Axes.plot` is given; a hollow mark says that something does not hold."""
        face = self.colour if filled else "white"
        return {"color": self.colour, "marker": self.mark, "linestyle": self.dashes, "markerfacecolor": face}


METHOD_LOOKS: Final[Mapping[str, Look]] = {
    "independent": Look(VERMILLION, "o"),
    "group": Look(BLUE, "s"),
    "gaussian": Look(BLUE, "P", "--"),
    "weak_dependence": Look(GREEN, "^"),
    "weak_dependence_sharp": Look(GREEN, "v", "--"),
    "dependence_coefficient": Look(SKY, "h"),
    "dependence_coefficient_closed": Look(ORANGE, "p", "--"),
    "correlated_sensitivity": Look(PINK, "X", "-."),
    "comonotone": Look(GREEN, "*", DOTS),
    "wasserstein": Look(BLUE, ">", "-."),
    "markov_quilt": Look(SKY, "<"),
    "markov_quilt_approximate": Look(SKY, ">", "--"),
    "influence_curve": Look(SKY, "d", "-."),
    "prior_free": Look(GREEN, "s", "-."),
    "prior_dependent": Look(GREEN, "o", "--"),
    "lee_clifton": Look(VERMILLION, "^", "-."),
    "noiseless": Look(BLACK, "X"),
    "exact": Look(BLACK, "D"),
    "clamped": Look(ORANGE, "P"),
    "optimal": Look(PINK, "v"),
}
NOTION_LOOKS: Final[Mapping[str, Look]] = {
    "differential": Look(VERMILLION, "s", "--"),
    "inferential": Look(BLUE, "o"),
    "identity": Look(BLUE, "*", "-."),
    "dependent": Look(BLUE, ">", DOTS),
    "information": Look(BLACK, "D"),
    "bayesian": Look(GREEN, "^", "-."),
    "relative_entropy": Look(PINK, "v"),
    "mutual_information": Look(SKY, "P", "--"),
    "min_entropy": Look(ORANGE, "h", "-."),
    "g_leakage": Look(ORANGE, "p", "--"),
    "noiseless": Look(GREEN, "X", DOTS),
    "identifiability": Look(PINK, "d", "--"),
    "rho": Look(SKY, "<"),
}
_MARKS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "p", "d")
_DASHES: Final = (LONG, (0, (5, 1, 1, 1, 1, 1)), (0, (9, 3, 2, 3)))
_SPARE: Final = tuple(
    Look(colour, mark, dashes) for dashes, mark, colour in product(_DASHES, _MARKS, ("#7F7F7F", "#404040"))
)
"""Grey, for what authors outside the project add."""


def looks_of(methods: Iterable[str]) -> dict[str, Look]:
    """The look of each; those of other authors have the spare ones, in the order of their names."""
    return _with_spare(METHOD_LOOKS, methods)


def notion_looks_of(notions: Iterable[str]) -> dict[str, Look]:
    """The same of notions."""
    return _with_spare(NOTION_LOOKS, notions)


def _with_spare(own: Mapping[str, Look], names: Iterable[str]) -> dict[str, Look]:
    asked = list(dict.fromkeys(names))
    others = sorted(set(asked) - own.keys())
    spare = {name: _SPARE[place % len(_SPARE)] for place, name in enumerate(others)}
    return {name: own[name] if name in own else spare[name] for name in asked}
