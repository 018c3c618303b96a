"""Conversion of a differentially private pipeline to what it can leak of dependent records, and back (Theory §13)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from functools import cached_property, lru_cache
from math import inf
from typing import Final, Literal, TypeAlias, final

from dalenius.bisection import bisected
from dalenius.bounds import Enclosure, down_to_digits, largest as largest_of
from dalenius.conversion.bounds_for_large_groups import KNOWN_LAW, Bounded, long_records
from dalenius.conversion.conditional_law_of_others import Dependence, dependences
from dalenius.conversion.converted import Converted, worst_of
from dalenius.conversion.group_answer import (
    all_changed,
    is_single,
    keeps_for_certain,
    narrowed_delta,
    narrowed_epsilon,
    own_record,
)
from dalenius.conversion.group_linear_program import NEAR_ENOUGH, Solution, solve
from dalenius.conversion.leaked_epsilon import crossing, pure_leakage, unbounded_leakage
from dalenius.conversion.levels import check_delta, check_epsilon
from dalenius.conversion.limits import LARGEST_PARAMETER, PROGRAM_ENDS
from dalenius.conversion.mapped_leakage import check_states, mapped_leakage
from dalenius.conversion.profile import PrivacyProfile
from dalenius.errors import InputError
from dalenius.joints import Belief, Joint, finite_law
from dalenius.models import Model, finite_joints

Neighbours: TypeAlias = Literal["replace", "add_remove"]
_STEPS: Final = {"replace": 1, "add_remove": 2}
"""The number of steps between neighbours to a data set with another value of one record."""
_NOTHING: Final = Enclosure(0.0, 0.0)
_ANY: Final = Enclosure(0.0, 1.0)


@final
@dataclass(frozen=True, repr=False)
class Conversion:
    """The most that any pipeline with a privacy profile can leak of anybody's record under a model.

    It leaks at most (ε′, δ′): odds between two values of a record grow at most e^ε′-fold, but for δ′. In the example
    all four of a household fall ill with probability 0.06, and the pipeline is 1-differentially private.

    Args:
        model: What the adversary believes about the records.
        profile: The pipeline's privacy profile between neighbours.
        neighbours: What neighbouring data sets differ in: `"replace"`, the value of one record, or `"add_remove"`,
            whether a record is there. With `"add_remove"` another value is two steps away.
        information: Whether to bound how much a value's probability can grow, instead of its odds against another
            value. False by default.

    Raises:
        InputError: For `neighbours` that are neither. Its methods raise it for numbers out of range, and for models
            that give no laws of records.

    Example:
        >>> from dalenius import Households, PureProfile
        >>> homes = Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
        >>> round(Conversion(homes, PureProfile(1.0), "replace").epsilon(0.0).value.upper, 6)
        3.800166

    Notes:
        Result 13.2, for a record whose group is independent of all others; Result 21.25, where the law is any of a set.
    """

    model: Model
    profile: PrivacyProfile
    neighbours: Neighbours
    information: bool = False

    def __post_init__(self) -> None:
        if self.neighbours not in _STEPS:
            raise InputError("neighbours", self.neighbours, "'replace' or 'add_remove'")
        if not self.profile.chained and self.neighbours != "replace":
            raise InputError("neighbours", self.neighbours, "'replace', as a map counts records that change")

    def __repr__(self) -> str:
        profile = repr(self.profile)
        # Because the rows of a table, or the steps of a pipeline, may be thousands.
        brief = profile if len(profile) <= 200 and "\n" not in profile else f"{type(self.profile).__name__}(…)"
        return f"Conversion({self.model!r}, {brief}, {self.neighbours!r})"

    def with_profile(self, profile: PrivacyProfile) -> "Conversion":
        """Convert another pipeline under the same model; the model's groups are not listed again.

        Args:
            profile: The other pipeline's privacy profile, between the same neighbours.

        Returns:
            The conversion of that profile.
        """
        # Because a search for the largest ε₀ makes dozens of these, and the groups of a model take far longer to list.
        other = replace(self, profile=profile)
        for name in ("_questions", "_largest_first", "_bounded"):
            other.__dict__[name] = getattr(self, name)
        return other

    def delta(self, epsilon: float) -> Converted:
        """Find the least δ′ with which every such pipeline keeps ε′.

        Args:
            epsilon: ε′ in nats, from 0 to 1e6.

        Returns:
            δ′, a probability from below and from above, and the person it is about.
        """
        check_epsilon(epsilon)
        found = self._of_each(lambda each, negligible: self._delta(each, epsilon, negligible))
        bounded = [each.delta(self.profile, self._steps, epsilon) for each in self._bounded]
        return worst_of([*found, *((who, Enclosure(value.lower, min(value.upper, 1.0))) for who, value in bounded)])

    def epsilon(self, delta: float) -> Converted:
        """Find the least ε′ >= 0 that every such pipeline keeps with δ′.

        Args:
            delta: δ′, a probability of at least 0 and below 1.

        Returns:
            ε′ in nats, from below and from above, infinite where there is none, and the person it is about.
        """
        check_delta(delta)
        found = self._of_each(lambda each, negligible: self._least(each, delta, negligible))
        return worst_of([*found, *(each.epsilon(self.profile, self._steps, delta) for each in self._bounded)])

    def most(self, delta: float) -> float:
        """Bound ε′ from above in less time than `epsilon`, without saying about whom it is.

        Args:
            delta: δ′, a probability of at least 0 and below 1.

        Returns:
            The upper end of `epsilon(delta)` in nats, or a little more where a solver ends sooner.
        """
        check_delta(delta)
        best = max((each.epsilon(self.profile, self._steps, delta)[1].upper for each in self._bounded), default=0.0)
        for each in self._largest_first:
            best = max(best, self._enough(each, delta, best) if delta else self._least(each, 0.0, _NOTHING).upper)
        return best

    def resolves(self, delta: float, value: Enclosure, share: float) -> bool:
        """Tell whether the ends of ε′ at δ′ are close, or a bound from above is more than that of all records changed.

        Args:
            delta: δ′, a probability.
            value: ε′ at that δ′, in nats.
            share: How far the ends may be apart, as a share of the upper one.
        """
        if value.upper == inf:
            return False
        if value.lower > 0:
            return value.upper - value.lower <= share * value.upper
        return all(each.resolves(self.profile, self._steps, value.upper, delta) for each in self._bounded)

    def curve(self, epsilons: Iterable[float]) -> tuple[tuple[float, float], ...]:
        """Compute the curve of δ′ against ε′, from above.

        Args:
            epsilons: Each ε′ in nats, from 0 to 1e6.

        Returns:
            A pair (ε′, δ′ from above) for each.
        """
        known: dict[Dependence, Solution] = {}
        return tuple((epsilon, self._above(epsilon, known)) for epsilon in epsilons)

    def keeps(self, epsilon: float, delta: float) -> bool:
        """Say whether it is certain that no such pipeline leaks more than (ε′, δ′).

        Args:
            epsilon: ε′ in nats, at least 0.
            delta: δ′, a probability of at least 0 and below 1.

        Returns:
            False where one leaks more, or where it is not certain.
        """
        if not all(each.above(self.profile, self._steps, epsilon) <= delta for each in self._bounded):
            return False
        # Without a δ each question is a ratio; with one it is a program, which stops once the side is clear.
        if not delta:
            return all(self._least(each, 0.0, _NOTHING).upper <= epsilon for each in self._largest_first)
        return all(self._keeps(each, epsilon, delta) for each in self._largest_first)

    def _keeps(self, each: Dependence, epsilon: float, delta: float) -> bool:
        said = keeps_for_certain(each, self.profile, self._steps, epsilon, delta)
        if said is not None:
            return said
        asked = each, self.profile, epsilon, self._steps, None, delta, True
        if epsilon <= PROGRAM_ENDS and solve(*asked).delta.upper <= delta:
            return True
        return narrowed_delta(each, self.profile, self._steps, epsilon, _ANY).upper <= delta

    @property
    def source(self) -> str:
        """The result by which no more can leak, in words, or the reason why the number is no promise."""
        # Because only intervals and pairs rest on more than households, chains and networks of one law do.
        return "; ".join(dict.fromkeys(each.why for each in self._bounded if each.why != KNOWN_LAW)) or KNOWN_LAW

    @property
    def dependent(self) -> bool:
        """Whether a record may say something about another one."""
        return bool(self._bounded) or not all(map(is_single, self._questions))

    @cached_property
    def _questions(self) -> Sequence[Dependence]:
        """The questions, the first of those with the same answer."""
        every = (each for joint in self._joints for each in dependences(joint, self.information))
        found: dict[tuple[object, ...], Dependence] = {}
        for each in every:
            if not self.profile.chained:
                check_states(each)
            found.setdefault(each.key, each)
        return list(found.values())

    @cached_property
    def _largest_first(self) -> Sequence[Dependence]:
        """The questions about the most records first, so that the largest answer is found soon."""
        return sorted(self._questions, key=lambda each: -each.size)

    def _of_each(self, value: Callable[[Dependence, Enclosure], Enclosure]) -> list[tuple[Dependence, Enclosure]]:
        """Returns a value of every question.

        `value` is told the largest ends so far: below them its answer need not be close.
        """
        known, negligible = dict[Dependence, Enclosure](), _NOTHING
        for each in self._largest_first:
            known[each] = value(each, negligible)
            negligible = largest_of(negligible, known[each])
        return [(each, known[each]) for each in self._questions]

    @cached_property
    def _bounded(self) -> Sequence[Bounded]:
        too_large = [each for joint in self._joints for each in long_records(joint, self.information)]
        return [*too_large, *(each for found in self._without_law for each in found or ())]

    @cached_property
    def _without_law(self) -> Sequence[Sequence[Bounded] | None]:
        """The bounds on records, by belief of the model, where it is no one law; None where it is."""
        return [_bounded_of(belief, self.information) for belief in self.model.joints()]

    @cached_property
    def _joints(self) -> tuple[Joint, ...]:
        """The laws of all records, where they are known.

        InputError where neither a law is known, nor the laws of pairs, nor a set of laws that holds it.
        """
        beliefs = self.model.joints()
        _check_everybody(self.model, beliefs)
        known = zip(beliefs, self._without_law, strict=True)
        # Because a pipeline's guarantee is about records with finitely many values: no real numbers, nor who is absent.
        if any(finite_law(each) is None and found is None for each, found in known):
            return finite_joints(self.model)
        return tuple(law for law in map(finite_law, beliefs) if law is not None)

    def _above(self, epsilon: float, known: dict[Dependence, Solution]) -> float:
        """Returns δ′ at ε′ = epsilon, from above; known: solutions of questions at an ε′ before, which are replaced."""
        check_epsilon(epsilon)
        listed = [0.0]
        for each in self._largest_first:
            if is_single(each) or epsilon > PROGRAM_ENDS:
                listed.append(self._delta(each, epsilon, _NOTHING).upper)
            elif not self._is_nothing(each, epsilon):
                negligible, before = Enclosure(max(listed), max(listed)), known.get(each)
                known[each] = solve(
                    each, self.profile, epsilon, self._steps, before, upper_only=True, negligible=negligible
                )
                most = all_changed(each, self.profile, self._steps).delta(epsilon).upper
                listed.append(min(known[each].delta.upper, most))
        return max([*listed, *(each.above(self.profile, self._steps, epsilon) for each in self._bounded)])

    def _delta(self, each: Dependence, epsilon: float, negligible: Enclosure) -> Enclosure:
        if self._is_nothing(each, epsilon):
            return _NOTHING
        if is_single(each):
            return own_record(each, self.profile, self._steps).delta(epsilon)
        found = _ANY
        if epsilon <= PROGRAM_ENDS:
            found = solve(each, self.profile, epsilon, self._steps, negligible=negligible).delta
        # Because another question leaks more for certain, closer is of no use.
        if found.upper < negligible.lower:
            return found
        return narrowed_delta(each, self.profile, self._steps, epsilon, found)

    def _is_nothing(self, each: Dependence, epsilon: float) -> bool:
        """Says whether δ′ is 0, which no program says."""
        return self.profile.pure is not None and self._pure(each, self.profile.pure).upper <= epsilon

    def _pure(self, each: Dependence, nats: float) -> Enclosure:
        """Returns ε′ at δ′ = 0 under a pure profile, whose ε between neighbours is `nats`."""
        return _pure(each, nats, self._steps) if self.profile.chained else mapped_leakage(each, self.profile)

    @property
    def _steps(self) -> int:
        return _STEPS[self.neighbours]

    def _least(self, each: Dependence, delta: float, negligible: Enclosure) -> Enclosure:
        """Returns ε′ for one question; where it is below `negligible`, that it is at most a little less."""
        pure = self.profile.pure
        if delta == 0:
            return unbounded_leakage(each) if pure is None else self._pure(each, pure)
        if is_single(each):
            return own_record(each, self.profile, self._steps).epsilon(delta)
        lower, upper = (end * (1 - NEAR_ENOUGH) for end in negligible)
        inner = self.profile.within
        found = Enclosure(0.0, inf)
        # Because the program has no answer there, and would be looked for in vain.
        if own_record(each, self.profile, self._steps).epsilon(delta).lower <= PROGRAM_ENDS:
            # If another question has no known end, this one's still has to be looked for.
            start = lower if inner is None or upper == inf else upper
            found = crossing(each, self.profile, delta, self._steps, start)
            # A pipeline may be bound by its own profile, and attained by one within it, such as Gaussian noise.
            if inner is not None:
                found = Enclosure(crossing(each, inner, delta, self._steps, lower).lower, found.upper)
        # Because another question leaks more for certain, closer is of no use.
        if found.upper <= max(lower, 0.0):
            return found
        return narrowed_epsilon(each, self.profile, self._steps, delta, found)

    def _enough(self, each: Dependence, delta: float, start: float) -> float:
        """Returns an ε′ >= start that is enough for one question, above a delta of 0."""
        if is_single(each):
            return own_record(each, self.profile, self._steps).epsilon(delta).upper
        most = all_changed(each, self.profile, self._steps).epsilon(delta).upper
        if most <= start or own_record(each, self.profile, self._steps).epsilon(delta).lower > PROGRAM_ENDS:
            return most
        return min(crossing(each, self.profile, delta, self._steps, start).upper, most)


def largest(conversion: Conversion, family: Callable[[float], PrivacyProfile], epsilon: float, delta: float) -> float:
    """Find the largest parameter of a pipeline (its ε₀, μ or ρ) with which it keeps a promise (ε′, δ′).

    Args:
        conversion: The model, the neighbours and the kind of leakage; its own profile is not used.
        family: The profile of each parameter, such as `PureProfile`; it must rise with the parameter.
        epsilon: The promised ε′ in nats, from 0 to 1e6.
        delta: The promised δ′, a probability of at least 0 and below 1.

    Returns:
        The parameter, in the family's own unit, rounded down to seven digits. 0 where none above 1e-12 keeps the
        promise, infinite where one above 1e4 does.

    Raises:
        InputError: For the promise (0, 0), numbers out of range, and models without laws of records.

    Example:
        >>> from dalenius import Households, PureProfile
        >>> homes = Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
        >>> round(largest(Conversion(homes, PureProfile(1.0), "replace"), PureProfile, epsilon=1.0, delta=0.0), 5)
        0.27335
    """
    check_epsilon(epsilon)
    check_delta(delta)
    if not (epsilon or delta):
        raise InputError("promise", (epsilon, delta), "an epsilon or a delta above 0")

    def keeps(parameter: float) -> bool:
        return conversion.with_profile(family(parameter)).keeps(epsilon, delta)

    # If no noise keeps so strict a promise, or serves so large a group, the parameter is 0.
    low, high = 1.0, 1.0
    while low > 1e-12 and not keeps(low):
        low, high = low / 4, low
    if low <= 1e-12:
        return 0.0
    # If a promise is still kept at 10⁴, any pipeline keeps it: nobody has a secret, or δ′ is near 1.
    while low == high or keeps(high):
        low, high = high, high * 4
        if high > LARGEST_PARAMETER:
            return inf
    digits = 7
    found = down_to_digits(bisected(keeps, low, high, relative=1e-8)[0], digits)
    # Because a solver may say yes a digit too far near the end of the bisection.
    while found > 0 and not keeps(found):
        found = float(Context(prec=digits).next_minus(Decimal(repr(found))))
    return found


_pure = lru_cache(maxsize=4096)(pure_leakage)


def _bounded_of(belief: Belief, information: bool) -> Sequence[Bounded] | None:
    """Returns the bounds on everybody's records where the belief is no one law; None where it is."""
    if finite_law(belief) is not None:
        return None
    # So that a conversion for one law loads neither intervals nor pairs.
    from dalenius.conversion.credal_network_conversion import bounded_of

    return bounded_of(belief, information)


def _check_everybody(model: Model, beliefs: Sequence[Belief]) -> None:
    """Raises InputError for laws of a sample: what a pipeline makes of everybody's records is converted."""
    if any(belief.sampling_rate is not None for belief in beliefs):
        wanted = (
            "the model of the population: a pipeline that samples is converted by its guarantee for everybody's records"
        )
        raise InputError("model.kind", model.kind, wanted)
