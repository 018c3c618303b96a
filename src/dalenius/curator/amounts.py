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
Amount: TypeAlias = int | float
"""In nano-nats: an integer, or infinity."""


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


RECORD: Final = "record"
ALLOWED: Final = frozenset({"inferential", RECORD})
"""What must imply all promises, for a sum of differential losses to be converted."""

ALONE: Final = "alone"
"""Who is in a group with whom, where nobody is with anybody: that differs from no other groups but in size."""

MOST_KINDS: Final = 16
"""Of more measures, models and bytes than that nothing is converted: it would hardly be less, and each is looked at."""

Kind: TypeAlias = tuple[str | None, str | None]
"""Identity and state (`state_of`): what is the same law of the same records."""
Converted: TypeAlias = tuple[Amount, Amount]
"""A sum of differential losses, and what it comes to when it is converted under the model of its kind."""
Kept: TypeAlias = tuple[Amount, Amount, int | None, Kind]
"""Of a debit: group loss, differential loss, size of the largest group, None where it is not known; its kind."""


@final
@dataclass(frozen=True)
class Part:
    """Of the debits of one kind. group, differential: sums as of `Sums`; record: the newest of what was converted."""

    group: Amount = 0
    differential: Amount = 0
    record: Converted | None = None

    @property
    def converted(self) -> Amount:
        """What its differential losses come to, or its group losses where that is less, or no more is known. A sum that
        was not less is as good: more losses leak no less."""
        if self.record is None or self.record[0] < self.differential:
            return self.group
        return min(self.record[1], self.group)


@final
@dataclass(frozen=True)
class Sums:
    """Of a sequence of debits.

    count: how many; group: the sum of their group losses, where models have other groups each for any group of the
    largest size, and infinite where the groups of some are not known; together: what says who is in a group with whom,
    of each model; differential: of the losses between neighbours, which is what they spend where of_records, all
    promising no more than these; squares: of the μ of all losses taken as Gaussian noise, in 1e-18, infinite where some
    are not known or not wanted; parts: of each kind, None where there are too many; converts: whether all may be
    converted; sized: whether all groups are known; keep_delta: whether all promises hold at any delta; gaussian:
    whether some had Gaussian noise; moving: whether some were of a table that may have changed since.
    """

    count: int = 0
    group: Amount = 0
    differential: Amount = 0
    squares: Amount = 0
    largest: int = 1
    parts: Mapping[Kind, Part] | None = field(default_factory=dict)
    converts: bool = True
    of_records: bool = True
    sized: bool = True
    keep_delta: bool = True
    gaussian: bool = False
    together: frozenset[str | None] = frozenset()
    moving: bool = False
    # The newest first, each with what was before it: to add one copies nothing.
    _kept: tuple[Kept, Any] | None = None

    def with_debit(self, body: Mapping[str, Any], state: str | None, said: Mapping[str, Any] | None = None) -> "Sums":
        """With one more, of records in this state. said: what says what its kind's losses come to when converted, by
        default the debit's body."""
        loss = amount_of(body["group_loss"])
        own = amount_of(body["differential"])
        records = int(body["records"]) if "records" in body and "together" in body else None
        kind: Kind = (body.get("identity"), state)
        kept: tuple[Kept, Any] = ((loss, own, records, kind), self._kept)
        largest = max(self.largest, records or 1)
        keep = self.keep_delta and bool(body.get("keeps_delta", False))
        implied_by = set(body.get("implied_by", ["nothing"]))
        found = Sums(
            count=self.count + 1,
            group=self.group + _of_group(kept[0], largest, self._differ),
            differential=self.differential + own,
            squares=self.squares + _square(body) if keep else inf,
            largest=largest,
            parts=_with_part(self.parts, kept[0], largest, self._differ, (body if said is None else said)),
            converts=self.converts and None not in kind and implied_by <= ALLOWED,
            of_records=self.of_records and implied_by == {RECORD},
            sized=self.sized and records is not None,
            keep_delta=keep,
            gaussian=self.gaussian or body["gaussian"] != 0,
            together=self.together | {body.get("together")},
            moving=self.moving or state is None,
            _kept=kept,
        )
        return found if (largest, found._differ) == (self.largest, self._differ) else found._of_other_groups()

    @property
    def _differ(self) -> bool:
        """Whether models put different people into one group, or people may have moved between two debits: then a group
        of one is any people to another."""
        groups = len(self.together - {ALONE})
        return groups > 1 or (self.moving and self.count > 1 and groups > 0)

    def _of_other_groups(self) -> "Sums":
        """All group losses again: the last one has larger groups than those before, or others."""
        parts = None if self.parts is None else {kind: replace(part, group=0) for kind, part in self.parts.items()}
        kept, total = self._kept, spending(0.0)
        while kept is not None:
            first, kept = kept
            loss = _of_group(first, self.largest, self._differ)
            total += loss
            if parts is not None:
                parts[first[3]] = replace(parts[first[3]], group=parts[first[3]].group + loss)
        return replace(self, group=total, parts=parts)

    def where_converted(self, kind: Kind, record: Converted) -> "Sums":
        """Where that is known of the debits of that kind."""
        if self.parts is None:
            return self
        return replace(self, parts={**self.parts, kind: replace(self.parts[kind], record=record)})

    @property
    def converted(self) -> Amount:
        """Of the values that were asked about the one of which most leaks: its own losses converted, and the others' of
        whole groups (Result 9.15)."""
        if not self.converts or self.parts is None:
            return self.group
        parts = self.parts.values()
        return max((sum(each.converted if each is one else each.group for each in parts) for one in parts), default=0)

    @property
    def is_convertible(self) -> bool:
        """Whether the conversion holds for all of them: the same law of the same records."""
        return self.converts and self.parts is not None and len(self.parts) <= 1

    @property
    def mu(self) -> float:
        """Of all losses between neighbours together, each taken as Gaussian noise, from above."""
        if not isinstance(self.squares, int):
            return inf
        root = isqrt(self.squares)
        return nats_above(root + (root * root < self.squares))


def state_of(body: Mapping[str, Any]) -> str | None:
    """What says that the records of two debits are the same: their bytes; under a policy, whose prices must not hang on
    bytes, a version that is frozen, and None where the version is not."""
    if "version" not in body:
        return str(body["fingerprint"])
    return f"version {body['version']}" if body.get("frozen") else None


def _of_group(kept: Kept, largest: int, differ: bool) -> Amount:
    """Where another one's model has larger groups, or others, for any people of that number: a bound under the worst of
    the models. Infinite where its own groups are not known."""
    loss, own, records, _ = kept
    if records is None:
        return inf
    return loss if records >= largest and not differ else max(loss, largest * own)


def _with_part(
    parts: Mapping[Kind, Part] | None, kept: Kept, largest: int, differ: bool, said: Mapping[str, Any]
) -> Mapping[Kind, Part] | None:
    kind, own = kept[3], kept[1]
    record: Sequence[int] | None = said.get("converted")
    if parts is None or (kind not in parts and len(parts) == MOST_KINDS):
        return None
    before = parts.get(kind, Part())
    now = before.record if record is None else (amount_of(record[0]), amount_of(record[1]))
    part = Part(before.group + _of_group(kept, largest, differ), before.differential + own, now)
    return {**parts, kind: part}


def _square(body: Mapping[str, Any]) -> Amount:
    """μ², in 1e-18, from above: that of the noise that is Gaussian, and that of the pure loss taken as such."""
    return amount_of(body["gaussian"]) ** 2 + _as_gaussian(amount_of(body["pure"])) ** 2


@lru_cache(4096)
def _as_gaussian(pure: Amount) -> Amount:
    return spending(as_gaussian(nats_above(pure)))
