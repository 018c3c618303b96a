"""How much noise a promise takes where people's records depend on each other: what multiplies that of independent ones.

A learned release is differentially private for each record, ε₀ nats, whatever it computes. Under dependence ε₀ is less
than the promised ε; it is chosen by the name of a method. Three friends, each like the first with .9 or .8:

>>> from dalenius.pairs.pairwise_model import Pairwise
>>> friends = Pairwise(n=3, edges=((1, 2), (1, 3), (2, 3)), given=((0.9, 0.1), (0.2, 0.8)))
>>> for name in ("group", "comonotone", "dependence_coefficient_closed", "dependence_coefficient"):
...     found = guarantee_of(name, 1.0, friends)
...     print(f"{name}: {found.multiplier:.3f} times the noise, {'sound' if found.sound else 'unsound'}")
group: 3.000 times the noise, sound
comonotone: 2.572 times the noise, sound
dependence_coefficient_closed: 2.829 times the noise, unsound
dependence_coefficient: 2.419 times the noise, unsound
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import float_up
from dalenius.calibration.scale_search import least_scale
from dalenius.conversion import Conversion, PureProfile, largest
from dalenius.dependent.arguments import BadArgument, nats, one_of, whole
from dalenius.dependent.guarantee import Guarantee
from dalenius.dependent.names import METHODS
from dalenius.joints import Joint
from dalenius.joints.joint import Belief, count_people
from dalenius.models import Model
from dalenius.pairs.other_record_score_laws import laws_of_values
from dalenius.pairs.pairwise_belief import PairwiseLaw
from dalenius.pairs.private_mechanism_bound import (
    Related,
    closed_coefficient,
    coefficient,
    mechanism_leakage,
    moves_alike,
)
from dalenius.sentences.sentence import phrase, said

_COEFFICIENTS: Final = {"dependence_coefficient": coefficient, "dependence_coefficient_closed": closed_coefficient}
_E2: Final = said("joint_law_matters")
_PUBLIC: Final = (said("record_is_row"), said("parameters_chosen"), said("refusal_not_counted"))

_VALUES: Final = said("row_given_value")


@final
@dataclass(frozen=True, eq=False)
class _Around:
    """One person: values (how many the record can have), times and laws (s, v) of each related record, and how many
    records there are of which nothing is known."""

    values: int
    related: tuple[tuple[int, Array], ...]
    far: int

    @property
    def size(self) -> int:
        return 1 + sum(times for times, _ in self.related) + self.far

    def of(self, epsilon: float) -> tuple[Related, ...]:
        """Returns the related records as a mechanism of ε₀ = `epsilon` nats moves them."""
        return tuple(Related(times, law, moves_alike(law.shape[1], epsilon)) for times, law in self.related)

    def bound(self, epsilon: float) -> float:
        """Bounds the leakage of a mechanism of ε₀ = `epsilon`, over all joint laws with these pairs, in nats (Result
        15.4)."""
        return mechanism_leakage(moves_alike(self.values, epsilon), self.of(epsilon), self.far * epsilon)

    def added(self, epsilon: float, each: Callable[[Related], float]) -> float:
        """Returns DS/σ of DDP Eq 23 in nats: ε₀ times 1 + Σ_j ρ_ij.

        Args:
            epsilon: ε₀, in nats.
            each: The coefficient ε₀ ρ_ij of one related record, in nats.
        """
        # A bound met up to rounding counts as met: no promise rests on it.
        return (epsilon + sum(one.times * each(one) for one in self.of(epsilon))) * (1 - 1e-13)


def _people(belief: Belief) -> Iterator[_Around]:
    """One of each kind of people who depend on somebody. BadArgument for a belief of another kind."""
    match belief:
        case PairwiseLaw():
            for around in belief.widest():
                possible = np.flatnonzero(belief.possible(around.prior))
                related = tuple((times, belief.rows(kind, possible)) for kind, _, times in around.neighbours)
                yield _Around(len(possible), related, sum(times for _, times in around.far))
        case Joint():
            for one in laws_of_values(belief):
                laws = zip(one.times.tolist(), one.laws, strict=True)
                yield _Around(len(one.slots), tuple((int(times), law) for times, law in laws), 0)
        case _:
            raise BadArgument("dependence", belief.nature.name, "a model of records with finitely many values each")


@lru_cache(maxsize=16)
def guarantee_of(method: str, epsilon: float, dependence: int | Model | None) -> Guarantee:
    """Returns what a release of ε = epsilon promises by that method, and the ε₀ that a record's noise is for.

    dependence: how many people's records depend on each other at most, or a model of them. BadArgument where the method
    does not go with it.
    """
    one_of("method", method, METHODS)
    promised = nats(epsilon)
    if method == "independent":
        if dependence is not None:
            raise BadArgument("dependence", dependence, "none beside method independent, or another method")
        whom = said("who_knows_all")
        return Guarantee(promised, promised, method, 1.0, True, whom, "differential privacy of one record", _PUBLIC)
    if method == "group":
        size = largest_group(dependence)
        whom = said("who_takes_groups", size=size)
        found = -float_up(-Fraction(promised) / size)
        return Guarantee(promised, found, method, float(size), True, whom, "group privacy (Theory §5, E1)", _PUBLIC)
    if not isinstance(dependence, Model):
        raise BadArgument("dependence", dependence, f"a model of people's records beside method {method}")
    return _by_model(method, promised, dependence)


def _by_model(method: str, promised: float, model: Model) -> Guarantee:
    beliefs = model.joints()
    laws = [law for law in beliefs if isinstance(law, PairwiseLaw)]
    rests_on = (*_PUBLIC, _VALUES, *model.rests_on())
    against = next((found for law in laws if (found := law.contradiction()) is not None), None)
    if method == "exact":
        if laws:
            raise BadArgument("method", method, "comonotone beside a model that knows the laws of pairs only")
        own = min(largest(Conversion(model, PureProfile(promised), "replace"), PureProfile, promised, 0.0), promised)
        if not own:
            raise BadArgument("epsilon", promised, "a promise that some noise can keep under this model")
        whom = said("who_believes_model")
        return Guarantee(promised, own, method, promised / own, True, whom, "Result 13.2", rests_on)
    around = [each for belief in beliefs for each in _people(belief)]
    if method in _COEFFICIENTS:
        each = _COEFFICIENTS[method]
        times = _multiplier(promised, lambda own: max((one.added(own, each) for one in around), default=own))
        return Guarantee(promised, promised / times, method, times, False, said("nobody"), _E2, rests_on)
    times = _multiplier(promised, lambda own: max((one.bound(own) for one in around), default=own))
    whom = said("who_believes_pairs")
    why = "Result 15.4" if against is None else said("no_promise_as", why=phrase(against))
    return Guarantee(promised, promised / times, method, times, against is None, whom, why, rests_on)


def _multiplier(promised: float, leaked: Callable[[float], float]) -> float:
    """The least t >= 1 with leaked(ε/t) <= ε."""
    if leaked(promised) <= promised * (1 + 1e-11):
        return 1.0
    return max(1.0, least_scale(lambda times: leaked(promised / times), promised, 1.0))


def largest_group(dependence: int | Model | None) -> int:
    """Returns how many records depend on each other at most, as said or by the model.

    Args:
        dependence: The `dependence` of an estimator.
    """
    # A method was chosen, but nothing of the people said.
    if dependence is None:
        raise BadArgument("dependence", None, "the size of the largest group, a whole number, or a model of the people")
    if not isinstance(dependence, Model):
        return whole("dependence", dependence)
    sizes = [1]
    for belief in dependence.joints():
        match belief:
            case PairwiseLaw():
                sizes += [each.size for each in belief.widest()]
            case Joint():
                sizes += [factor.size for factor in belief.factors()]
            case _:
                raise BadArgument("dependence", belief.nature.name, "a model of groups, or the largest group's size")
    return max(sizes)


def most_together(dependence: int | Model | None) -> int:
    """Returns how many records may depend on each other, whatever is supposed of friends of friends.

    Of a model of pairs it counts everybody who is connected, since the pairs may contradict that others are
    independent of a person's neighbourhood.

    Args:
        dependence: The `dependence` of an estimator.
    """
    if not isinstance(dependence, Model):
        return largest_group(dependence)
    sizes = [
        int(np.bincount(belief.component).max()) for belief in dependence.joints() if isinstance(belief, PairwiseLaw)
    ]
    return max(sizes) if sizes else largest_group(dependence)


def check_people(dependence: object, rows: int) -> None:
    """Raises BadArgument where the table has more rows than the model has people; fewer are a part of them.

    Args:
        dependence: The `dependence` of an estimator; only a model is checked.
        rows: The number of the table's rows.
    """
    people = [count_people(belief) for belief in dependence.joints()] if isinstance(dependence, Model) else []
    if people and rows > min(people):
        raise BadArgument("dependence", f"a model of {min(people)} people", f"one for each of the {rows} rows")
