"""What debits come to together, kept up entry by entry: what is spent does not take longer the more was spent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isqrt
from typing import Any, Final, TypeAlias, final

from dalenius.composition import as_gaussian
from dalenius.curator.amounts import Amount, nats_above, spending, spending_of
from dalenius.curator.chain import Link

RECORD: Final = "record"
ALLOWED: Final = frozenset({"inferential", RECORD})
"""What must imply all promises, for a sum of differential losses to be converted."""

Kept: TypeAlias = tuple[Amount, Amount | None, int | None]
"""Of a debit: group loss, differential loss and size of the largest group; None where they are not known."""


@final
@dataclass(frozen=True)
class Sums:
    """Of a sequence of debits.

    count: how many; group: the sum of their group losses, where models have groups of different sizes each for a group
    of the largest; differential: of the losses between neighbours, which is what they spend where of_records, all
    promising no more than these; squares: of the μ of all losses taken as Gaussian
    noise, in 1e-18, infinite where some are not known or not wanted; kinds: different pairs of identity and
    fingerprint, two at most; converts: whether all may be converted; sized: whether all groups are known; keep_delta:
    whether all promises hold at any delta; gaussian: whether some had Gaussian noise.
    """

    count: int = 0
    group: Amount = 0
    differential: Amount = 0
    squares: Amount = 0
    largest: int = 1
    kinds: frozenset[tuple[str | None, str]] = frozenset()
    converts: bool = True
    of_records: bool = True
    sized: bool = True
    keep_delta: bool = True
    gaussian: bool = False
    # The newest first, each with what was before it: to add one copies nothing.
    _kept: tuple[Kept, Any] | None = None

    def with_debit(self, body: Mapping[str, Any], fingerprint: str) -> "Sums":
        """With one more, of these bytes."""
        loss = spending_of(body["group_loss"])
        own = spending_of(body["differential"]) if "differential" in body else None
        records = int(body["records"]) if "records" in body else None
        kept: tuple[Kept, Any] = ((loss, own, records), self._kept)
        largest = max(self.largest, records or 1)
        keep = self.keep_delta and bool(body.get("keeps_delta", False))
        identity = body.get("identity")
        implied_by = set(body.get("implied_by", ["nothing"]))
        known = identity is not None and own is not None and implied_by <= ALLOWED
        kinds = self.kinds if len(self.kinds) > 1 else self.kinds | {(identity, fingerprint)}
        group = self.group + _of_group(kept[0], largest) if largest == self.largest else _sum(kept, largest)
        return Sums(
            count=self.count + 1,
            group=group,
            differential=self.differential + (inf if own is None else own),
            squares=self.squares + _square(body) if keep else inf,
            largest=largest,
            kinds=kinds,
            converts=self.converts and known,
            of_records=self.of_records and own is not None and implied_by == {RECORD},
            sized=self.sized and records is not None,
            keep_delta=keep,
            gaussian=self.gaussian or float(body.get("gaussian", 0)) > 0,
            _kept=kept,
        )

    def and_those(self, links: Iterable[Link]) -> "Sums":
        """With these debits too."""
        found = self
        for link in links:
            found = found.with_debit(link.body, link.body["fingerprint"])
        return found

    @property
    def is_convertible(self) -> bool:
        """Whether the conversion holds for all of them: the same law of the same records."""
        return self.converts and len(self.kinds) <= 1

    @property
    def mu(self) -> float:
        """Of all losses between neighbours together, each taken as Gaussian noise, from above."""
        if not isinstance(self.squares, int):
            return inf
        root = isqrt(self.squares)
        return nats_above(root + (root * root < self.squares))


def _of_group(kept: Kept, largest: int) -> Amount:
    """Where another one's model has larger groups, for a group of that size: a bound under the worst of the models. Of
    debits of before, whose groups are not known, as they were written."""
    loss, own, records = kept
    if own is None or (largest if records is None else records) >= largest:
        return loss
    return max(loss, largest * own)


def _sum(kept: tuple[Kept, Any] | None, largest: int) -> Amount:
    total: Amount = 0
    while kept is not None:
        first, kept = kept
        total += _of_group(first, largest)
    return total


def _square(body: Mapping[str, Any]) -> Amount:
    """μ², in 1e-18, from above: that of the noise that is Gaussian, and that of the pure loss taken as such."""
    gaussian = spending_of(body["gaussian"]) if "gaussian" in body else inf
    pure = _as_gaussian(spending_of(body["pure"])) if "pure" in body else inf
    return gaussian**2 + pure**2


@lru_cache(4096)
def _as_gaussian(pure: Amount) -> Amount:
    return spending(as_gaussian(nats_above(pure)))
