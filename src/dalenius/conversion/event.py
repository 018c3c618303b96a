"""The profile of a pipeline written as an event of dp-accounting, where that package is installed."""

from importlib import import_module
from typing import Any, Final

import numpy as np

from dalenius.conversion.tabulated import TabulatedProfile
from dalenius.errors import InputError

RELATIONS: Final = {"replace": "REPLACE_ONE", "add_remove": "ADD_OR_REMOVE_ONE"}
VALUES: Final = 400
LEAST: Final = 1e-12
"""The δ at the last ε."""


def event_profile(event: Any, neighbours: str) -> TabulatedProfile:
    """What its accountant of privacy loss distributions says of a `dp_accounting.DpEvent`, composed as it is.

    That accountant's δ is from above by its own account; nothing here checks it. InputError where the package is
    absent, the event is none it knows for these neighbours, or is not private.
    """
    try:
        package, losses = import_module("dp_accounting"), import_module("dp_accounting.pld")
    except ImportError:
        raise InputError("event", "dp-accounting is not installed", "that package, or a CSV of the profile") from None
    if neighbours not in RELATIONS:
        raise InputError("neighbours", neighbours, "'replace' or 'add_remove'")
    accountant = losses.PLDAccountant(getattr(package.NeighboringRelation, RELATIONS[neighbours]))
    if not accountant.supports(event):
        raise InputError("event", repr(event), f"one that dp-accounting knows for neighbours by {neighbours}")
    accountant.compose(event)
    last = float(accountant.get_epsilon(LEAST))
    if not np.isfinite(last):
        raise InputError("event", repr(event), "one with some privacy")
    epsilons = np.unique(np.append(0.0, last * np.linspace(0.0, 1.0, VALUES) ** 1.5))
    deltas = np.minimum.accumulate([min(float(accountant.get_delta(each)), 1.0) for each in epsilons.tolist()])
    return TabulatedProfile(tuple(epsilons.tolist()), tuple(np.maximum(deltas, LEAST).tolist()))
