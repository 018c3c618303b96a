"""Amounts as a ledger keeps them, whole nano-nats, so that sums are exact; and what debits come to together, kept up
entry by entry: what is spent does not take longer the more was spent.

What is spent is rounded up, budgets down. In JSON an amount is an integer, or "inf"; of anything else, which nothing
wrote, the ledger is refused. So 0.1 nats that a release leaks are a debit of 100000001, as the double is a little above
a tenth, and 0.1 nats that a data set is given a budget of 100000000.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, isfinite, isnan, isqrt, nextafter
from typing import Any, Final, TypeAlias, final

from dalenius.composition import as_gaussian

NANO: Final = 10**9
# In nano-nats: an integer, or infinity.
Amount: TypeAlias = int | float


def spending(nats: float) -> Amount:
    """The least amount that is not below it; infinite of what is no cost, a negative number or none.

    >>> spending(0.1), budget(0.1)  # the double is a little above a tenth: costs go up, budgets down
    (100000001, 100000000)
    """
    if isnan(nats) or nats < 0 or nats == inf:
        return inf
    return ceil(Fraction(nats) * NANO)


def budget(nats: float) -> Amount:
    """The greatest amount that is not above the decimal number that was written: the shortest that gives this double.
    0 of what is no budget."""
    if isnan(nats) or nats <= 0:
        return 0
    return floor(Fraction(repr(float(nats))) * NANO) if isfinite(nats) else inf


def amount_of(written: int | str) -> Amount:
    """An amount as an entry holds it. ValueError of what is none: whoever may write to the file can make a chain of
    hashes of anything, and one in which -1 is spent would give budget back."""
    if written == "inf":
        return inf
    if type(written) is not int or written < 0:
        raise ValueError(f"{written!r} is no amount")
    return written


def written(amount: Amount) -> int | str:
    """As JSON holds it, which has no infinity."""
    return amount if isinstance(amount, int) else "inf"


def nats(amount: Amount) -> float:
    """The nearest double."""
    return amount / NANO


def shown(amount: Amount) -> float | str:
    """The nearest double as JSON holds it, for whoever reads a certificate or a price."""
    return nats(amount) if isinstance(amount, int) else "inf"


def nats_above(amount: Amount) -> float:
    """The least double that is not below it."""
    found = amount / NANO
    if found == inf or Fraction(found) * NANO >= Fraction(amount):
        return found
    return nextafter(found, inf)


_RECORD: Final = "record"
# What must imply all promises, for a sum of differential losses to be converted.
_ALLOWED: Final = frozenset({"inferential", _RECORD})

# Who is in a group with whom, where nobody is with anybody: that differs from no other groups but in size.
ALONE: Final = "alone"

# Of more measures, models and bytes than that nothing is converted: it would hardly be less, and each is looked at.
MOST_KINDS: Final = 16

# Identity and state (`state_of`), which are the same law of the same records; and the size of its largest group, None
# where it is not known.
Kind: TypeAlias = tuple[str | None, str | None, int | None]
# A sum of differential losses, and what it comes to when it is converted under the model of its kind.
Converted: TypeAlias = tuple[Amount, Amount]


@final
@dataclass(frozen=True)
class _Part:
    """Of the debits of one kind. group, differential: sums of their own losses, of whole groups and between neighbours;
    record: the newest of what was converted."""

    group: Amount = 0
    differential: Amount = 0
    record: Converted | None = None


@final
@dataclass(frozen=True)
class Sums:
    """Of a sequence of debits.

    count: how many; differential: the sum of their losses between neighbours, which is what they spend where
    of_records, all promising no more than these; squares: of the μ of all losses taken as Gaussian noise, in 1e-18,
    infinite where some are not known or not wanted; largest: of all their groups; together: what says who is in a group
    with whom, of each model; parts: of each kind; converts: whether all may be converted; keep_delta: whether all
    promises hold at any delta; gaussian: whether some had Gaussian noise; moving: whether some were of a table that may
    have changed since.

    Of households of 4 that lose 3 nats each time, and 1 between neighbours, two debits come to 6; a third under a model
    of single people, which loses 1, makes it 10: it counts 4, as what four people of a household lose by it.
    """

    count: int = 0
    differential: Amount = 0
    squares: Amount = 0
    largest: int = 1
    parts: Mapping[Kind, _Part] = field(default_factory=dict)
    converts: bool = True
    of_records: bool = True
    keep_delta: bool = True
    gaussian: bool = False
    together: frozenset[str | None] = frozenset()
    moving: bool = False

    def with_debit(self, body: Mapping[str, Any], state: str | None, said: Mapping[str, Any] | None = None) -> "Sums":
        """With one more, of records in this state. said: what says what its kind's losses come to when converted, by
        default the debit's body."""
        kind, own = kind_of(body, state), amount_of(body["differential"])
        implied_by = set(body.get("implied_by", ["nothing"]))
        converts = self.converts and None not in kind[:2] and implied_by <= _ALLOWED
        # An analyst who asks about very many measures, or of a table that is saved again and again.
        if kind not in self.parts and len(self.parts) >= MOST_KINDS:
            converts, kind = False, (None, None, kind[2])
        before, keep = self.parts.get(kind, _Part()), self.keep_delta and bool(body.get("keeps_delta", False))
        record: Sequence[int] | None = (body if said is None else said).get("converted")
        part = _Part(
            before.group + amount_of(body["group_loss"]),
            before.differential + own,
            before.record if record is None else (amount_of(record[0]), amount_of(record[1])),
        )
        return Sums(
            count=self.count + 1,
            differential=self.differential + own,
            squares=self.squares + _square(body) if keep else inf,
            largest=max(self.largest, kind[2] or 1),
            parts={**self.parts, kind: part},
            converts=converts,
            of_records=self.of_records and implied_by == {_RECORD},
            keep_delta=keep,
            gaussian=self.gaussian or body["gaussian"] != 0,
            together=self.together | {body.get("together")},
            moving=self.moving or state is None,
        )

    def where_converted(self, kind: Kind, record: Converted) -> "Sums":
        """Where that is known of the debits of that kind."""
        return replace(self, parts={**self.parts, kind: replace(self.parts[kind], record=record)})

    @property
    def group(self) -> Amount:
        """The sum of the group losses; infinite where the groups of some are not known."""
        return sum(self._of_groups(kind) for kind in self.parts)

    @property
    def sized(self) -> bool:
        """Whether all groups are known."""
        return all(records is not None for *_, records in self.parts)

    @property
    def converted(self) -> Amount:
        """Of the values that were asked about the one of which most leaks: its own losses converted, and the others' of
        whole groups (Result 9.15)."""
        if not self.converts:
            return self.group
        kinds = self.parts
        return max((sum(self._of(kind, kind == one) for kind in kinds) for one in kinds), default=0)

    @property
    def is_convertible(self) -> bool:
        """Whether the conversion holds for all of them: the same law of the same records."""
        return self.converts and len(self.parts) <= 1

    @property
    def mu(self) -> float:
        """Of all losses between neighbours together, each taken as Gaussian noise, from above."""
        if not isinstance(self.squares, int):
            return inf
        root = isqrt(self.squares)
        return nats_above(root + (root * root < self.squares))

    @property
    def _differ(self) -> bool:
        """Whether models put different people into one group, or people may have moved between two debits: then a group
        of one is any people to another."""
        groups = len(self.together - {ALONE})
        return groups > 1 or (self.moving and self.count > 1 and groups > 0)

    def _of_groups(self, kind: Kind) -> Amount:
        """What debits of that kind come to by groups. Where another one's model has larger groups, or others, any
        people of that number: what as many neighbours in a row lose, a bound under the worst of the models."""
        part, records = self.parts[kind], kind[2]
        if records is None:  # as beside known answers, which make one group of everybody
            return inf
        return part.group if records == self.largest and not self._differ else self.largest * part.differential

    def _of(self, kind: Kind, converted: bool) -> Amount:
        """By groups, or converted where that is less and known. What was known of a smaller sum says nothing of this
        one; of a larger one it is as good, as more losses leak no less."""
        part, groups = self.parts[kind], self._of_groups(kind)
        if not converted or part.record is None or part.record[0] < part.differential:
            return groups
        return min(part.record[1], groups)


def kind_of(body: Mapping[str, Any], state: str | None) -> Kind:
    """Of a debit, of records in this state."""
    records = int(body["records"]) if "records" in body and "together" in body else None
    return body.get("identity"), state, records


def state_of(body: Mapping[str, Any]) -> str | None:
    """What says that the records of two debits are the same: their bytes; under a policy, whose prices must not hang on
    bytes, a version that is frozen, and None where the version is not."""
    if "version" not in body:
        return str(body["fingerprint"])
    return f"version {body['version']}" if body.get("frozen") else None


def _square(body: Mapping[str, Any]) -> Amount:
    """μ², in 1e-18, from above: that of the noise that is Gaussian, and that of the pure loss taken as such."""
    return amount_of(body["gaussian"]) ** 2 + _as_gaussian(amount_of(body["pure"])) ** 2


@lru_cache(4096)
def _as_gaussian(pure: Amount) -> Amount:
    return spending(as_gaussian(nats_above(pure)))
