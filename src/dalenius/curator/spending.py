"""What releases of one data set spend together: the least of the sound routes (Theory §9).

Curators are asked one thing after another, and what is asked, with what noise, may depend on the answers: only rules
count that hold for such sequences. *alone*: a single release spends its own leakage. *group*: group losses add (Result
9.1), whatever is known of others. *conversion*: losses between data sets that differ in one record add, and their sum
is converted once (Result 13.2), where all debits are of the same bytes, columns and model, and promise what
inferential or differential privacy implies. Without a delta losses are pure; at that of the budget every loss is taken
as Gaussian noise, and the squares of their μ add (Result 9.7).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot, inf, isfinite
from typing import Any, Final, Literal, TypeAlias, final

from dalenius.bounds import UNIT
from dalenius.composition import as_gaussian, least_epsilon, together
from dalenius.conversion import GaussianProfile, PrivacyProfile, PureProfile
from dalenius.curator.inherited import amount
from dalenius.errors import InputError

SpentBy: TypeAlias = Literal["alone", "group", "conversion"]

WORDS: Final[Mapping[str, str]] = {
    "alone": "its own leakage: it is the only release of these data",
    "group": "the sum of the losses between whole groups",
    "conversion": "the sum of the losses between neighbours, converted once",
}


def in_words(route: SpentBy, delta: float) -> str:
    """delta: at which it is counted."""
    if not delta:
        return WORDS[route]
    taken = "" if route == "alone" else ", each taken as Gaussian noise"
    return f"{WORDS[route]}{taken}, at delta {delta:g}"


@final
@dataclass(frozen=True)
class Entry:
    """What a release costs: leakage, its own exact one, at its promises' delta; group_loss, what it adds when others
    join it.

    What the other routes need, each None where it is not known: differential, the largest log-ratio between data sets
    that differ in another value of one record, in nats, infinite under Gaussian noise; gaussian, the μ of that noise, 0
    of any other; pure, the log-ratio of the noise that is not Gaussian; records, how many the largest independent group
    has; identity, of model and columns; implied_by, of the promises; keeps_delta, whether all of them hold at any delta
    that what implies them has; convert, from a privacy profile and a delta to what it can leak under the model, not
    written down.
    """

    spec: str
    notion: str
    leakage: float
    group_loss: float
    differential: float | None = None
    gaussian: float | None = None
    records: int | None = None
    identity: str | None = None
    implied_by: tuple[str, ...] | None = None
    pure: float | None = None
    delta: float = 0.0
    keeps_delta: bool = False
    convert: Callable[[PrivacyProfile, float], float] | None = field(default=None, compare=False, repr=False)

    def as_body(self) -> dict[str, Any]:
        """As the ledger holds it; what is not known is left out, and so is a delta of 0."""
        paid = {"leakage": amount(self.leakage), "group_loss": amount(self.group_loss)}
        for key, loss in (("differential", self.differential), ("pure", self.pure)):
            if loss is not None:
                paid[key] = amount(loss)
        rest = {
            "gaussian": self.gaussian,
            "records": self.records,
            "identity": self.identity,
            "implied_by": None if self.implied_by is None else list(self.implied_by),
            "delta": self.delta or None,
            "keeps_delta": self.keeps_delta or None,
        }
        return {"spec": self.spec, "notion": self.notion} | paid | {k: v for k, v in rest.items() if v is not None}


@final
@dataclass(frozen=True)
class Spent:
    """In nats, at that delta, and by which route."""

    nats: float
    route: SpentBy
    delta: float = 0.0


def spent_by(before: Sequence[Mapping[str, Any]], cost: Entry, fingerprint: str, delta: float = 0.0) -> Spent:
    """What the debits so far and this one spend; before: their bodies; fingerprint: of the bytes that are asked now;
    delta: of the budget. Of routes that spend as much the first, and pure losses before those at the delta."""
    if not before and cost.delta <= delta:
        return Spent(cost.leakage, "alone", cost.delta)
    debits = [*before, cost.as_body() | {"fingerprint": fingerprint}]
    at = delta if all(body.get("keeps_delta", False) for body in debits) else 0.0
    convert = cost.convert if _convertible(debits) else None
    found = [Spent(together(_group_losses(debits)), "group"), *_converted(debits, convert)]
    found += _at(debits, convert, at, min(spent.nats for spent in found))
    return min(found, key=lambda spent: spent.nats)


def gaussian_noise(debits: Sequence[Mapping[str, Any]]) -> bool:
    """Whether some of them had Gaussian noise, of which nothing adds up without a delta."""
    return any(float(body.get("gaussian", 0.0)) > 0 for body in debits)


def _group_losses(debits: Sequence[Mapping[str, Any]]) -> list[float]:
    """Of each debit; where another one's model has larger groups, for a group of that size: a bound under the worst of
    the models. Of debits of before, whose groups are not known, as they were written."""
    largest = _largest(debits)
    found = []
    for body in debits:
        own = float(body["group_loss"])
        if "differential" in body and int(body.get("records", largest)) < largest:
            own = max(own, largest * float(body["differential"]) * (1 + 2 * UNIT))
        found.append(own)
    return found


def _largest(debits: Sequence[Mapping[str, Any]]) -> int:
    return max((int(body["records"]) for body in debits if "records" in body), default=1)


def _convertible(debits: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the conversion holds for all of them."""
    same = {(body.get("identity"), body["fingerprint"]) for body in debits}
    if len(same) > 1 or any(body.get("identity") is None or "differential" not in body for body in debits):
        return False
    return all(set(body.get("implied_by", ["nothing"])) <= {"inferential", "record"} for body in debits)


def _converted(
    debits: Sequence[Mapping[str, Any]], convert: Callable[[PrivacyProfile, float], float] | None
) -> list[Spent]:
    """By pure losses, if these are finite."""
    if convert is None:
        return []
    total = together(float(body["differential"]) for body in debits)
    return [Spent(max(convert(PureProfile(total), 0.0), total), "conversion", 0.0)] if isfinite(total) else []


def _at(
    debits: Sequence[Mapping[str, Any]],
    convert: Callable[[PrivacyProfile, float], float] | None,
    delta: float,
    best: float,
) -> list[Spent]:
    """At that delta, where it may be less than the best so far: every loss as Gaussian noise. A group counts as so many
    records, so that its route allows nothing that a conversion would not: nobody can choose among both."""
    mu = _gaussian(debits) if delta else inf
    if mu == inf:
        return []
    found = []
    try:
        own = GaussianProfile(mu)
        least = least_epsilon(own, delta)
        if convert is not None and least < best:
            found.append(Spent(max(convert(own, delta), least), "conversion", delta))
        if all("records" in body for body in debits):
            whole = GaussianProfile(mu * _largest(debits) * (1 + 2 * UNIT))
            found.append(Spent(least_epsilon(whole, delta), "group", delta))
    except InputError:  # a μ that is next to nothing, which pure losses serve, or beyond all bounds
        pass
    return found


def _gaussian(debits: Sequence[Mapping[str, Any]]) -> float:
    """The μ of all losses between neighbours together, from above."""
    each = [(as_gaussian(float(body.get("pure", inf))), float(body.get("gaussian", inf))) for body in debits]
    return hypot(*(mu for pair in each for mu in pair)) * (1 + 8 * UNIT * (1 + len(each)))
