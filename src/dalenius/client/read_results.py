"""Results of a service's JSON, as the classes that a session returns.

The number 7/2 is 3.5 under "answers" and [7, 2] under "exact", so that the client's fraction is the session's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan
from typing import Any, final

from pydantic import ValidationError

from dalenius.calibration import Calibration
from dalenius.client.service_offer import not_an_analyst
from dalenius.curator import Budget, Budgets, Publication, Quote, Recorded
from dalenius.curator.cost_of_releases import Entry
from dalenius.errors import InputError
from dalenius.frozen_section import Frozen
from dalenius.noise import AnyNoise, Noise
from dalenius.notions import Leakage


@final
@dataclass(frozen=True)
class Told:
    """One answer of the analyst's history.

    Attributes:
        number: The number of its debit in the ledger.
        recorded: The answer with its certificate; None where it failed or was lost.
        failed: Whether it failed.
    """

    number: int
    recorded: Recorded | None
    failed: bool


def told_from(found: Mapping[str, Any], own: Budget) -> Told:
    """Read one entry of a history.

    Args:
        found: The entry, as the service's JSON has it.
        own: The analyst's budget by now, in nats.
    """
    release = found["release"]
    return Told(int(found["debit"]), None if release is None else recorded_from(release, own), bool(found["failed"]))


def recorded_from(found: Mapping[str, Any], own: Budget | None) -> Recorded:
    """Read an answer.

    Args:
        found: The answer, as the service's JSON has it.
        own: The analyst's budget by now, in nats; None where it is not told.
    """
    answers = tuple(each if isinstance(each, str) else Fraction(*each) for each in found["exact"])
    published = Publication(answers, tuple(found["labels"]), found["certificate"], found["words"])
    budget, since = budget_from(found["budget"]), int(found["since"] or 0)
    return Recorded(published, budget, int(found["entry"]), str(found["hash"]), bool(found["repeated"]), own, since)


def budgets_from(found: Mapping[str, Any]) -> Budgets:
    """Read the analyst's own budget and the data set's.

    Args:
        found: Both budgets, as the service's JSON has them.

    Raises:
        InputError: For a token that is no analyst's.
    """
    if found["own"] is None:
        raise not_an_analyst()
    return Budgets(budget_from(found["own"]), budget_from(found["data"]))


def budget_from(found: Mapping[str, Any]) -> Budget:
    """Read a budget, in nats, from the service's JSON of it, `found`."""
    initial, spent, delta, spent_delta = (float(found[key]) for key in ("initial", "spent", "delta", "spent_delta"))
    return Budget(initial, spent, found["route"], delta, spent_delta)


def quote_from(found: Mapping[str, Any]) -> Quote:
    """Read a price.

    Its cost has no text of the question, which is the service's own.

    Args:
        found: The price, as the service's JSON has it.
    """
    cost, budgets, own = found["cost"], found["budget"], found["budget"]["own"]
    return Quote(
        bool(found["free"]),
        None if cost is None else Entry("", "", float(cost["leakage"]), float(cost["group_loss"])),
        budget_from(budgets["data"]),
        _calibration(found),
        found["advice"],
        None if own is None else budget_from(own),
        _number(found["confidence"]),
        {each["label"]: _number(each["half_width"]) for each in found["half_widths"]},
        found["risk"],
        bool(found["shared"]),
    )


def _number(found: Any) -> float | None:
    """Read a number, which JSON has as "inf" where it is infinite; None where there is none."""
    return None if found is None else float(found)


@final
class _Drawn(Frozen):
    """A section with one noise."""

    noise: AnyNoise


def _calibration(found: Mapping[str, Any]) -> Calibration | None:
    """Read the noise with the method that chose it; None where there is none, or its kind is not plugged in here."""
    noise, method, error = _noise(found["noise"]), found.get("method"), found["expected_error"]
    if noise is None or method is None:
        return None
    leakage = Leakage(0.0, inf if method["leakage"] is None else float(method["leakage"]), None)
    expected = nan if error is None else float(error)
    return Calibration(method["name"], method["sound"], method["why"], noise, expected, leakage)


def _noise(section: Any) -> Noise | None:
    try:
        return None if section is None else _Drawn(noise=section).noise
    except (InputError, ValidationError):
        return None
