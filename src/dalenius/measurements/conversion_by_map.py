"""Conversion of a measurement of OpenDP by its privacy map, whatever its constructors are.

The map says what the measurement loses between data sets at any distance. OpenDP counts records that are added or
removed (symmetric distance), where a changed record is two, or records that are changed.
"""

from collections.abc import Callable
from math import inf, isfinite
from typing import Any, Final

import numpy as np

from dalenius.conversion import (
    ApproximateProfile,
    Conversion,
    MapProfile,
    PrivacyProfile,
    PureProfile,
    TabulatedProfile,
    ZeroConcentrated,
)
from dalenius.conversion.guarantee_profiles import with_guarantee
from dalenius.conversion.limits import MOST_MAP_DISTANCES
from dalenius.errors import InputError
from dalenius.joints import finite_law
from dalenius.measurements.constructor import Constructor, check_measurement
from dalenius.models import Model

_STEPS: Final = {
    "SymmetricDistance()": 2,
    "InsertDeleteDistance()": 2,
    "ChangeOneDistance()": 1,
    "HammingDistance()": 1,
}
"""By metric, the distance of two data sets that differ in the value of one record."""
_OF_ONE_RECORD: Final = "DiscreteDistance()"
_FAINTEST: Final = 1e-12
"""The δ at which a table of a privacy profile ends."""
_ROWS: Final = 200


def conversion_of(model: Model, measurement: Any, information: bool = False) -> Conversion:
    """Convert a measurement of OpenDP by its privacy map: the most that it can leak of anybody's record.

    Any measurement with that map leaks at most this. A measurement of a single record is taken to be applied to
    everybody's record, each by itself.

    Args:
        model: What the adversary believes about the records.
        measurement: The measurement, an object of OpenDP.
        information: Whether to bound how much a value's probability can grow, instead of its odds against another
            value. False by default.

    Returns:
        The conversion, whose `epsilon` and `delta` are the answers.

    Raises:
        InputError: For an object that is no measurement, a metric or a measure that is not understood, and a loss
            that is not finite.

    Example:
        >>> import dalenius as dl
        >>> import opendp.prelude as dp
        >>> dp.enable_features("contrib", "honest-but-curious")
        >>> records = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
        >>> loss = lambda distance: min(0.25 * distance, 1.0)
        >>> made = dp.m.make_user_measurement(*records, dp.max_divergence(), len, loss, TO=int)
        >>> homes = dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
        >>> round(conversion_of(homes, made).epsilon(0.0).value.upper, 6)
        0.942149

    Notes:
        Result 13.8.
    """
    made = check_measurement(measurement).last_word
    return Conversion(model, _profile(made, _largest_group(model)), "replace", information)


def _profile(made: Constructor, most: int) -> PrivacyProfile:
    """Returns the profile by the map at distances of 1 to `most` changed records."""
    metric = str(made.made.input_metric)
    if metric == _OF_ONE_RECORD:
        # Because each person's answer is about their record alone, several records lose one after the other.
        return _at(made, 1, _measure(made))
    if metric not in _STEPS:
        wanted = f"a measurement of data, with one of {', '.join(each[:-2] for each in (*_STEPS, _OF_ONE_RECORD))}"
        raise InputError("measurement.input_metric", f"{metric} ({made.name})", wanted)
    read = _measure(made)
    return MapProfile(tuple(_at(made, _STEPS[metric] * changed, read) for changed in range(1, most + 1)))


def _measure(made: Constructor) -> Callable[[Any], PrivacyProfile]:
    """Returns what a loss in the measurement's own terms means."""
    measure = str(made.made.output_measure)
    known: dict[str, Callable[[Any], PrivacyProfile]] = {
        "MaxDivergence": PureProfile,
        "ZeroConcentratedDivergence": _concentrated,
        "SmoothedMaxDivergence": _tabulated,
        "Approximate(MaxDivergence)": lambda loss: ApproximateProfile(*loss) if loss[1] else PureProfile(loss[0]),
        "Approximate(ZeroConcentratedDivergence)": lambda loss: _with_delta(_concentrated(loss[0]), loss[1]),
    }
    if measure not in known:
        raise InputError("measurement.output_measure", f"{measure} ({made.name})", f"one of {', '.join(known)}")
    return known[measure]


def _at(made: Constructor, distance: int, read: Callable[[Any], PrivacyProfile]) -> PrivacyProfile:
    """Returns the profile at a distance in the measurement's own metric."""
    from opendp.mod import OpenDPException

    try:
        loss = made.made.map(distance)
    except OpenDPException:
        loss = inf
    if not all(isfinite(each) for each in (loss if isinstance(loss, tuple) else (loss,)) if isinstance(each, float)):
        raise InputError("measurement", made.name, f"a finite loss at distance {distance}")
    return read(loss)


def _concentrated(rho: float) -> PrivacyProfile:
    # Because answers that do not move at all lose nothing, and next to nothing is rounded up to what is computed.
    return ZeroConcentrated(max(rho, 1e-12)) if rho else PureProfile(0.0)


def _with_delta(profile: PrivacyProfile, delta: float) -> PrivacyProfile:
    return with_guarantee(profile, 0.0, delta) if delta else profile


def _tabulated(curve: Any) -> PrivacyProfile:
    """Returns the table of a privacy profile of OpenDP, from above."""
    last = float(curve.epsilon(_FAINTEST))
    if not isfinite(last):
        raise InputError("measurement", "SmoothedMaxDivergence", f"a finite epsilon at a delta of {_FAINTEST:g}")
    epsilons = np.unique(last * np.linspace(0.0, 1.0, _ROWS) ** 1.5)
    deltas = np.minimum.accumulate([min(float(curve.delta(each)), 1.0) for each in epsilons.tolist()])
    return TabulatedProfile(tuple(epsilons.tolist()), tuple(deltas.tolist()), PureProfile(0.0))


def _largest_group(model: Model) -> int:
    """Returns the most records that depend on each other, as far as a map is asked."""
    sizes = [1]
    for belief in model.joints():
        law = finite_law(belief)
        # Because a set of laws has no groups of its own, as many distances as are allowed are asked.
        sizes += [int(MOST_MAP_DISTANCES)] if law is None else [factor.size for factor in law.factors()]
    return min(max(sizes), int(MOST_MAP_DISTANCES))
