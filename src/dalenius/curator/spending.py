"""What releases of one data set spend together: the least of the sound routes (Theory §9).

Curators are asked one thing after another, and what is asked may depend on the answers: only rules count that hold for
adaptive sequences. *alone*: a single release spends its own leakage. *group*: group losses add (Result 9.1), whatever
is known of others. *conversion*: losses between data sets that differ in one record add, and their sum is converted
once (Result 13.2), where all debits are of the same bytes, columns and model, and promise what inferential or
differential privacy implies.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, Literal, TypeAlias, final

from dalenius.bounds import UNIT
from dalenius.composition import together
from dalenius.curator.inherited import amount

SpentBy: TypeAlias = Literal["alone", "group", "conversion"]

WORDS: Final[Mapping[str, str]] = {
    "alone": "its own leakage: it is the only release of these data",
    "group": "the sum of the losses between whole groups",
    "conversion": "the sum of the losses between neighbours, converted once",
}


@final
@dataclass(frozen=True)
class Entry:
    """What a release costs: leakage, its own exact one; group_loss, what it adds when others join it.

    What the other routes need, each None where it is not known: differential, the largest log-ratio between data sets
    that differ in another value of one record, in nats, infinite under Gaussian noise; gaussian, the μ of that noise, 0
    of any other; records, how many the largest independent group has; identity, of model and columns; implied_by, of
    the promises; convert, from a differential loss to what it can leak under the model, not written down.
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
    convert: Callable[[float], float] | None = field(default=None, compare=False, repr=False)

    def as_body(self) -> dict[str, Any]:
        """As the ledger holds it; what is not known is left out."""
        paid = {"leakage": amount(self.leakage), "group_loss": amount(self.group_loss)}
        if self.differential is not None:
            paid["differential"] = amount(self.differential)
        rest = {
            "gaussian": self.gaussian,
            "records": self.records,
            "identity": self.identity,
            "implied_by": None if self.implied_by is None else list(self.implied_by),
        }
        return {"spec": self.spec, "notion": self.notion} | paid | {k: v for k, v in rest.items() if v is not None}


@final
@dataclass(frozen=True)
class Spent:
    """In nats, and by which route."""

    nats: float
    route: SpentBy


def spent_by(before: Sequence[Mapping[str, Any]], cost: Entry, fingerprint: str) -> Spent:
    """What the debits so far and this one spend; before: their bodies; fingerprint: of the bytes that are asked now."""
    if not before:
        return Spent(cost.leakage, "alone")
    debits = [*before, cost.as_body() | {"fingerprint": fingerprint}]
    groups = together(_group_losses(debits))
    total = _differential(debits)
    if cost.convert is None or total is None or not isfinite(total):
        return Spent(groups, "group")
    converted = max(cost.convert(total), total)
    return Spent(converted, "conversion") if converted < groups else Spent(groups, "group")


def _group_losses(debits: Sequence[Mapping[str, Any]]) -> list[float]:
    """Of each debit; where another one's model has larger groups, for a group of that size: a bound under the worst of
    the models. Of debits of before, whose groups are not known, as they were written."""
    largest = max((int(body["records"]) for body in debits if "records" in body), default=1)
    found = []
    for body in debits:
        own = float(body["group_loss"])
        if "differential" in body and int(body.get("records", largest)) < largest:
            own = max(own, largest * float(body["differential"]) * (1 + 2 * UNIT))
        found.append(own)
    return found


def _differential(debits: Sequence[Mapping[str, Any]]) -> float | None:
    """The sum of the differential losses; None where the conversion does not hold for all of them."""
    same = {(body.get("identity"), body["fingerprint"]) for body in debits}
    if len(same) > 1 or any(body.get("identity") is None or "differential" not in body for body in debits):
        return None
    if not all(set(body.get("implied_by", ["nothing"])) <= {"inferential", "record"} for body in debits):
        return None
    return together(float(body["differential"]) for body in debits)
