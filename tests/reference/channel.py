"""The channel of a secret, W(y|s) = Σ_v Pr[f(X) = v | S = s] · noise(y - v), by enumeration (Theory §1)."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from operator import itemgetter
from typing import Any, Literal, TypeAlias

import mpmath

from tests.reference.joints import Assignment, Joint, Value

mp: Any = mpmath.mp.clone()  # our own context: nobody else's precision changes
DIGITS = 60
mp.dps = DIGITS

Real: TypeAlias = Any  # mpf of the context above
Vector: TypeAlias = tuple[Fraction, ...]
Law: TypeAlias = dict[Vector, Fraction]
Score: TypeAlias = Callable[[int, Any], tuple[Fraction | int | None, ...]]
"""score(record, value): one number per coordinate, None where the record is not asked."""
Combine: TypeAlias = Literal["sum", "max", "min"]
SUM: Combine = "sum"


@lru_cache(maxsize=2**16)
def real(number: Fraction | int) -> Real:
    """A fraction as an mpf of full precision, whatever precision the caller works at: results are cached."""
    fraction = Fraction(number)
    with mp.workdps(DIGITS):
        return mp.mpf(fraction.numerator) / fraction.denominator


@dataclass(frozen=True)
class Noise:
    """Independent noise on every coordinate; `step` is the lattice of the geometric, unused by the others.

    rows: of a kernel, by exact answer the probabilities of the outputs 0, 1, ..
    """

    kind: Literal["laplace", "geometric", "gaussian", "none", "kernel"]
    scale: Fraction = Fraction(1)
    step: Fraction = Fraction(1)
    rows: tuple[tuple[Fraction, tuple[Fraction, ...]], ...] = ()

    def __post_init__(self) -> None:
        if self.scale <= 0 or self.step <= 0:
            raise ValueError(f"scale is {self.scale} and step {self.step}, wanted both positive; no noise is NONE")

    @cached_property
    def rate(self) -> Real:
        """1/b."""
        return real(1 / self.scale)

    @cached_property
    def decay(self) -> Real:
        """a = e^(-h/b), the geometric's mass ratio of one lattice step."""
        return mp.exp(-real(self.step) * self.rate)

    @cached_property
    def kernel(self) -> dict[Fraction, tuple[Fraction, ...]]:
        """The rows, by answer."""
        return dict(self.rows)

    @cached_property
    def outputs(self) -> list[Fraction]:
        """A kernel's columns."""
        return [Fraction(column) for column in range(len(self.rows[0][1]))]

    def weight(self, output: Any, answer: Fraction) -> Real:
        """Density or mass of one coordinate's output given its exact answer."""
        if self.kind == "kernel":
            return real(self.kernel[answer][int(output)])
        return self._near(output - answer) if isinstance(output, Fraction) else self.at(output - real(answer))

    def _near(self, offset: Fraction) -> Real:
        """`at`, which many outputs and answers ask of the same offset, found once at each precision."""
        key = mp.prec, offset
        if key not in self._found:
            self._found[key] = self.at(offset)
        return self._found[key]

    @cached_property
    def _found(self) -> dict[tuple[int, Fraction], Real]:
        return {}

    @property
    def even(self) -> bool:
        """Whether density or mass fall by e^(-1/b) with every unit of distance."""
        return self.kind in ("laplace", "geometric")

    @property
    def top(self) -> Real:
        """Density or mass of no noise at all, where it falls evenly."""
        return self.rate / 2 if self.kind == "laplace" else (1 - self.decay) / (1 + self.decay)

    def at(self, offset: Any) -> Real:
        """Density (Laplace, Gaussian) or mass (geometric, none) of one coordinate at `offset`, a Fraction or an mpf."""
        distance = abs(real(offset) if isinstance(offset, Fraction) else offset)
        if self.kind == "none":
            return mp.mpf(distance == 0)
        if self.kind == "gaussian":
            return mp.exp(-((distance * self.rate) ** 2) / 2) * self.rate / mp.sqrt(2 * mp.pi)
        return mp.exp(-distance * self.rate) * self.top


NONE = Noise("none")


def laplace(scale: Fraction | float | str) -> Noise:
    """Laplace noise: density e^(-|x|/b) / 2b. A float is taken at its exact binary value."""
    return Noise("laplace", Fraction(scale))


def geometric(scale: Fraction | float | str, step: Fraction | float | str = 1) -> Noise:
    """Two-sided geometric noise on the multiples k·h of `step`: mass (1-a)/(1+a) a^|k|, a = e^(-h/b)."""
    return Noise("geometric", Fraction(scale), Fraction(step))


def gaussian(scale: Fraction | float | str) -> Noise:
    """Normal noise of that standard deviation."""
    return Noise("gaussian", Fraction(scale))


def kernel(rows: dict[Fraction, Sequence[Fraction]]) -> Noise:
    """Pr[output | answer], a distribution over the outputs 0, 1, .. for every exact answer; scaled to sum 1."""
    scaled = [(answer, tuple(Fraction(p) / sum(map(Fraction, row)) for p in row)) for answer, row in rows.items()]
    return Noise("kernel", rows=tuple(scaled))


@dataclass(frozen=True)
class Channel:
    """Prior π(s), exact laws of the answer given s, and the noise. Secrets of probability 0 are absent."""

    prior: dict[Value, Fraction]
    laws: dict[Value, Law]
    noise: Noise

    @cached_property
    def support(self) -> list[Vector]:
        """Every exact answer of positive probability, sorted."""
        return sorted({answer for law in self.laws.values() for answer in law})

    @cached_property
    def axes(self) -> list[list[Fraction]]:
        """For each coordinate, the sorted values it takes on the support."""
        return [sorted(set(column)) for column in zip(*self.support, strict=True)]

    @cached_property
    def lattice(self) -> list[list[Fraction]]:
        """For each coordinate, every lattice point from its least to its greatest support value."""
        step = self.noise.step
        for axis in self.axes:
            if any((value - axis[0]) % step for value in axis):
                raise ValueError(f"answers {axis} are not on one lattice of step {step}; choose a step that divides")
        return [[axis[0] + k * step for k in range(int((axis[-1] - axis[0]) / step) + 1)] for axis in self.axes]

    @cached_property
    def candidates(self) -> list[Vector]:
        """Outputs where a supremum is attained (Theory §3): the grid of support coordinates.

        At and beyond the two ends of an axis all ratios are constant, so an end also stands for ±∞. Without noise:
        the support itself; of a kernel: the outputs that can occur. Normal noise has none: see `line`.
        """
        if self.noise.kind == "kernel":
            every = product(*([self.noise.outputs] * len(self.axes)))
            return [output for output in every if self.mixture(self.likelihoods(output)) > 0]
        return self.support if self.noise.kind == "none" else list(product(*self.axes))

    @cached_property
    def weights(self) -> dict[Value, Real]:
        """The prior as mpf."""
        return {secret: real(probability) for secret, probability in self.prior.items()}

    @cached_property
    def _laws(self) -> dict[Value, dict[Vector, Real]]:
        return {secret: {answer: real(p) for answer, p in law.items()} for secret, law in self.laws.items()}

    def likelihoods(self, output: Sequence[Any]) -> dict[Value, Real]:
        """W(y|s) for every secret s: density (Laplace, Gaussian) or probability (else) of the output. At ±∞ Gaussian
        likelihoods are the masses of the outermost answer, up to a common factor.

        Of outputs that are fractions, and of all under normal noise, they are found once at each precision: most
        measures look at the same ones.
        """
        if not isinstance(output[0], Fraction) and self.noise.kind != "gaussian":
            return self._likelihoods(output)
        key = mp.prec, *output
        if key not in self._found:
            self._found[key] = self._likelihoods(output)
        return self._found[key]

    @cached_property
    def _found(self) -> dict[tuple[Any, ...], dict[Value, Real]]:
        return {}

    def _likelihoods(self, output: Sequence[Any]) -> dict[Value, Real]:
        if not isinstance(output[0], Fraction) and mp.isinf(output[0]):
            end = self.support[-1 if output[0] > 0 else 0]
            return {secret: law.get(end, mp.zero) for secret, law in self._laws.items()}
        if self.noise.even and len(self.axes) == 1:
            return self._between(output[0])
        return self.one_by_one(output)

    def one_by_one(self, output: Sequence[Any]) -> dict[Value, Real]:
        """The definition: every answer's probability times that of the output given it."""
        along = [
            {value: self.noise.weight(coordinate, value) for value in axis}
            for coordinate, axis in zip(output, self.axes, strict=True)
        ]
        kernel = {answer: mp.fprod(along[axis][value] for axis, value in enumerate(answer)) for answer in self.support}
        return {secret: mp.fdot((p, kernel[a]) for a, p in law.items()) for secret, law in self._laws.items()}

    def _between(self, y: Any) -> dict[Value, Real]:
        """The same on one axis, where noise falls evenly: between two answers all those below decay as one with y, and
        all those above grow as one (Theory §3). test_reference_itself.py holds it to the definition."""
        exact = isinstance(y, Fraction)
        place = bisect_right(self.axes[0] if exact else self._marks, y)
        grown = mp.exp(((real(y) if exact else y) - self._marks[0]) * self.noise.rate)
        falling, rising = self.noise.top / grown, self.noise.top * grown
        return {secret: below * falling + above * rising for secret, (below, above) in self._sides[place].items()}

    def masses(self, left: Any, right: Any) -> dict[Value, Real]:
        """∫ W(y|s) dy from left to right, between two neighbouring answers of one axis under Laplace noise."""
        scale, first = real(self.noise.scale), self._marks[0]
        low, high = (mp.exp((end - first) / scale) for end in (left, right))
        falling, rising = (1 / low - 1 / high) / 2, (high - low) / 2
        sides = self._sides[bisect_right(self._marks, (left + right) / 2)]
        return {secret: below * falling + above * rising for secret, (below, above) in sides.items()}

    @cached_property
    def cells(self) -> list[tuple[Real, dict[Value, Real]]]:
        """Under geometric noise, every output that matters, by how much it counts, and its likelihoods: each end of an
        axis stands for itself and its tail: 1 + a + a² + ... = 1 + a/(1-a)."""
        with mp.workdps(DIGITS):
            tail = self.noise.decay / (1 - self.noise.decay)
            axes = [
                [(point, 1 + tail * ((point == axis[0]) + (point == axis[-1]))) for point in axis]
                for axis in self.lattice
            ]
            return [
                (mp.fprod(weight for _, weight in cell), self.likelihoods([point for point, _ in cell]))
                for cell in product(*axes)
            ]

    @cached_property
    def _marks(self) -> list[Real]:
        """The answers of the one axis."""
        return [real(answer) for answer in self.axes[0]]

    @cached_property
    def _sides(self) -> list[dict[Value, tuple[Real, Real]]]:
        """By how many answers v are below, Σ p e^(v/b) over these and Σ p e^(-v/b) over the others, v counted from the
        first; by secret."""
        with mp.workdps(DIGITS):
            grown = {v: mp.exp(real(v - self.axes[0][0]) / real(self.noise.scale)) for v in self.axes[0]}
            return [
                {
                    secret: (
                        mp.fsum(p * grown[v] for (v,), p in law.items() if v in below),
                        mp.fsum(p / grown[v] for (v,), p in law.items() if v not in below),
                    )
                    for secret, law in self._laws.items()
                }
                for below in ({*self.axes[0][:place]} for place in range(len(self.axes[0]) + 1))
            ]

    def mixture(self, likelihoods: dict[Value, Real]) -> Real:
        """W(y) = Σ_s π(s) W(y|s)."""
        return mp.fdot((self.weights[secret], value) for secret, value in likelihoods.items())


@dataclass(frozen=True)
class Combined:
    """A score that says how each coordinate of the answer is made of the records'."""

    score: Score
    combine: tuple[Combine, ...]

    def __call__(self, record: int, value: Value) -> tuple[Fraction | int | None, ...]:
        return self.score(record, value)


def combine_of(score: Score, axes: int) -> tuple[Combine, ...]:
    """How each coordinate is made: by sums, where a score does not say."""
    return score.combine if isinstance(score, Combined) else tuple(SUM for _ in range(axes))


def together(how: Combine, scores: Iterable[Fraction | int | None]) -> Fraction:
    """The sum, the greatest or the least of the scores of those who are asked; of nobody's, only the sum is known."""
    asked = [Fraction(score) for score in scores if score is not None]
    return sum(asked, Fraction(0)) if how == "sum" else {"max": max, "min": min}[how](asked)


def answer_of(assignment: Assignment, score: Score) -> Vector:
    """The exact answer: coordinate by coordinate, over all records."""
    scores = [score(record, value) for record, value in enumerate(assignment)]
    columns = list(zip(*scores, strict=True))
    return tuple(together(how, column) for how, column in zip(combine_of(score, len(columns)), columns, strict=True))


def channel_of_secret(joint: Joint, score: Score, secret: Callable[[Assignment], Value], noise: Noise) -> Channel:
    """The channel of any function of the records: a person's record, a group's records, who is absent."""
    return _channel(joint, lambda assignment: answer_of(assignment, score), secret, noise)


def _channel(
    joint: Joint, answer: Callable[[Assignment], Vector], secret: Callable[[Assignment], Value], noise: Noise
) -> Channel:
    prior: defaultdict[Value, Fraction] = defaultdict(Fraction)
    mass: defaultdict[Value, defaultdict[Vector, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for assignment, probability in joint.items():
        value = secret(assignment)
        prior[value] += probability
        mass[value][answer(assignment)] += probability
    laws = {value: {answer: p / prior[value] for answer, p in law.items()} for value, law in mass.items()}
    return Channel(dict(prior), laws, noise)


def channels(joint: Joint, score: Score, people: int, noise: Noise) -> list[Channel]:
    """Everybody's; each data set's answer is worked out once."""
    answers = {assignment: answer_of(assignment, score) for assignment in joint}
    return [_channel(joint, answers.__getitem__, itemgetter(person), noise) for person in range(people)]


def channel(joint: Joint, score: Score, person: int, noise: Noise) -> Channel:
    """The channel of person i's record X_i."""
    return channel_of_secret(joint, score, lambda assignment: assignment[person], noise)
