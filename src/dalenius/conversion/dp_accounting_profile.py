"""The privacy profile of an event of dp-accounting, in Python."""

from importlib import import_module
from typing import Any, Final

import numpy as np
from pydantic import ValidationError

from dalenius.conversion.dp_accounting_package import dp_accounting
from dalenius.conversion.dp_event_profile import EventFile
from dalenius.conversion.guarantee_profiles import PureProfile, TabulatedProfile
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.renyi_profile import ORDERS, renyi_profile
from dalenius.errors import InputError

_RELATIONS: Final = {"replace": "REPLACE_ONE", "add_remove": "ADD_OR_REMOVE_ONE"}


def event_profile(event: Any, neighbours: str, interval: float = 1e-4) -> PrivacyProfile:
    """Returns the profile of a `dp_accounting.DpEvent`.

    It is our own where the event's kind is one of a file's, else what the accountants of that package say, from above.

    Args:
        event: The event, composed as it is.
        neighbours: "replace" or "add_remove".
        interval: The interval of the accountant's grid, in nats, where it is asked.

    Raises:
        InputError: If the package is absent, or the event is none it knows for these neighbours, or is not private.
    """
    package = dp_accounting()
    if neighbours not in _RELATIONS:
        raise InputError("neighbours", neighbours, "'replace' or 'add_remove'")
    section = _section(event, neighbours)
    if section is not None:
        try:
            return EventFile.model_validate({"neighbours": neighbours, "event": section}).profile()
        except ValidationError:
            pass
    relation = getattr(package.NeighboringRelation, _RELATIONS[neighbours])
    accountant = package.pld.PLDAccountant(relation, interval)
    try:
        if accountant.supports(event):
            return _of_accountant(accountant.compose(event), event)
    # Because the package checks some numbers only here, such as a count of 0.
    except ValueError as error:
        raise InputError("event", repr(event), f"an event of dp-accounting that it composes ({error})") from None
    rdp = import_module("dp_accounting.rdp").RdpAccountant(ORDERS, relation)
    # Because its divergences of plain noise do not tell whether a value is replaced or taken out.
    if neighbours == "add_remove" and rdp.supports(event):
        rdp.compose(event)
        return renyi_profile(rdp.orders, rdp.rdp)
    raise InputError("event", type(event).__name__, f"one that dp-accounting knows for neighbours by {neighbours}")


_OF_EITHER: Final = ("ZCDpEvent", "RandomizedResponseDpEvent", "SampledWithoutReplacementDpEvent", "NoOpDpEvent")
_KINDS: Final = {
    "ZCDpEvent": "zcdp",
    "NoOpDpEvent": "no_op",
    "GaussianDpEvent": "gaussian",
    "LaplaceDpEvent": "laplace",
    "DiscreteLaplaceDpEvent": "discrete_laplace",
    "RandomizedResponseDpEvent": "randomized_response",
    "MixtureOfGaussiansDpEvent": "mixture_of_gaussians",
    "PoissonSampledDpEvent": "poisson_sampled",
    "SampledWithoutReplacementDpEvent": "sampled_without_replacement",
    "SingleEpochTreeAggregationDpEvent": "single_epoch_tree_aggregation",
    "ComposedDpEvent": "composed",
    "SelfComposedDpEvent": "self_composed",
}


def _section(event: Any, neighbours: str, sampled: bool = False) -> dict[str, Any] | None:
    """Returns the event as a section of a file; None where a file has no such kind, or its numbers mean something else.

    For added noise dp-accounting's numbers are over one record's contribution, which replaced may count twice.
    """
    name = type(event).__name__
    nested = name in ("ComposedDpEvent", "SelfComposedDpEvent")
    if name not in _KINDS or (neighbours == "replace" and not (nested or sampled or name in _OF_EITHER)):
        return None
    if neighbours == "add_remove" and name in ("RandomizedResponseDpEvent", "SampledWithoutReplacementDpEvent"):
        return None
    found: dict[str, Any] = {"kind": _KINDS[name]}
    for key in (field.name for field in getattr(type(event), "__attrs_attrs__", ())):
        value, inner = getattr(event, key), sampled or "Sampled" in name
        if key == "event":
            value = _section(value, neighbours, inner)
        elif key == "events":
            value = [_section(each, neighbours, inner) for each in value]
        if value is None or (key == "events" and None in value):
            return None
        found[key] = tuple(value) if isinstance(value, list) else value
    return found


def _of_accountant(accountant: Any, event: Any) -> TabulatedProfile:
    """Returns its δ, which is from above by its own account; nothing here checks it, or asks below 1e-12."""
    least = 1e-12  # the δ at which the table ends: below, the package's own truncations count
    last = float(accountant.get_epsilon(least))
    # If an event has no noise, say, no ε is enough.
    if not np.isfinite(last):
        raise InputError("event", repr(event), "one with some privacy")
    # Because between two rows δ is on the chord, a little more than it is.
    epsilons = np.unique(np.append(0.0, last * np.linspace(0.0, 1.0, 300) ** 1.5))
    # Because the package's sums may be some 1e-11 off, relatively.
    deltas = [min(float(accountant.get_delta(each)) * (1 + 1e-9), 1.0) for each in epsilons.tolist()]
    deltas = np.maximum(np.minimum.accumulate(deltas), least).tolist()
    return TabulatedProfile(tuple(epsilons.tolist()), tuple(deltas), PureProfile(0.0))
