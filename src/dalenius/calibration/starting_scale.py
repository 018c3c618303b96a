"""The scale from which the search for the least noise starts, and noise that keeps a promise at no scale.

A bit and Gaussian noise: the odds at the outermost outputs have no bound at any scale, and on average they move little.

>>> import dalenius as dl
>>> release = dl.Release(dl.Independent(probabilities=[0.5]), dl.Count(), dl.DiscreteGaussian())
>>> starting_scale(release, dl.MutualInformationPrivacy(epsilon=0.5))
2.0
"""

from contextlib import suppress
from math import inf

from dalenius.calibration.method_base import promised, scale_hiding
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.notions import Leakage, Notion


def starting_scale(release: Release, notion: Notion) -> float:
    """Returns a scale of the `release` to search from, for the promise of a `notion`.

    InputError for Gaussian noise where no scale keeps the promise: the limits of the ratios at ±∞ are the same at every
    scale, and the leakage never falls below them.
    """
    distance = release.worlds.reach
    # Because Laplace and geometric noise keep any epsilon at some scale, and Gaussian noise does with a delta.
    if not release.noise.shape.light_tailed or notion.promised_delta:
        return scale_hiding(release, distance, notion)
    start = float(distance) / promised(notion)
    far = _far(release, notion, start)
    if far is not None and far.lower > promised(notion):
        # Because no epsilon is enough where the leakage has no bound.
        bounded = far.upper < inf
        leak = f"leak {far.upper:.6g} nats" if bounded else "leak without bound"
        reason = f"the outermost outputs of Gaussian noise {leak} at any scale"
        instead = "more epsilon, or a delta" if bounded else "or a delta"
        raise InputError("noise.kind", release.noise.kind, f"laplace or geometric ({reason}), {instead}")
    return start


def _far(release: Release, notion: Notion, start: float) -> Leakage | None:
    """Returns the leakage under so much noise that only distant outputs distinguish the answers.

    None where the scale `start` keeps the promise itself, or more discrete noise, whose outputs are listed, leaks less.
    """

    def leakage(scale: float) -> Leakage:
        return notion.leakage(release.with_noise(release.noise.with_scale(scale)))

    near = leakage(start)
    if near.upper <= promised(notion):
        return None
    with suppress(TooLarge):
        return leakage(start * 2.0**12)
    return far if (far := leakage(2 * start)).lower >= near.lower else None
