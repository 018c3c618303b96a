"""The channel of a secret, W(y|s) = Σ_v Pr[f(X) = v | S = s] · noise(y - v), by enumeration (Theory §1)."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import combinations, product
from operator import itemgetter
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

import mpmath

from tests.reference.joints import Assignment, Joint, Value

mp: Any = mpmath.mp.clone()  # our own context: nobody else's precision changes
DIGITS = 60
WHOLE = tuple(map(Fraction, range(-60, 61)))
mp.dps = DIGITS

Real: TypeAlias = Any  # mpf of the context above
Vector: TypeAlias = tuple[Fraction, ...]
Law: TypeAlias = dict[Vector, Fraction]
Likelihoods: TypeAlias = dict[Value, Real]
"""W(y|s) of one output, by secret."""
Amount: TypeAlias = Callable[[Likelihoods], Real]
Answers: TypeAlias = Sequence[Fraction | None]
"""An answer by coordinate, None where nobody is asked."""
Score: TypeAlias = Callable[[int, Any], tuple[Fraction | int | None, ...]]
"""score(record, value): one number per coordinate, None where the record is not asked."""
Combine: TypeAlias = Literal["sum", "max", "min"]
SUM: Combine = "sum"


class Valued(Protocol):
    @property
    def value(self) -> Real: ...


Found = TypeVar("Found", bound=Valued)
T = TypeVar("T")


@lru_cache(maxsize=2**16)
def real(number: Fraction | int) -> Real:
    """A fraction as an mpf of full precision, whatever precision the caller works at: results are cached."""
    fraction = Fraction(number)
    with mp.workdps(DIGITS):
        return mp.mpf(fraction.numerator) / fraction.denominator


def log_ratio(above: Real, below: Real) -> Real:
    """log(above / below) with log(x/0) = ∞, log(0/x) = -∞; 0/0 says nothing and counts -∞."""
    if above == 0:
        return -mp.inf
    return mp.inf if below == 0 else mp.log(above / below)


def differences(forms: Sequence[Amount]) -> list[Amount]:
    """Of each two functions of the likelihoods, in their order."""

    def ahead(one: Amount, other: Amount) -> Amount:
        return lambda likelihoods: one(likelihoods) - other(likelihoods)

    return [ahead(*pair) for pair in combinations(forms, 2)]


class Remembering:
    """What keeps what it has found."""

    @cached_property
    def _found(self) -> dict[Hashable, Any]:
        return {}

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """Found once for each key, which names the precision too where it matters."""
        if key not in self._found:
            self._found[key] = find()
        found: T = self._found[key]
        return found


class Noise(Remembering, ABC):
    """Independent noise on every coordinate: how likely it makes an output, and how a measure goes over all outputs of
    a channel. Whatever the reference has to know of a noise, its class says; `noises.py` has them."""

    density: ClassVar[bool] = False
    """Whether outputs have densities, over which a measure is integrated, and not probabilities."""
    kinked: ClassVar[bool] = False
    """Whether densities have kinks at the answers, so that an integral is one of many pieces."""
    additive: ClassVar[bool] = True
    """Whether only the difference of output and answer matters; if not, outputs are numbered 0, 1, .."""
    finite: ClassVar[bool] = False
    """Whether only the candidates can go out."""
    scanned: ClassVar[bool] = False
    """Whether suprema are looked for along the line, where many measures meet the same outputs."""

    @property
    def outputs(self) -> Sequence[Fraction]:
        """Of one coordinate: all, or of small whole answers a stretch beyond which no ratio changes."""
        return WHOLE

    @abstractmethod
    def weight(self, output: Any, answer: Fraction) -> Real:
        """Density or probability of one coordinate's output, a Fraction or an mpf, given its exact answer."""

    def row(self, answer: Fraction) -> dict[Fraction, Real]:
        """How likely (or dense) each output of one coordinate is."""
        return {output: self.weight(output, answer) for output in self.outputs}

    def loss(self, one: Fraction, other: Fraction) -> Real:
        """The worst log-ratio of an output given two different answers of a coordinate, or its limit at ±∞."""
        first, second = self.row(one), self.row(other)
        return max(log_ratio(first[output], second[output]) for output in first)

    def group_loss(self, one: Answers, other: Answers) -> Real:
        """The same of whole answers."""
        pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None and a != b]
        return mp.fsum(self.once((mp.prec, a, b), partial(self.loss, a, b)) for a, b in pairs)

    def likelihoods(self, channel: "Channel", output: Sequence[Any]) -> Likelihoods:
        """W(y|s)."""
        return channel.one_by_one(output)

    def candidates(self, channel: "Channel") -> list[Vector]:
        """Outputs where a supremum is attained (Theory §3): the grid of support coordinates. At and beyond the two ends
        of an axis all ratios are constant, so an end also stands for ±∞."""
        return list(product(*channel.axes))

    def supremum(self, channel: "Channel", at: Callable[[Vector], Found]) -> Found:
        """The worst over the outputs that matter: the first of the greatest."""
        return max(map(at, channel.candidates), key=lambda found: found.value)

    def summable(self, steps: Sequence[Fraction]) -> bool:
        """Whether `total` knows channels whose coordinates have these lattice steps."""
        return True

    def along(self, axis: Sequence[Fraction]) -> list[tuple[Fraction, Real]]:
        """Outputs of one coordinate that has these answers, by how much each counts; knots where there is a density."""
        return [(point, mp.one) for point in axis]

    @abstractmethod
    def cells(self, channel: "Channel") -> list[tuple[Real, Likelihoods]]:
        """Every output that matters, by how much it counts, and its likelihoods; none where there is a density."""

    @abstractmethod
    def total(self, channel: "Channel", amount: Amount, kinks: Sequence[Amount] = (), linear: bool = False) -> Real:
        """Σ_y or ∫ dy of an amount that is homogeneous of degree 1 in the likelihoods, so that tails are closed form.

        kinks: functions whose sign changes a quadrature must not straddle. linear: between these the amount is a linear
        function of the likelihoods, so that its integral is that of theirs, and may need no quadrature.
        """

    def greatest(self, channel: "Channel", forms: Sequence[Amount], linear: bool = False, finer: int = 1) -> Real:
        """The total of the greatest of some linear functions of the likelihoods; `linear` as above. finer: how closely
        their order is looked at along a line, where it may change several times within a scale."""
        return self.total(channel, lambda w: max(form(w) for form in forms), differences(forms), linear)

    def positive_part(self, channel: "Channel", excess: Amount, finer: int = 1) -> Real:
        """The total of max(excess, 0), the excess linear, in closed form where there is one."""
        return self.greatest(channel, [excess, lambda _: mp.zero], finer=finer)

    @abstractmethod
    def probability(self, channel: "Channel", height: Amount) -> Real:
        """Pr[height(likelihoods) > 0]."""


@dataclass(frozen=True)
class Channel(Remembering):
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
    def marks(self) -> list[Real]:
        """The answers of the first axis."""
        return [real(answer) for answer in self.axes[0]]

    @cached_property
    def candidates(self) -> list[Vector]:
        """Outputs where a supremum is attained."""
        return self.noise.candidates(self)

    @cached_property
    def cells(self) -> list[tuple[Real, Likelihoods]]:
        """Every output that matters, by how much it counts, and its likelihoods."""
        with mp.workdps(DIGITS):
            return self.noise.cells(self)

    @cached_property
    def weights(self) -> dict[Value, Real]:
        """The prior as mpf."""
        return {secret: real(probability) for secret, probability in self.prior.items()}

    @cached_property
    def real_laws(self) -> dict[Value, dict[Vector, Real]]:
        """The laws as mpf."""
        return {secret: {answer: real(p) for answer, p in law.items()} for secret, law in self.laws.items()}

    def likelihoods(self, output: Sequence[Any]) -> Likelihoods:
        """W(y|s) for every secret s: density or probability of the output.

        Of outputs that are fractions, and of all that are scanned, they are found once at each precision: most measures
        look at the same ones.
        """
        if not isinstance(output[0], Fraction) and not self.noise.scanned:
            return self.noise.likelihoods(self, output)
        return self.once((mp.prec, *output), lambda: self.noise.likelihoods(self, output))

    def one_by_one(self, output: Sequence[Any]) -> Likelihoods:
        """The definition: every answer's probability times that of the output given it."""
        along = [
            {value: self.noise.weight(coordinate, value) for value in axis}
            for coordinate, axis in zip(output, self.axes, strict=True)
        ]
        kernel = {answer: mp.fprod(along[axis][value] for axis, value in enumerate(answer)) for answer in self.support}
        return {secret: mp.fdot((p, kernel[a]) for a, p in law.items()) for secret, law in self.real_laws.items()}

    def mixture(self, likelihoods: Likelihoods) -> Real:
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
