"""A quote: what a release would cost and how precise it would be. Nothing is drawn or written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, nan
from typing import Any, Final, final

from pydantic import ValidationError

from dalenius.calibration import Calibration
from dalenius.curator.amounts import nats_json, spending
from dalenius.curator.cost_of_releases import Budget, Entry
from dalenius.curator.prepared_release import Ready
from dalenius.curator.recorded_answers import Recorded
from dalenius.errors import InputError
from dalenius.frozen_section import Frozen
from dalenius.noise import AnyNoise
from dalenius.notions import Leakage
from dalenius.spec.results_as_json import noise_json
from dalenius.tabular import Cell, Tabular


@final
@dataclass(frozen=True, repr=False)
class Quote(Tabular):
    """The price of a release. Nothing of it is drawn or written.

    Attributes:
        free: Whether the same request has an answer already, which costs nothing.
        cost: What the release leaks by itself, and what it adds to others, in nats; None where it is free.
        budget: The budget of the data set, as it would be afterwards.
        calibration: The noise; None where an exact sum is rounded.
        advised: Advice where intervals would be wider than what the model expects, or where asking questions together
            would cost far less; None where there is none.
        own: The budget of the analyst, as it would be afterwards; None where there is no cap.
        confidence: The confidence of the intervals.
        half_widths: By the answer's name, how far the exact answer may be from what goes out, with that confidence, in
            the query's own unit; None where the noise does not say.
        risk: What it leaks in odds (`risk_json`).
        shared: Whether another analyst was told the answer. Then it costs the data set nothing, and this analyst's cap
            the same as ever.
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

    @property
    def caption(self) -> str:
        """The title of the table."""
        at = "" if self.confidence is None else f", with {100 * self.confidence:g} %"
        return f"How far an answer may be from the exact one{at}"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each answer: its label, and half_width in the query's unit, None where it is not known."""
        return [{"label": label, "half_width": width} for label, width in self.half_widths.items()]

    def notes(self) -> list[str]:
        """Return the price, the noise, and what would be left."""
        cost, chosen = self.cost, self.calibration
        left = [("your own budget", self.own), ("the data set's budget", self.budget)]
        return [
            "costs nothing" if cost is None else f"costs {cost.leakage:.6g} nats alone",
            *([] if chosen is None else [f"noise: {chosen.noise.words}"]),
            *[f"then {each.remaining:.6g} of {each.initial:.6g} nats are left of {pot}" for pot, each in left if each],
            *([] if self.advised is None else [f"advice: {self.advised}"]),
        ]

    def as_json(self) -> dict[str, Any]:
        """Write all but the budgets and the half-widths for JSON; costs to a whole nano-nat, as they are debited."""
        chosen, cost = self.calibration, self.cost
        costs = None if cost is None else {"leakage": cost.leakage, "group_loss": cost.group_loss}
        return {
            "free": self.free,
            "cost": None if costs is None else {key: nats_json(spending(each)) for key, each in costs.items()},
            "noise": None if chosen is None else noise_json(chosen.noise),
            "expected_error": None if chosen is None else chosen.expected_error,
            "confidence": self.confidence,
            "risk": self.risk,
            "advice": self.advised,
        }


def quote_of(ready: Ready, free: bool, budget: Budget, own: Budget | None = None, shared: bool = False) -> Quote:
    """Quotes a release that is prepared.

    Args:
        ready: The release.
        free: Whether the same request has an answer already.
        budget: The data set's budget, as it would be afterwards.
        own: The analyst's budget, as it would be afterwards; None where there is no cap.
        shared: Whether another analyst was told the answer.
    """
    return Quote(
        free,
        None if free else ready.cost,
        budget,
        ready.calibration,
        "; ".join(filter(None, [ready.advised, None if free else saving_together(ready.cost)])) or None,
        own,
        ready.confidence,
        ready.widths(),
        ready.risk(),
        shared,
    )


_FAR_ABOVE: Final = 10.0
"""A charge beside others is worth a sentence from so many times what a release leaks alone."""


def saving_together(cost: Entry) -> str | None:
    """Advises what to do where a release costs far more beside others than it leaks alone; None where it does not.

    Other releases may tell everything but this person's record: then the loss of a whole group is added. For answers
    that are asked at once the joint law is known. cost: of the release.
    """
    if not 0 < cost.leakage * _FAR_ABOVE < cost.group_loss < inf:
        return None
    return (
        f"beside other releases this counts up to {cost.group_loss:.6g} nats, though alone it leaks "
        f"{cost.leakage:.6g}: ask these questions at once, in one query of kind several. Dalenius then computes what "
        "they leak together"
    )


class _Drawn(Frozen):
    noise: AnyNoise


def free_quote(done: Recorded) -> Quote:
    """Quotes an answer that the ledger has, `done`: it costs nothing, and is as precise as its certificate says.

    No table is read, and no noise is calibrated.
    """
    published, found = done.published, done.published.certificate
    intervals = found.get("interval", [None] * len(published.labels))
    widths = {
        label: _half_width(answer, ends)
        for label, answer, ends in zip(published.labels, published.answers, intervals, strict=True)
    }
    return Quote(
        True,
        None,
        done.budget,
        _calibration_of_certificate(found),
        found.get("advice"),
        done.own,
        found.get("confidence"),
        widths,
        found.get("risk"),
    )


def _half_width(answer: Fraction | str, ends: Sequence[Any] | None) -> float | None:
    """Returns how far the exact answer may be from a released one, by the `ends` of its interval."""
    if ends is None or isinstance(answer, str):
        return None
    # Because an interval of a count ends at 0, only its longer side is the noise's.
    return max(float(ends[1]) - float(answer), float(answer) - float(ends[0]))


def _calibration_of_certificate(certificate: Mapping[str, Any]) -> Calibration | None:
    """Read the noise of a certificate; None where it names none, or one whose kind is not plugged in now."""
    try:
        noise = _Drawn(noise=certificate["noise"]).noise
    except (InputError, ValidationError, KeyError, AttributeError):
        return None
    leakage, error = certificate["leakage"], certificate["expected_error"]
    ends = Leakage(float(leakage["lower"]), float(leakage["upper"]), None)
    method, sound, why = certificate["method"], certificate["sound"], certificate["why"]
    return Calibration(method, sound, why, noise, nan if error is None else float(error), ends)
