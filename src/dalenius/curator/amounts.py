"""Amounts as a ledger keeps them: whole nano-nats, so that sums are exact.

The sums of debits are kept up entry by entry, so that they do not take longer the more was spent. Spending is rounded
up, budgets down. In JSON an amount is an integer, or "inf"; a ledger with anything else, which nothing wrote, is
refused. So a release that leaks 0.1 nats is a debit of 100000001, as the double is a little above a tenth, and a data
set that is given 0.1 nats has a budget of 100000000.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, isfinite, isnan, isqrt, nextafter
from typing import Any, Final, TypeAlias, final

from dalenius.composition import as_gaussian

NANO: Final = 10**9
# In nano-nats: an integer, or infinity.
Amount: TypeAlias = int | float


def spending(nats: float) -> Amount:
    """Returns the least amount that is not below `nats`; infinite for what is no cost, a negative number or NaN.

    >>> spending(0.1), budget(0.1)  # the double is a little above a tenth: costs go up, budgets down
    (100000001, 100000000)
    """
    if isnan(nats) or nats < 0 or nats == inf:
        return inf
    return ceil(Fraction(nats) * NANO)


def budget(nats: float) -> Amount:
    """Returns the greatest amount not above `nats` as they were written: the shortest decimal that gives this double.

    It is 0 for what is no budget.
    """
    if isnan(nats) or nats <= 0:
        return 0
    return floor(Fraction(repr(float(nats))) * NANO) if isfinite(nats) else inf


def amount_of(written: int | str) -> Amount:
    """Returns an amount from what an entry holds, `written`; ValueError for what is none.

    Somebody who may write to the file can make a chain of hashes of anything, and one in which -1 is spent would give
    budget back.
    """
    if written == "inf":
        return inf
    if type(written) is not int or written < 0:
        raise ValueError(f"{written!r} is no amount")
    return written


def amount_json(amount: Amount) -> int | str:
    """Returns the `amount` as JSON holds it, which has no infinity; `amount_of` reads it again, as it was.

    >>> amount_json(spending(float("inf"))), amount_of("inf"), amount_of(5)
    ('inf', inf, 5)
    """
    return amount if isinstance(amount, int) else "inf"


def as_nats(amount: Amount) -> float:
    """Returns the nearest double in nats, to be read; computations use `nats_above`, or the amount itself."""
    return amount / NANO


def nats_json(amount: Amount) -> float | str:
    """Returns the nearest double in nats to `amount` as JSON holds it, for a certificate or a price."""
    return as_nats(amount) if isinstance(amount, int) else "inf"


def nats_above(amount: Amount) -> float:
    """Returns nats from above: the least double that is not below `amount`, so that computations spend no less."""
    found = amount / NANO
    if found == inf or Fraction(found) * NANO >= Fraction(amount):
        return found
    return nextafter(found, inf)


_RECORD: Final = "record"
_ABSENCE: Final = "absence"
# The notion that must imply all promises, for a sum of differential losses to be converted.
_ALLOWED: Final = frozenset({"inferential", _RECORD})

# Who is in a group with whom, where nobody is with anybody: that differs from no other groups but in size.
NO_GROUPS: Final = "alone"

_LawOfRecords: TypeAlias = tuple[str | None, str | None]


@final
@dataclass(frozen=True)
class DebitSums:
    """The sums of a sequence of debits, kept up debit by debit by `History`.

    There is one for each data set and one for what each of its analysts was told. Say households of 4 lose 3 nats each
    time, and 1 between neighbours: two debits come to 6. A third under a model of single people, which loses 1, makes
    it 10: it counts 4, as what four people of a household lose by it.

    Attributes:
        count: How many debits there are.
        differential: The sum of their losses between neighbours.
        squares: The sum of the squares of μ of all losses taken as Gaussian noise, in 1e-18; infinite where some are
            not known or not wanted.
        groups: By size of the largest group (None where it is not known), the sums of the losses of whole groups and of
            those between neighbours.
        law: Identity and state (`_state_of`) of the last.
        converts: Whether the conversion holds for all of them: the same law of the same records.
        of_records: Whether all promise no more than losses between neighbours, which they then spend.
        keep_delta: Whether all promises hold at any delta.
        gaussian: Whether some had Gaussian noise.
        together: Fingerprints of each model's grouping of people.
        moving: Whether some were of a table that may have changed since.
        absence: The sum of the shares of one promise about who is absent that they allow for, each counted beyond those
            before it; None where one of them promises anything else.
        periods: The same sums as `groups` for each version of the table.
        goes_on: How all of them suppose that a value goes on from version to version, as JSON; None where some suppose
            nothing, or something else.
    """

    count: int = 0
    differential: Amount = 0
    squares: Amount = 0
    groups: Mapping[int | None, tuple[Amount, Amount]] = field(default_factory=dict)
    law: _LawOfRecords = (None, None)
    converts: bool = True
    of_records: bool = True
    keep_delta: bool = True
    gaussian: bool = False
    together: frozenset[str | None] = frozenset()
    moving: bool = False
    absence: Amount | None = 0
    periods: Mapping[str, Mapping[int | None, tuple[Amount, Amount]]] = field(default_factory=dict)
    goes_on: str | None = None

    def with_debit(self, body: Mapping[str, Any]) -> "DebitSums":
        """Returns the sums with one debit more, whose entry has this `body`."""
        own, state = amount_of(body["differential"]), _state_of(body)
        law = body.get("identity"), state
        # If a debit does not say what implies its promise, as a program's own, only its group loss is known.
        implied_by = set(body.get("implied_by", ["nothing"]))
        keep = self.keep_delta and bool(body.get("keeps_delta", False))
        size = int(body["records"]) if "records" in body and "together" in body else None
        version, going_on = str(body.get("version", "")), _goes_on(body, implied_by)
        return DebitSums(
            count=self.count + 1,
            differential=self.differential + own,
            squares=self.squares + _square(body) if keep else inf,
            groups=_with(self.groups, size, amount_of(body["group_loss"]), own),
            law=law,
            # Because the laws of several measures, or of a table that may change, differ, groups count then. For one
            # measure of a frozen version, or one file, losses are converted.
            converts=self.converts
            and None not in law
            and implied_by <= _ALLOWED
            and (not self.count or law == self.law),
            of_records=self.of_records and implied_by == {_RECORD},
            keep_delta=keep,
            gaussian=self.gaussian or body["gaussian"] != 0,
            together=self.together | {body.get("together")},
            # Because somebody may have moved from one household to another between two versions, frozen or not.
            moving=self.moving or state is None or (self.count > 0 and state != self.law[1]),
            absence=self.absence + amount_of(body["leakage"])
            if self.absence is not None and implied_by == {_ABSENCE}
            else None,
            periods={
                **self.periods,
                version: _with(self.periods.get(version, {}), size, amount_of(body["group_loss"]), own),
            },
            goes_on=going_on if not self.count or going_on == self.goes_on else None,
        )

    @property
    def largest(self) -> int:
        """The size of the largest of all their groups."""
        return max((size for size in self.groups if size is not None), default=1)

    @property
    def group(self) -> Amount:
        """The sum of the group losses; infinite where the groups of some are not known.

        Where another debit's model has larger groups, or others, it counts as any people of that number: what as many
        neighbours in a row lose, a bound under the worst of the models.
        """
        return self._group(self.groups)

    @property
    def by_period(self) -> dict[str, Amount]:
        """The sums of the group losses by version of the table, where people may have moved between two of them."""
        moved = len(self.periods) > 1 and bool(self.together - {NO_GROUPS})
        return {version: self._group(groups, moved) for version, groups in self.periods.items()}

    def _group(self, groups: Mapping[int | None, tuple[Amount, Amount]], moved: bool = False) -> Amount:
        """Returns the sum of group losses; moved: whether a group of one may be any people of that number to others."""
        if None in groups:  # as beside known answers, where everybody is in one
            return inf
        alike = {None if moved or self._differ else self.largest}
        return sum(group if size in alike else self.largest * own for size, (group, own) in groups.items())

    @property
    def mu(self) -> float:
        """The μ of all losses between neighbours together, each taken as Gaussian noise, from above (Result 9.7).

        It is the root of the sum of squares, and infinite where some promise has no delta.
        """
        if not isinstance(self.squares, int):
            return inf
        # The root of an integer in 1e-18 is in 1e-9, as amounts are; it is rounded up unless it is exact.
        root = isqrt(self.squares)
        return nats_above(root + (root * root < self.squares))

    @property
    def _differ(self) -> bool:
        """Whether models put different people into one group, or people may have moved between two debits.

        Then a group of one is any people to another.
        """
        # If an owner asks by household once, and by school class once, nobody says how these overlap.
        groups = len(self.together - {NO_GROUPS})
        return groups > 1 or (self.moving and self.count > 1 and groups > 0)


def _with(
    groups: Mapping[int | None, tuple[Amount, Amount]], size: int | None, group: Amount, own: Amount
) -> dict[int | None, tuple[Amount, Amount]]:
    """Returns sums of losses by size of the largest group, with those of one debit more."""
    before, differential = groups.get(size, (0, 0))
    return {**groups, size: (before + group, differential + own)}


def _goes_on(body: Mapping[str, Any], implied_by: set[str]) -> str | None:
    """Returns how a debit supposes that values go on; None where it says nothing, or promises more than beliefs."""
    said = body.get("goes_on")
    return json.dumps(said, sort_keys=True) if said and implied_by <= {"inferential"} else None


def _state_of(body: Mapping[str, Any]) -> str | None:
    """Returns the text that says whether the records of two debits are the same: their bytes.

    Under a policy, whose prices must not hang on bytes, it is a version that is frozen, and None where the version is
    not.
    """
    if "version" not in body:
        return str(body["fingerprint"])
    return f"version {body['version']}" if body.get("frozen") else None


def _square(body: Mapping[str, Any]) -> Amount:
    """Returns μ², in 1e-18, from above: that of the noise that is Gaussian, and that of the pure loss taken as such."""
    return amount_of(body["gaussian"]) ** 2 + _as_gaussian(amount_of(body["pure"])) ** 2


@lru_cache(4096)
def _as_gaussian(pure: Amount) -> Amount:
    return spending(as_gaussian(nats_above(pure)))
