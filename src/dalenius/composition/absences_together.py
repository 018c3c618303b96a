"""Joint law and sums of several answers about the same table, for who is absent from it (DI Thm 1; Theory §6, §9).

Each answer has Laplace or geometric noise of its own. With a_ik the answer to question k without person i and b_k its
scale, the output τ has likelihood e^{-Σ_k |τ_k-a_ik|/b_k}. As in Result 6.1, coordinate by coordinate:

* posterior/prior of person i is largest where all outputs are i's own answers: 1/Σ_j P_j e^{-Σ_k |a_ik-a_jk|/b_k};
* it is least where every output lies beyond all answers, on one side or the other: at one of 2^k corners. With signs s
  and f_i = Σ_k s_k a_ik/b_k it is e^{f_i}/Σ_j P_j e^{f_j} there.

If questions depend on outputs, the odds between two people still move by a factor of at most e^x, x = Σ_k Θ_k/b_k. Then
everybody's posterior/prior lies between 1/(P + e^x(1-P)) and 1/(P + e^{-x}(1-P)), P the least prior (DI Thm 3).

Two answers without each of two people, 0 or 1 and 1 or 0, with noise of scale 1, are one answer with noise of scale ½:

>>> alike = Told(np.array([[0.0, 1.0], [1.0, 0.0]]), np.full(2, 0.5), np.full(2, 0.5), np.zeros(2))
>>> [round(each.upper, 6) for each in (alike.raised(), alike.lowered())]
[0.566219, 1.433781]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, expm1, fsum, log, log1p
from typing import ClassVar, final

import numpy as np

from dalenius.absent.notions import AbsencePromise
from dalenius.absent.one_absent_model import Absent, Missing
from dalenius.absent.who_is_absent_channel import absences
from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure, around
from dalenius.composition.limits import MOST_CORNERS, MOST_KINDS
from dalenius.composition.releases import Releases
from dalenius.composition.route import Route, RouteBound
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.memory_budget import allowed
from dalenius.notions import Notion

_OWN: str = "each answer has noise of its own"
_ADAPTIVE: str = "later questions depend on earlier outputs: only those that were asked have a joint law"


@final
@dataclass(frozen=True)
class Told:
    """The answers of several questions, by class of people whose absence gives the same answer to each.

    Attributes:
        scaled: The answers over the scales of their noise (classes, questions).
        masses: The probability of each class (classes,).
        likeliest: The probability of the likeliest person of each class (classes,).
        rest: The probability of all other people of each class (classes,).
    """

    scaled: Array
    masses: Array
    likeliest: Array
    rest: Array

    def raised(self) -> Enclosure:
        """Returns the largest ln(posterior/prior) of anybody, in nats."""
        return self._around(-log(min(self._mixtures())))

    def lowered(self) -> Enclosure:
        """Returns the largest ln(prior/posterior) of anybody, in nats. TooLarge for many questions."""
        # Because a corner and the opposite one are different outputs, all are tried.
        corners = 2 ** self.scaled.shape[1]
        if corners > allowed(MOST_CORNERS):
            raise TooLarge("the joint answers", f"{self.scaled.shape[1]} questions", "use route addition", MOST_CORNERS)
        return self._around(max(self._lowered_at(np.array(signs)) for signs in product((1.0, -1.0), repeat=self._k)))

    def suspected(self) -> Enclosure:
        """Returns -ln(1 - the largest posterior of anybody), in nats."""
        with np.errstate(divide="ignore"):
            odds = self.likeliest / (self._mixtures(others=True) + self.rest)
        return self._around(log1p(float(np.max(odds))))

    @property
    def _k(self) -> int:
        return int(self.scaled.shape[1])

    def _mixtures(self, others: bool = False) -> Array:
        """Returns Σ_j P_j e^{-Σ_k |a_ik-a_jk|/b_k} of each class i (classes,); others: without j = i."""
        if len(self.masses) > allowed(MOST_KINDS):
            size = f"{len(self.masses):,} different rows of answers"
            raise TooLarge("the joint answers", size, "use route addition", MOST_KINDS)
        found = np.empty(len(self.masses))
        for place, row in enumerate(self.scaled):
            terms = self.masses * np.exp(-np.abs(self.scaled - row).sum(axis=1))
            # Because a posterior near 1 is known by what is left to all others.
            terms[place] *= not others
            found[place] = fsum(terms)
        return found

    def _lowered_at(self, signs: Array) -> float:
        heights = self.scaled @ signs
        heights -= heights.min()
        top = float(heights.max())
        return top + log(fsum(self.masses * np.exp(heights - top)))

    def _around(self, value: float) -> Enclosure:
        """Bounds a computed value by the rounding of its distances, its exponentials and its sums."""
        span = float(np.abs(self.scaled).max() + np.ptp(self.scaled, axis=0).sum())
        return around(value, UNIT * (16 * self._k * (span + 1) + 64 + 4 * abs(value))).clipped(0.0)


@final
@dataclass(frozen=True)
class Moved:
    """The most that odds between two people may have moved, and with them beliefs.

    Attributes:
        nats: The sum of Θ over scale, of all answers.
        least: The least prior of anybody.
        greatest: The greatest prior of anybody.
    """

    nats: float
    least: float
    greatest: float

    def raised(self) -> Enclosure:
        """Returns the largest ln(posterior/prior) of anybody, in nats."""
        return self._up_to(-log1p(expm1(-self.nats) * (1 - self.least)))

    def lowered(self) -> Enclosure:
        """Returns the largest ln(prior/posterior) of anybody, in nats."""
        return self._up_to(self.nats + log1p(self.least * expm1(-self.nats)))

    def suspected(self) -> Enclosure:
        """Returns -ln(1 - the largest posterior of anybody), in nats."""
        return self._up_to(log1p(self.greatest / (1 - self.greatest) * exp(self.nats)))

    @staticmethod
    def _up_to(value: float) -> Enclosure:
        return Enclosure(0.0, value * (1 + 64 * UNIT))


class _AbsenceRoute(Route):
    """A route for promises about who is absent."""

    reads_channel: ClassVar[bool] = True

    def applies(self, releases: Releases) -> str | None:
        if any(not absences(release) for release in releases.each):
            return "the secret is no absence: model absent is wanted"
        for release in releases.each:
            if not release.noise.shape.exponential and not _constant(absences(release)[0]):
                return f"{release.noise.kind} noise: laplace or geometric is wanted"
        return None


@final
class AbsenceJointRoute(_AbsenceRoute):
    """The route by the joint law of all answers, for releases that were fixed beforehand; it is exact."""

    name: ClassVar[str] = "joint"

    def applies(self, releases: Releases) -> str | None:
        return _ADAPTIVE if releases.adaptive else super().applies(releases)

    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        # Because answers about other people are refused before a promise that their priors break.
        told = _told(releases)
        value = _promise(releases, notion).leaked(told)
        return RouteBound(value, delta, ("all releases were fixed beforehand", _OWN))


@final
class AbsenceAdditionRoute(_AbsenceRoute):
    """The route that adds up how far each answer may move the odds between two people; questions may be adaptive."""

    name: ClassVar[str] = "addition"

    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        promise = _promise(releases, notion)
        each = [(absences(release)[0], release) for release in releases.each]
        moved = fsum(0.0 if _constant(m) else m.span / release.noise.known_scale() for m, release in each)
        least = min(float(missing.prior.least) for missing, _ in each)
        greatest = max(float(missing.prior.greatest) for missing, _ in each)
        value = promise.leaked(Moved(moved * (1 + 64 * UNIT), least, greatest))
        rests = (_OWN, *(("the sum of Θ over scale was limited beforehand",) if releases.adaptive else ()))
        return RouteBound(value, delta, rests)


ROUTES: Sequence[Route] = (AbsenceJointRoute(), AbsenceAdditionRoute())


def _constant(missing: Missing) -> bool:
    """Says whether the answer does not depend on who is absent."""
    return len(missing.offsets) == 1


def _promise(releases: Releases, notion: Notion) -> AbsencePromise:
    """Returns the promise, checked on each release; Meaningless for one that is about no absence."""
    if not isinstance(notion, AbsencePromise):
        raise Meaningless("notion.kind", notion.kind, "a promise about who is absent, such as identifiability")
    for release in releases.each:
        notion.check(release)
    return notion


def _told(releases: Releases) -> Told:
    """Returns the answers of all releases; InputError where it is not known who gives which."""
    beliefs = [absences(release)[0] for release in releases.each]
    people = beliefs[0].everybody.total
    columns = []
    for number, (missing, release) in enumerate(zip(beliefs, releases.each, strict=True), 1):
        left = missing.everybody
        if left.total != people:
            raise InputError(f"releases row {number}.model", f"{left.total} people", f"{people}, as in release 1")
        if left.whose is None:
            raise InputError("left_out.whose", "missing", "the class of each person (their rows, not counts of values)")
        # Because noise on an answer that tells nothing tells nothing either, and it may have none.
        scale = 1.0 if _constant(missing) else release.noise.known_scale()
        columns.append(np.zeros(people) if _constant(missing) else left.offsets[left.whose] / scale)
    model = releases.model
    assert isinstance(model, Absent)  # as no other model has a belief about absences
    prior = model.prior_of_each(people)
    can = np.flatnonzero(prior)
    rows, whose = np.unique(np.stack(columns, axis=1)[can], axis=0, return_inverse=True)
    whose = whose.reshape(-1)
    masses = np.bincount(whose, weights=prior[can]).astype(np.float64)
    order = np.lexsort((prior[can], whose))
    ends = np.cumsum(np.bincount(whose, minlength=len(rows))) - 1
    rest = prior[can].copy()
    rest[order[ends]] = 0.0
    others = np.bincount(whose, weights=rest, minlength=len(rows)).astype(np.float64)
    return Told(rows, masses, prior[can][order[ends]], others)
