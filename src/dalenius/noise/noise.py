"""What is added to the answer before it goes out.

A noise says four things: what its outputs are given an answer (`mechanism`), how far they are from it (`error`), what
it leaks between answers at a distance (`privacy_loss`), and what is drawn (`draw`). A count that one person moves by 1,
under Laplace noise of scale 2, leaks at most half a nat about each, and is off by 2 on average:

>>> from dalenius import Laplace
>>> noise = Laplace(scale=2.0)
>>> noise.privacy_loss([Fraction(1)]), noise.error(Fraction(1)).expected
(0.5, 2.0)
"""

import abc
from collections.abc import Sequence
from fractions import Fraction
from math import inf
from statistics import mean
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, TypeAlias

from dalenius.errors import InputError, Meaningless
from dalenius.kinds import Kinds
from dalenius.laws.lattice import Lattice
from dalenius.noise.error_law import ErrorLaw
from dalenius.noise.mechanism import Mechanism
from dalenius.schema import Frozen, Positive

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Shape(NamedTuple):
    """What holds of a noise at any scale.

    scaled: it has a scale to choose. additive: the output is the answer plus something that does not depend on it.
    adds_nothing: which is 0: the exact answer goes out. needs_lattice: it is defined for answers on a known lattice
    only.
    lipschitz: the Lipschitz constant of the output's log-probability as a function of the answer (L1), in nats per
    scale; inf where it has none. Where it has one, a scale gives pure differential privacy (Dwork et al. 2006, Prop 1).
    exponential: the output has density, or mass, proportional to e^{-|output - answer|/scale}. gaussian: the scale is
    the deviation of a normal law. log_concave: what is added has a positive, log-concave density or mass: the more
    distant two answers are, the easier they are to distinguish (Dong, Roth and Su 2022). light_tailed: its density
    falls faster than any exponential: at any scale, the log-ratios of the outermost answers grow without bound with the
    output, and suprema over outputs are not attained at the answers' lattice points. outcome: what goes out, in words.
    """

    scaled: bool = True
    additive: bool = False
    adds_nothing: bool = False
    needs_lattice: bool = True
    lipschitz: float = inf
    exponential: bool = False
    gaussian: bool = False
    log_concave: bool = False
    light_tailed: bool = False
    outcome: str = "noised answer"


class Noise(Frozen, abc.ABC):
    """Independent noise of one scale on every coordinate of the answer.

    scale: in the query's own unit; may be left open where it is what is asked for (calibrate, compare).
    """

    offers: ClassVar[tuple[str, ...] | None] = (
        "words",
        "with_scale",
        "error",
        "privacy_loss",
        "plot",
    )

    _instead: ClassVar[str] = "a noise with a scale: laplace, geometric or gaussian"
    # What the error asks for where a scale is to be chosen, and this noise has none to choose.

    kind: str
    scale: Positive | None = None

    @property
    def shape(self) -> Shape:
        """What holds of it at any scale: by default nothing is known."""
        return Shape()

    @abc.abstractmethod
    def mechanism(self, lattice: Lattice) -> Mechanism:
        """What goes out given each exact answer on that lattice."""

    @abc.abstractmethod
    def error(self, step: Fraction) -> ErrorLaw:
        """How far the output of one coordinate is from its exact answer, on a lattice of that step."""

    @abc.abstractmethod
    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """The worst log-ratio between answers within these distances on each coordinate, in nats: never below it."""

    @abc.abstractmethod
    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """One release of an answer given in lattice steps: exact integer arithmetic throughout."""

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """The worst log-ratio between answers of that many coordinates, at L1 distance at most `distance`, in nats:
        never below it. It is what composition adds. By default every coordinate may move that far."""
        return self.privacy_loss([distance] * axes)

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0) -> float:
        """The least scale known to keep answers at that L1 distance within epsilon and delta, rounded up. InputError
        for a noise that has no scale to choose."""
        raise InputError("noise.kind", self.kind, self._instead)

    def with_scale(self, scale: float) -> "Noise":
        """The same kind of noise at another scale. InputError for a noise that has no scale to choose."""
        raise InputError("noise.kind", self.kind, self._instead)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """A picture of what is added to an answer, or of its output given the answer; where answers lie on a lattice,
        on the whole numbers. Meaningless (noise.kind) for a noise that is no one thing: by default."""
        raise Meaningless("noise.kind", self.kind, "a noise of one scale, or a kernel, for a picture")

    def each(self, count: int) -> tuple["Noise", ...]:
        """The noise of every one of so many coordinates: by default the same."""
        return (self,) * count

    @property
    def words(self) -> str:
        """The noise itself, in words."""
        return self.kind if self.scale is None else f"{self.kind}, scale {self.scale:.6g}"

    def known_scale(self) -> float:
        """The scale, where one is needed. InputError where it was left open."""
        if self.scale is None:
            raise InputError("noise.scale", "missing", "a finite number above 0 (dalenius calibrate finds it)")
        return self.scale


def is_complete(noise: Noise) -> bool:
    """Whether nothing is left to be chosen: every coordinate's noise has its scale, or needs none."""
    return all(part.scale is not None or not part.shape.scaled for part in noise.each(1))


def rate_of(noise: Noise) -> float:
    """By how many nats the log-probability of an output changes at most per unit of the answer; inf where that has no
    bound."""
    return inf if noise.shape.lipschitz == inf else noise.shape.lipschitz / noise.known_scale()


def gaussian_deviation(noise: Noise) -> float:
    """σ where the noise is Gaussian, in the query's unit; 0 elsewhere."""
    return noise.known_scale() if noise.shape.gaussian else 0.0


def mean_error(noise: Noise, lattice: Lattice) -> float:
    """E|output - answer|, averaged over the coordinates, in the query's own unit; nan, or the worst, where it depends
    on the answer (see `ErrorLaw.expected`)."""
    parts = zip(noise.each(lattice.axes), lattice.steps, strict=True)
    return mean(part.error(step).expected for part, step in parts)


NOISES: Final = Kinds("noise", "dalenius.noise.noise:Noise", "dalenius.noises")

AnyNoise: TypeAlias = Annotated[Noise, NOISES]
"""A noise of any kind, as a section of a spec."""
