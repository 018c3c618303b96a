"""What a release would cost, and how precise it would be, before anything is paid."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from dalenius.calibration import Calibration, half_widths
from dalenius.curator.ledger import Budget
from dalenius.curator.noised import Prepared
from dalenius.curator.risk import risk_json
from dalenius.curator.spending import Entry


@final
@dataclass(frozen=True)
class Quote:
    """What a release would cost, of which nothing is drawn or written: free where the same request has an answer.

    shared: where another analyst was told the answer, so that it costs the data set nothing, and this one's cap
    the same.

    cost: what it leaks by itself, and what it adds to others, in nats; budget: as it would be afterwards, of the data
    set, and own that of the analyst, None where there is no cap; calibration: its noise, None where an exact sum is
    rounded; advised: where intervals would be wider than what the model expects. half_widths: by answer's name how far
    the exact one may be away from what goes out, with that confidence; None where the noise does not say. risk: what
    it leaks in odds (`risk_json`).
    """

    free: bool
    cost: Entry | None
    budget: Budget
    calibration: Calibration | None
    advised: str | None
    own: Budget | None = None
    confidence: float | None = None
    half_widths: Mapping[str, float | None] = field(default_factory=dict)
    risk: Mapping[str, Any] | None = None
    shared: bool = False


def quote_of(ready: Prepared, free: bool, budget: Budget, own: Budget | None = None, shared: bool = False) -> Quote:
    """Of a release that is prepared."""
    kept = ready.calibration.promises[0]
    return Quote(
        free,
        None if free else ready.cost,
        budget,
        ready.calibration,
        ready.advised,
        own,
        ready.confidence,
        half_widths(ready.chosen, ready.calibration.noise, ready.confidence),
        risk_json(kept.notion, kept.leakage.upper),
        shared,
    )
