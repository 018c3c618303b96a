"""Great-circle distances between positions on the earth, by scikit-learn.

Zurich and Berne are 95.5 km apart:

>>> distances_km(np.array([[47.3769, 8.5417]]), np.array([[46.9480, 7.4474]])).round(1).tolist()
[[95.5]]
"""

from math import asin, cos, degrees, pi, radians, sin
from typing import Final

import numpy as np

from dalenius.arrays import Array
from dalenius.errors import InputError

try:
    from sklearn.metrics.pairwise import haversine_distances
except ImportError:
    raise InputError("scikit-learn", "not installed", 'the extra learn: pip install "dalenius[learn]"') from None

EARTH_KM: Final = 6371.0088
"""The earth's mean radius (IUGG), in kilometres."""
KM_PER_MILE: Final = 1.609344


def distances_km(here: Array, there: Array) -> Array:
    """Computes the distance of every two positions, on a sphere of the earth's mean radius (DDP Eq 5, footnote 3).

    Args:
        here: Latitude and longitude in degrees (n, 2).
        there: Latitude and longitude in degrees (m, 2).

    Returns:
        Kilometres (n, m).
    """
    angles = haversine_distances(np.radians(here), np.radians(there))
    # Because rounding may put the haversine of antipodes above 1, of which there is no angle.
    return np.asarray(EARTH_KM * np.where(np.isnan(angles), pi, angles))


def box_around(latitude: float, longitude: float, radius: float) -> tuple[float, float, float, float]:
    """Finds south, west, north and east of the least box around a disc, in degrees; it holds no pole.

    Args:
        latitude: Of the disc's centre, in degrees.
        longitude: Of the disc's centre, in degrees.
        radius: Of the disc, in kilometres.
    """
    angle = radius / EARTH_KM
    up, aside = degrees(angle), degrees(asin(sin(angle) / cos(radians(latitude))))
    return latitude - up, longitude - aside, latitude + up, longitude + aside
