"""The noises, each with all that the reference has to know of it; a new one is a class here, or in a file next to it.

Noise on points that is added says `at`, how likely each distance is; where other outputs than the answers matter,
`along`, by how much each counts, and `candidates`, where suprema are. Noise with a density also says where the line is
cut, and integrals that are known.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from typing import Any, ClassVar, TypeAlias, final

from tests.reference.channel import Amount, Answers, Channel, Found, Likelihoods, Real, Vector, differences, mp, real
from tests.reference.line import above, peak, split, steps
from tests.reference.noise_families import Added, Exponential, OnCandidates, OnLine, OnPoints, check_one_axis

SAMPLES = 24
Number: TypeAlias = Fraction | float | str
"""A float is taken at its exact binary value."""


@final
@dataclass(frozen=True)
class NoNoise(OnCandidates):
    """The exact answer goes out."""

    scale: ClassVar[Fraction] = Fraction(0)

    def weight(self, output: Any, answer: Fraction) -> Real:
        return mp.mpf(output == (answer if isinstance(output, Fraction) else real(answer)))

    def loss(self, one: Fraction, other: Fraction) -> Real:
        return mp.inf

    def likelihoods(self, channel: Channel, output: Sequence[Any]) -> Likelihoods:
        return {secret: law.get(tuple(output), mp.zero) for secret, law in channel.real_laws.items()}

    def candidates(self, channel: Channel) -> list[Vector]:
        return channel.support

    def smoothed(self, y: Real, variance: Real) -> Real:
        """Density at y of N(0, variance) plus the noise."""
        return mp.npdf(y, 0, mp.sqrt(variance))


@final
@dataclass(frozen=True)
class Kernel(OnCandidates):
    """Pr[output | answer] written out: by exact answer, the probabilities of the outputs 0, 1, .."""

    rows: tuple[tuple[Fraction, tuple[Fraction, ...]], ...]
    additive = False

    @cached_property
    def by_answer(self) -> dict[Fraction, tuple[Fraction, ...]]:
        """The rows."""
        return dict(self.rows)

    @cached_property
    def outputs(self) -> Sequence[Fraction]:
        """The columns."""
        return [Fraction(column) for column in range(len(self.rows[0][1]))]

    def weight(self, output: Any, answer: Fraction) -> Real:
        return real(self.by_answer[answer][int(output)])

    def along(self, axis: Sequence[Fraction]) -> list[tuple[Fraction, Real]]:
        return super().along(self.outputs)

    def group_loss(self, one: Answers, other: Answers) -> Real:
        """0 where an answer has no row: nothing is promised of it."""
        return super().group_loss(one, other) if {*one, *other} <= set(self.by_answer) else mp.zero

    def candidates(self, channel: Channel) -> list[Vector]:
        """The outputs that can occur."""
        every = product(*([self.outputs] * len(channel.axes)))
        return [output for output in every if channel.mixture(channel.likelihoods(output)) > 0]


@final
@dataclass(frozen=True)
class Geometric(Exponential, OnPoints):
    """Two-sided geometric noise on the multiples k·h of the lattice step: mass (1-a)/(1+a) a^|k|, a = e^(-h/b)."""

    step: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.step <= 0:
            raise ValueError(f"step is {self.step}, wanted a positive one")

    @cached_property
    def decay(self) -> Real:
        """a, the ratio of masses one lattice step apart."""
        return self.decay_over(self.step)

    @property
    def top(self) -> Real:
        return (1 - self.decay) / (1 + self.decay)

    def summable(self, steps: Sequence[Fraction]) -> bool:
        return set(steps) == {self.step}

    def along(self, axis: Sequence[Fraction]) -> list[tuple[Fraction, Real]]:
        """Every lattice point from the least answer to the greatest; each end stands for itself and its tail:
        1 + a + a² + ... = 1 + a/(1-a)."""
        first, last = axis[0], axis[-1]
        if any((value - first) % self.step for value in axis):
            raise ValueError(f"answers {axis} are not on one lattice of step {self.step}; choose a step that divides")
        points = [first + k * self.step for k in range(int((last - first) / self.step) + 1)]
        tail = self.decay / (1 - self.decay)
        return [(point, 1 + tail * ((point == first) + (point == last))) for point in points]


@final
@dataclass(frozen=True)
class Laplace(Exponential, OnLine):
    """Density e^(-|x|/b) / 2b. Between two answers the likelihoods are sums of a rising and a falling exponential."""

    kinked = True

    @property
    def top(self) -> Real:
        return self.rate / 2

    def edges(self, channel: Channel) -> list[Real]:
        # Ratios turn over within a scale: a piece of many is not one polynomial.
        cuts = (edge for ends in pairwise(channel.marks) for edge in steps(*ends, 2 * real(self.scale)))
        return sorted({channel.marks[0], *cuts})

    def beyond(self, channel: Channel, amount: Amount) -> list[Real]:
        """Every W(y|s) is W(end|s) e^(-distance/b), whose integral is b W(end|s)."""
        ends = channel.axes[0][0], channel.axes[0][-1]
        return [real(self.scale) * amount(channel.likelihoods([end])) for end in ends]

    def masses(self, channel: Channel, left: Real, right: Real) -> Likelihoods:
        scale, first = real(self.scale), channel.marks[0]
        low, high = (mp.exp((end - first) / scale) for end in (left, right))
        falling, rising = (1 / low - 1 / high) / 2, (high - low) / 2
        sides = self.sides(channel)[bisect_right(channel.marks, (left + right) / 2)]
        return {secret: below * falling + above * rising for secret, (below, above) in sides.items()}

    def positive_part(self, channel: Channel, excess: Amount, finer: int = 1) -> Real:
        """Between neighbouring answers the excess is P e^u + Q e^{-u}, u = y/b, so that its values at the two give P
        and Q, and it has one zero at most (Result 3.1). `test_hockey_stick.py` holds it to the quadrature."""
        check_one_axis(channel)
        knots = [real(point) / real(self.scale) for point in channel.axes[0]]
        heights = [excess(channel.likelihoods([point])) for point in channel.axes[0]]
        return real(self.scale) * mp.fsum(_positive_areas(knots, heights))

    def probability(self, channel: Channel, height: Amount) -> Real:
        scale, total = real(self.scale), mp.zero
        for end in (channel.axes[0][0], channel.axes[0][-1]):
            beyond = channel.likelihoods([end])
            total += scale * channel.mixture(beyond) * (height(beyond) > 0)
        for first, last in pairwise(channel.axes[0]):
            decay = real(last - first) / scale
            start, stop = channel.likelihoods([first]), channel.likelihoods([last])

            def at(u: Real, start=start, stop=stop, decay=decay) -> Real:  # type: ignore[no-untyped-def]
                falling, rising, size = mp.sinh(decay - u), mp.sinh(u), mp.sinh(decay)
                return height({s: (start[s] * falling + stop[s] * rising) / size for s in start})

            low, high = channel.mixture(start), channel.mixture(stop)
            for left, right in above(at, mp.zero, decay, SAMPLES):
                rising = (mp.cosh(right) - mp.cosh(left)) / mp.sinh(decay)
                falling = (mp.cosh(decay - left) - mp.cosh(decay - right)) / mp.sinh(decay)
                total += scale * (low * falling + high * rising)
        return total

    def smoothed(self, y: Real, variance: Real) -> Real:
        b = real(self.scale)
        if variance == 0:
            return mp.exp(-abs(y) / b) / (2 * b)
        r = mp.sqrt(variance)

        def side(sign: int) -> Real:
            return mp.exp(variance / (2 * b**2) - sign * y / b) * mp.erfc((r / b - sign * y / r) / mp.sqrt(2))

        return (side(1) + side(-1)) / (4 * b)


def _positive_areas(knots: list[Real], heights: list[Real]) -> Iterator[Real]:
    yield max(heights[0], mp.zero)
    yield max(heights[-1], mp.zero)
    for (start, end), (first, last) in zip(pairwise(knots), pairwise(heights), strict=True):
        grown = mp.exp(end - start)
        rising = (last - first / grown) / (grown - 1 / grown)
        falling = first - rising
        low, high = mp.one, grown
        if (first > 0) != (last > 0):
            zero = mp.sqrt(-falling / rising)
            low, high = (low, zero) if first > 0 else (zero, high)
        if first > 0 or last > 0:
            yield rising * (high - low) - falling * (1 / high - 1 / low)


@final
@dataclass(frozen=True)
class Gaussian(OnLine):
    """Normal noise, its scale the standard deviation."""

    scanned = True

    def at(self, distance: Real) -> Real:
        return mp.exp(-((distance * self.rate) ** 2) / 2) * self.rate / mp.sqrt(2 * mp.pi)

    def loss(self, one: Fraction, other: Fraction) -> Real:
        return mp.inf

    def likelihoods(self, channel: Channel, output: Sequence[Any]) -> Likelihoods:
        """At ±∞ the masses of the outermost answer, up to a common factor."""
        if isinstance(output[0], Fraction) or not mp.isinf(output[0]):
            return channel.one_by_one(output)
        end = channel.support[-1 if output[0] > 0 else 0]
        return {secret: law.get(end, mp.zero) for secret, law in channel.real_laws.items()}

    def supremum(self, channel: Channel, at: Callable[[Vector], Found]) -> Found:
        """Over the whole line: there are no candidates."""
        return peak(channel, at, real(self.scale))

    def edges(self, channel: Channel) -> list[Real]:
        return steps(*self._ends(channel), real(self.scale))

    def _ends(self, channel: Channel) -> tuple[Real, Real]:
        """Beyond 14 deviations less than 1e-43 is left."""
        axis, scale = channel.axes[0], real(self.scale)
        return real(axis[0]) - 14 * scale, real(axis[-1]) + 14 * scale

    def beyond(self, channel: Channel, amount: Amount) -> list[Real]:
        return []

    def masses(self, channel: Channel, left: Real, right: Real) -> Likelihoods:
        return {
            secret: mp.fsum(p * self._between(left, right, answer) for (answer,), p in law.items())
            for secret, law in channel.real_laws.items()
        }

    def _between(self, left: Real, right: Real, answer: Fraction) -> Real:
        """Pr[left < output < right], read from the nearer tail: far out, what is left of 1 is lost in its digits."""
        low, high = ((end - real(answer)) / real(self.scale) for end in (left, right))
        return mp.ncdf(-low) - mp.ncdf(-high) if low > 0 else mp.ncdf(high) - mp.ncdf(low)

    def greatest(self, channel: Channel, forms: Sequence[Amount], linear: bool = False, finer: int = 1) -> Real:
        """Of each piece of the line the masses, without quadrature. Where the order of the forms changes is looked for
        on a grid of 2/finer deviations; 40 deviations beyond the answers at either end, and a little more on one side
        so that no edge is a change itself."""
        axis, scale, total = channel.axes[0], real(self.scale), []
        edges = steps(real(axis[0]) - 40 * scale, real(axis[-1]) + mp.mpf("40.0123") * scale, scale / finer)
        cuts = {cut for ends in pairwise(edges) for cut in split(channel, differences(forms), *ends)}
        for left, right in pairwise(sorted(cuts - set(edges[1:-1]))):
            here = channel.likelihoods([(left + right) / 2])
            total.append(max(forms, key=lambda form: form(here))(self.masses(channel, left, right)))
        return mp.fsum(total)

    def probability(self, channel: Channel, height: Amount) -> Real:
        scale, (first, last), total = real(self.scale), self._ends(channel), mp.zero
        samples = int((last - first) / scale * 12)
        laws = ((channel.weights[secret], law) for secret, law in channel.real_laws.items())
        mixture = [(weight * p, real(answer)) for weight, law in laws for (answer,), p in law.items()]
        for left, right in above(lambda y: height(channel.likelihoods([y])), first, last, samples):
            for weight, answer in mixture:
                ends = [(y - answer) / scale / mp.sqrt(2) for y in (left, right)]
                total += weight * (mp.erfc(ends[0]) - mp.erfc(ends[1])) / 2
        return total

    def smoothed(self, y: Real, variance: Real) -> Real:
        return mp.npdf(y, 0, mp.sqrt(variance + real(self.scale) ** 2))


@final
@dataclass(frozen=True)
class DiscreteGaussian(Added, OnPoints):
    """Mass proportional to e^{-k²/2σ²} at k lattice steps, σ in steps; of one answer."""

    step: Fraction = Fraction(1)

    @cached_property
    def mass(self) -> Real:
        """Σ e^{-k²/2σ²}, to all digits."""
        return mp.nsum(lambda k: self._height(k * real(self.step)), [-mp.inf, mp.inf])

    def _height(self, distance: Real) -> Real:
        return mp.exp(-(distance**2) / (2 * real(self.scale) ** 2))

    def at(self, distance: Real) -> Real:
        return self._height(distance) / self.mass

    def loss(self, one: Fraction, other: Fraction) -> Real:
        return mp.inf

    def along(self, axis: Sequence[Fraction]) -> list[tuple[Fraction, Real]]:
        """Beyond a hundred steps there is less than any number here."""
        first, last = axis[0] - 100 * self.step, axis[-1] + 100 * self.step
        return [(first + k * self.step, mp.one) for k in range(int((last - first) / self.step) + 1)]

    def candidates(self, channel: Channel) -> list[Vector]:
        """All these, and the limits on either side, at which only the outermost answer is left."""
        check_one_axis(channel)
        return [(-mp.inf,), *((point,) for point, _ in self.along(channel.axes[0])), (mp.inf,)]

    def likelihoods(self, channel: Channel, output: Sequence[Any]) -> Likelihoods:
        if isinstance(output[0], Fraction) or mp.isfinite(output[0]):
            return super().likelihoods(channel, output)
        end = channel.axes[0][-1 if output[0] > 0 else 0]
        return {secret: law.get((end,), mp.zero) for secret, law in channel.real_laws.items()}


NONE = NoNoise()


def laplace(scale: Number) -> Laplace:
    return Laplace(Fraction(scale))


def geometric(scale: Number, step: Number = 1) -> Geometric:
    return Geometric(Fraction(scale), Fraction(step))


def gaussian(scale: Number) -> Gaussian:
    return Gaussian(Fraction(scale))


def discrete_gaussian(scale: Number, step: Number = 1) -> DiscreteGaussian:
    return DiscreteGaussian(Fraction(scale), Fraction(step))


def kernel(rows: Mapping[Fraction, Sequence[Fraction]]) -> Kernel:
    """Each row is scaled to sum 1."""
    return Kernel(tuple((answer, _shares(row)) for answer, row in rows.items()))


def _shares(row: Sequence[Fraction]) -> tuple[Fraction, ...]:
    exact = tuple(map(Fraction, row))
    total = sum(exact)
    return tuple(each / total for each in exact)
