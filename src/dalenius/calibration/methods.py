"""The methods of the core, and `calibrate`, which chooses by any method.

They are the least noise whose channel keeps the promise, with the search for its scale, which knows no model and no
notion; noise as if every record were independent, for a whole group at once, and Gaussian noise for a group.

Two households of two, in each of which 0, 1 or 2 are ill with probabilities 0.9, 0.05 and 0.05, and inferential privacy
of 0.5 nats of their count: geometric noise of scale 3.3348626331 leaks 0.49999999999 nats, and any smaller scale of so
many digits leaks more than 0.5.

By one method no other is imported: comparing all takes half a second of imports.

>>> import dalenius as dl
>>> homes = dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
>>> found = calibrate(dl.Release(homes, dl.Count(), dl.Geometric()), dl.DifferentialPrivacy(epsilon=1.0), "independent")
>>> found.noise.words, method_named("group").name
('geometric, scale 1', 'group')
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from functools import cache
from math import exp, inf, log
from typing import ClassVar, Final, final

from dalenius import wings
from dalenius.bounds import up_to_digits
from dalenius.calibration.accuracy import with_companion_losses
from dalenius.calibration.method_base import (
    SAME,
    Calibration,
    Method,
    Translation,
    achieved,
    authored_methods,
    calibrated,
    check_records_notion,
    named,
    promised,
    proven,
    scale_hiding,
    scaled,
)
from dalenius.calibration.worst_person_alone import leakage_about_worst
from dalenius.channel import Release, checked
from dalenius.errors import DaleniusError, InputError, TooLarge
from dalenius.noise import Gaussian, Noise, NoNoise, mean_error
from dalenius.noise.noise import SCALE_DIGITS
from dalenius.notions import Leakage, Notion
from dalenius.notions.notion import notions_of
from dalenius.omitted import with_omitted
from dalenius.special_functions import brentq

_TRANSLATION: Final = wings.Part[Callable[[Release, Noise], Translation | None]]("translation of an absence")

Curve = Callable[[float], float]
"""Nats by scale."""

# Halvings or steps after which a search ends.
_FURTHEST: Final = 200
# Doublings of the starting scale after which a search ends: noise of 2^100 times what hides a group hides no more.
_DOUBLINGS: Final = 100
_FLAT: Final = 20  # doublings, from one record's noise to a million's, that leave a leakage as it was: so would more
_HARDLY: Final = 1 - 1e-6
# Steps of the last digit that are tried singly, before steps grow.
_FEW: Final = 4


@final
class IndependentMethod(Method):
    """What today's libraries do. Sound where records are independent, or where the promise is differential privacy."""

    name: ClassVar[str] = "independent"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Noise that hides one record."""
        check_records_notion(notion)
        size = release.worlds.group_size
        sound = size == 1 or not notion.properties.of_the_model
        # Who promises differential privacy promises nothing about what records say of each other.
        if not notion.properties.of_the_model:
            why = "differential privacy speaks of neighbouring data sets, not of what records reveal about each other"
        elif sound:
            why = "every record is independent of all others (IDP Prop 2, IP Prop 4)"
        else:
            why = f"records depend on each other in groups of up to {size}"
        return scaled(self.name, sound, why, release, notion, release.sensitivity)


@final
class GroupMethod(Method):
    """Sound where each record is independent of *the vector* of all records outside its group (pairwise is not enough:
    Theory §11, E1), which the model's groups are by construction. kΔ is the most a whole group can move the answer."""

    name: ClassVar[str] = "group"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Noise that hides all records of the largest group at once."""
        check_records_notion(notion)
        distance, size = release.worlds.group_sensitivity
        why = f"each record is independent of the vector of all outside its group of at most {size}"
        return scaled(self.name, True, why, release, notion, distance)


@final
class GaussianMethod(Method):
    """The least σ that keeps (ε, δ) for the most one group can move the answer: the exact privacy profile of Gaussian
    noise, not c² > 2 ln(1.25/δ) (Theory §7). As `group`, with the promise's δ, whatever noise the spec names."""

    name: ClassVar[str] = "gaussian"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Gaussian noise that hides the largest group except with the promised delta. InputError without a delta."""
        # Gaussian tails keep no epsilon at every output.
        if not notion.promised_delta:
            raise InputError("notion.delta", notion.promised_delta or "missing", "a number above 0 beside epsilon")
        distance, size = release.worlds.group_sensitivity
        normal = release.with_noise(Gaussian(scale=1.0))
        noise = Gaussian(scale=scale_hiding(normal, distance, notion)) if distance else NoNoise()
        why = f"each record is independent of the vector of all outside its group of at most {size}"
        return achieved(self.name, *proven(True, why, notion), normal, notion, noise)


_CLOSE: Final = "the leakage itself was computed, and a smaller scale exceeds epsilon"
_BOUND: Final = (
    "a bound of the leakage was computed, and at a smaller scale it exceeds epsilon; the leakage may be less"
)


@final
class ExactMethod(Method):
    """Bisection from above on the leakage itself.

    More noise never leaks more: Laplace, geometric and Gaussian noise of scale b₂ > b₁ is that of scale b₁ plus an
    independent variable (see those classes), so the channel at b₂ is a post-processing of that at b₁, and every notion
    obeys data processing. Hence the leakage falls in b, and the least b is where it comes down to ε. What is trusted
    is the leakage's upper end, so the promise holds whatever was rounded. Where the exact answer keeps the promise,
    no noise is added at all. Of a promise with a delta the search asks for the least delta at the promised epsilon,
    which falls likewise, and for the leakage at its end only.
    """

    name: ClassVar[str] = "exact"
    reads_channel: ClassVar[bool] = True

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """No noise where the exact answer keeps the promise; else the least scale, verified. InputError where no scale
        of Gaussian noise keeps it."""
        epsilon = promised(notion)
        notion.check(release)
        bare = _bare(notion, release.with_noise(NoNoise()))
        # A promise of more than the exact answer leaks: noise would only make the answer worse.
        if bare is not None:
            why = "the exact answer already keeps the promise under this model"
            # A constant query, or a table in which all have the same value: who is absent moves nothing.
            if release.secret == "absence" and not release.worlds.reach:
                why = SAME
            return Calibration(self.name, True, why, NoNoise(), 0.0, bare)
        leakages: dict[float, Leakage] = {}

        def upper(scale: float) -> float:
            """The leakage at that scale, in nats, at most; with a delta what stands for it in the search."""
            chosen = release.with_noise(release.noise.with_scale(scale))
            if (share := _of_delta(notion, chosen)) is not None:
                return epsilon * share
            if scale not in leakages:
                leakages[scale] = notion.leakage(chosen)
            return leakages[scale].upper

        start = _start(release, notion)
        alone = leakage_about_worst(release, notion, start)
        scale = least_scale(alone or upper, epsilon, start)
        # Somebody else leaks more at the scale that one person's leakage needs.
        if alone is not None and not upper(scale) <= epsilon:
            scale = least_scale(upper, epsilon, start)
        noise = release.noise.with_scale(scale)
        leakage = leakages[scale] if scale in leakages else _capped(notion.leakage(release.with_noise(noise)), epsilon)
        # Relative to the leakage: an enclosure no wider is as good as a number.
        why = _CLOSE if leakage.upper - leakage.lower <= 1e-3 * leakage.upper else _BOUND
        why = f"{release.worlds.over}: {why}" if release.worlds.over else why
        error, translation = mean_error(noise, release.lattice), _translated(release, noise)
        details = {} if translation is None else translation.as_json()
        return Calibration(self.name, True, why, noise, error, leakage, details, translation=translation)


def _of_delta(notion: Notion, release: Release) -> float | None:
    """The least delta at the promised epsilon, over the promised delta; None where there is none."""
    if not notion.promised_delta:
        return None
    delta = notion.least_delta(release, promised(notion), compared=True)
    return None if delta is None else delta.upper / notion.promised_delta


def _bare(notion: Notion, release: Release) -> Leakage | None:
    """Of the exact answer, where it is known to keep the promise: its law may be too large where noise has bounds."""
    try:
        return _kept(notion, release)
    except TooLarge:
        return None


def _kept(notion: Notion, release: Release) -> Leakage | None:
    """The leakage where it keeps the promise; else None."""
    share = _of_delta(notion, release)
    # With a delta it is the delta that must be kept: the leakage itself may be infinite and the promise hold.
    if share is not None and share > 1:
        return None
    leakage = notion.leakage(release)
    if share is not None:
        return _capped(leakage, promised(notion))
    return leakage if leakage.upper <= promised(notion) else None


def _capped(leakage: Leakage, epsilon: float) -> Leakage:
    """Of a scale whose least delta at epsilon keeps the promise: the leakage is at most that."""
    return replace(leakage, lower=min(leakage.lower, epsilon), upper=min(leakage.upper, epsilon))


def _translated(release: Release, noise: Noise) -> Translation | None:
    """What a noise means in other words, where the secret is who is absent; None elsewhere."""
    if release.secret != "absence":
        return None
    return _TRANSLATION.function(release, noise)


def _start(release: Release, notion: Notion) -> float:
    """A scale to search from. InputError for Gaussian noise where no scale keeps the promise: the limits of the ratios
    at ±∞ are the same at every scale, and the leakage never falls below them."""
    distance = release.worlds.reach
    # Laplace and geometric noise keep any epsilon at some scale, and Gaussian noise does with a delta.
    if not release.noise.shape.light_tailed or notion.promised_delta:
        return scale_hiding(release, distance, notion)
    start = float(distance) / promised(notion)
    # Times the starting scale: under such noise only distant outputs distinguish the answers.
    far = notion.leakage(release.with_noise(release.noise.with_scale(start * 2.0**12)))
    if far.lower > promised(notion):
        # Where it has no bound no epsilon is enough either.
        bounded = far.upper < inf
        leak = f"leak {far.upper:.6g} nats" if bounded else "leak without bound"
        reason = f"the outermost outputs of Gaussian noise {leak} at any scale"
        instead = "more epsilon, or a delta" if bounded else "or a delta"
        raise InputError("noise.kind", release.noise.kind, f"laplace or geometric ({reason}), {instead}")
    return start


def least_scale(leakage: Callable[[float], float], bound: float, start: float) -> float:
    """The least scale b of DIGITS significant digits with leakage(b) <= bound, whatever the start; where the search is
    cut short (hundreds of halvings, enclosures that leave it open) one that keeps the bound and is near it.

    leakage: falls as the scale grows; may be infinite. start: any scale, best one that keeps the bound. The result is
    always a scale at which leakage was evaluated and found to keep the bound. DaleniusError where none is found.

    >>> least_scale(lambda scale: 3 / scale, bound=1.0, start=2.0)
    3.0
    """
    leakage = cache(leakage)
    high, level, flat = start, 0, 0
    for _ in range(_DOUBLINGS):
        # Doublings that leave a leakage below 1e-9 nats where it was: it is rounding only.
        if leakage(high) <= bound or level == 3 or flat == _FLAT:
            break
        # A leakage that may be no more than what it is computed to: where LEVELS doublings leave it, more would too.
        level = level + 1 if 0.9 * leakage(high) < leakage(2 * high) < 1e-9 else 0
        # Because a part of the answer goes out without noise, say: as many doublings at once as would show it.
        if not level and leakage(2 * high) >= _HARDLY * leakage(high) and leakage(far := high * 2.0**_FLAT) > bound:
            high, flat = far, _FLAT if leakage(far) >= _HARDLY * leakage(high) else 0
            continue
        flat = flat + 1 if leakage(2 * high) >= leakage(high) else 0
        high *= 2
    if not leakage(high) <= bound:
        why = ": more noise no longer lowers what is known of it" if flat == _FLAT else ""
        raise DaleniusError(f"no scale up to {high:g} brings the leakage down to {bound:g} nats{why}")
    low = _below(high, leakage(high), bound)
    # Downwards to a scale that leaks too much: the least scale lies between the last two.
    for _ in range(_FURTHEST):
        if leakage(low) > bound:
            break
        low, high = _below(low, leakage(low), bound), low
    # A leakage that never exceeds the bound, however little noise there is: the last scale is as good as none.
    else:
        return high
    return _last_steps(leakage, bound, _root(leakage, bound, low, high), high)


def least_scale_by_worst(look: Callable[[float], tuple[float, Curve]], bound: float, start: float) -> float:
    """The same, for a leakage that is the largest of many falling curves, evaluated rarely.

    look: the leakage at a scale, and the curve that is largest there, alone. Each curve's least scale is at most that
    of their maximum: the next scale is that of the curve that leaks most at the last, until none leaks too much. A
    curve that is largest under much noise may keep the bound without any; then less noise is tried.
    """
    scale = start
    leakage, curve = look(scale)
    for _ in range(_FURTHEST):
        # Times a scale: as good as no noise.
        if leakage > bound or curve(scale * 2.0**-60) > bound:
            break
        scale /= 2
        leakage, curve = look(scale)
    else:
        return scale
    scale, again = least_scale(curve, bound, scale), 0
    for _ in range(_FURTHEST):
        leakage, curve = look(scale)
        if leakage <= bound:
            return scale
        higher = least_scale(curve, bound, scale)
        if higher <= scale:  # the same curve again, up to rounding
            higher, again = _further(scale, again), again + 1
        scale = higher
    raise DaleniusError(f"no scale up to {scale:g} was seen to bring the leakage down to {bound:g} nats")


def _below(scale: float, leakage: float, bound: float) -> float:
    """Where a leakage that goes with one over the scale would just exceed the bound, between 1/2 and 1/LEAP of it."""
    # The most that one guess divides a scale by.
    # A guess lies so much below the scale it aims at, so that the leakage there exceeds the bound.
    return scale * min(max(leakage / bound * 0.9, 1 / 64), 0.5)


def _root(leakage: Callable[[float], float], bound: float, low: float, high: float) -> float:
    """Where the leakage is the bound, to a rounding: Brent's method on the logs of both, nearly a straight line."""
    ends = {log(low): low, log(high): high}

    @cache
    def gap(log_scale: float) -> float:
        # A scale that just keeps the bound counts as above the root, so that the search goes on to the least one.
        scale = ends.get(log_scale) or exp(log_scale)
        return min(max(log(max(leakage(scale), 1e-300) / bound), -50.0), 50.0) or -1e-12

    # An end may lie within a rounding of the root, on either side of it once its log is taken.
    if gap(log(low)) <= 0:
        return low
    if gap(log(high)) >= 0:
        return high
    # How near the root is found, in the log of the scale: the last digits are then tried one by one.
    return exp(float(brentq(gap, log(low), log(high), xtol=1e-11 / 2, rtol=1e-14)))


def _last_steps(leakage: Callable[[float], float], bound: float, near: float, safe: float) -> float:
    """From the root to the least scale of DIGITS digits that keeps the bound: the next above, and those below it; else
    upwards, in growing steps where it is not among the first few, to one that was verified to keep the bound."""
    scale = up_to_digits(near, SCALE_DIGITS)
    if leakage(scale) <= bound:
        for _ in range(_FEW):
            below = float(Context(prec=SCALE_DIGITS).next_minus(Decimal(repr(scale))))
            if leakage(below) > bound:
                break
            scale = below
        return scale
    # The root was found a little too low, as roundings of the leakage may have it.
    for step in range(_FURTHEST):
        scale = _further(scale, step)
        if scale >= safe:
            break
        if leakage(scale) <= bound:
            return scale
    return safe


def _further(scale: float, before: int) -> float:
    """One step of the last of DIGITS digits further; after FEW steps each is twice the one before."""
    exact = Decimal(repr(scale))
    step = Decimal(1).scaleb(exact.adjusted() - SCALE_DIGITS + 1)
    return up_to_digits(float(exact + 2 ** max(before - _FEW, 0) * step), SCALE_DIGITS)


def method_names() -> list[str]:
    """The project's own, in the order of a comparison; those of installed packages, and of modules plugged in."""
    return [*wings.METHODS, *(method.name for method in authored_methods(()))]


@cache
def own_methods() -> tuple[Method, ...]:
    """The project's own, all of them, imported now."""
    return tuple(wings.found(place)() for place in wings.METHODS.values())


def methods() -> tuple[Method, ...]:
    """All methods there are: the project's, those of installed packages, and those of modules plugged in."""
    return authored_methods(own_methods())


def method_named(name: str) -> Method:
    """The method of that name, imported now. InputError lists those there are."""
    if (place := wings.METHODS.get(name)) is not None:
        method: Method = wings.found(place)()
        return method
    # Of an installed package or a module plugged in; or nobody's, and the error names all.
    return named(methods(), name)


def calibrate(
    release: Release, notion: Notion | str | Sequence[Notion | str], method: str | Method = "exact"
) -> Calibration:
    """The noise that the method, or the one of that name, chooses for the notion's epsilon, or for several promises at
    once. InputError lists the names there are."""
    chosen = method if isinstance(method, Method) else method_named(method)
    release = checked(release)
    found = with_companion_losses(calibrated(chosen, release, notions_of(notion)), release)
    return replace(found, why=with_omitted(found.why, release.omitted)) if release.omitted else found
