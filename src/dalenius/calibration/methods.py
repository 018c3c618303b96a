"""The methods of the core, and `calibrate`, which chooses by any method.

There are four methods here. `exact` finds the least noise whose channel keeps the promise. `independent` adds noise as
if every record were independent, `group` for a group at once, and `gaussian` adds Gaussian noise for a group.

Take two households of two, in each of which 0, 1 or 2 are ill with probabilities 0.9, 0.05 and 0.05, and inferential
privacy of 0.5 nats of their count. Geometric noise of scale 3.3348626331 leaks 0.49999999999 nats, and any smaller
scale of so many digits leaks more than 0.5.

For one method no other is imported: comparing all takes half a second of imports.

>>> import dalenius as dl
>>> homes = dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
>>> found = calibrate(dl.Release(homes, dl.Count(), dl.Geometric()), dl.DifferentialPrivacy(epsilon=1.0), "independent")
>>> found.noise.words, method_named("group").name
('geometric, scale 1', 'group')
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import ClassVar, Final, final

from dalenius import wings
from dalenius.calibration.accuracy import with_companion_losses
from dalenius.calibration.method_base import (
    SAME,
    Calibration,
    Method,
    achieved,
    calibrated,
    check_records_notion,
    promised,
    proven,
    scale_hiding,
    scaled,
)
from dalenius.calibration.scale_search import Curve, least_scale
from dalenius.calibration.starting_scale import starting_scale
from dalenius.calibration.translation import Translation
from dalenius.calibration.worst_person_alone import leakage_about_worst
from dalenius.channel import Release, checked
from dalenius.errors import DaleniusError, InputError, TooLarge
from dalenius.noise import Gaussian, Noise, NoNoise, mean_error
from dalenius.notions import Leakage, Notion
from dalenius.notions.notion import notions_of
from dalenius.omitted import with_omitted
from dalenius.plugins import authored

_TRANSLATION: Final = wings.Part[Callable[[Release, Noise], Translation | None]]("translation of an absence")


@final
class IndependentMethod(Method):
    """Method `independent`: noise that hides one record, as today's libraries add it.

    It is sound where records are independent, or where the promise is differential privacy.

    Example:
        >>> import dalenius as dl
        >>> homes = dl.Households(count=2, infected=[0.9, 0.05, 0.05])
        >>> release = dl.Release(homes, "count", "geometric")
        >>> found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=0.5), dl.IndependentMethod())
        >>> found.noise.words, found.sound
        ('geometric, scale 2', False)

    Notes:
        IDP Prop 2, IP Prop 4: every record is independent of all others.
    """

    name: ClassVar[str] = "independent"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses noise that hides one record.

        Args:
            release: The model, the query and the noise's kind; its scale is ignored.
            notion: The promise, a notion with an epsilon.

        Raises:
            InputError: The promise is about an absent person, or has no epsilon, or the noise has no scale to choose.
        """
        check_records_notion(notion)
        size = release.worlds.group_size
        sound = size == 1 or not notion.properties.of_the_model
        # Because a promise of differential privacy is none about what records tell of each other.
        if not notion.properties.of_the_model:
            why = "differential privacy compares neighbouring data sets, and ignores what records say of each other"
        elif sound:
            why = "every record is independent of all others (IDP Prop 2, IP Prop 4)"
        else:
            why = f"records depend on each other in groups of up to {size}"
        return scaled(self.name, sound, why, release, notion, release.sensitivity, 1)


@final
class GroupMethod(Method):
    """Method `group`: noise that hides all records of the largest group at once.

    Example:
        >>> import dalenius as dl
        >>> homes = dl.Households(count=2, infected=[0.9, 0.05, 0.05])
        >>> release = dl.Release(homes, "count", "geometric")
        >>> found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=0.5), dl.GroupMethod())
        >>> found.noise.words, found.sound
        ('geometric, scale 4', True)

    Notes:
        It is sound where each record is independent of *the vector* of all records outside its group (pairwise is not
        enough: Theory §11, E1), which the model's groups are by construction. kΔ is the most an entire group can move
        the answer.
    """

    name: ClassVar[str] = "group"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses noise that hides all records of the largest group at once.

        Args:
            release: The model, the query and the noise's kind; its scale is ignored.
            notion: The promise, a notion with an epsilon.

        Raises:
            InputError: The promise is about an absent person, or has no epsilon, or the noise has no scale to choose.
        """
        check_records_notion(notion)
        distance, size = release.worlds.group_sensitivity
        why = f"each record is independent of the vector of all records outside its group of at most {size}"
        return scaled(self.name, True, why, release, notion, distance, size)


@final
class GaussianMethod(Method):
    """Method `gaussian`: the least σ that keeps (ε, δ) for the most one group can move the answer.

    It uses the exact privacy profile of Gaussian noise, not c² > 2 ln(1.25/δ) (Theory §7). It is as `group`, with the
    promise's δ, whatever noise the spec names.
    """

    name: ClassVar[str] = "gaussian"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses Gaussian noise that hides the largest group of `release`, except with the delta of `notion`.

        InputError without a delta.
        """
        # Because Gaussian tails keep no epsilon at every output.
        if not notion.promised_delta:
            raise InputError("notion.delta", notion.promised_delta or "missing", "a number above 0 beside epsilon")
        distance, size = release.worlds.group_sensitivity
        normal = release.with_noise(Gaussian(scale=1.0))
        noise = Gaussian(scale=scale_hiding(normal, distance, notion)) if distance else NoNoise()
        why = f"each record is independent of the vector of all records outside its group of at most {size}"
        return achieved(self.name, *proven(True, why, notion), normal, notion, noise)


_CLOSE: Final = "the leakage itself was computed, and a smaller scale exceeds epsilon"
_BOUND: Final = (
    "a bound of the leakage was computed, and at a smaller scale it exceeds epsilon; the leakage may be less"
)


@final
class ExactMethod(Method):
    """Method `exact`: the least noise whose leakage itself keeps the promise, by bisection from above.

    If the exact answer keeps the promise, no noise is added at all.

    Example:
        >>> import dalenius as dl
        >>> homes = dl.Households(count=2, infected=[0.9, 0.05, 0.05])
        >>> release = dl.Release(homes, "count", "geometric")
        >>> round(dl.ExactMethod().calibrate(release, dl.InferentialPrivacy(epsilon=0.5)).noise.scale, 3)
        3.335

    Notes:
        More noise never leaks more: Laplace, geometric and Gaussian noise of scale b₂ > b₁ is that of scale b₁ plus an
        independent variable (see those classes). So the channel at b₂ is a post-processing of that at b₁, and every
        notion obeys data processing. Hence the leakage falls in b, and the least b is where it comes down to ε. The
        method trusts the leakage's upper end only, so the promise holds whatever was rounded. For a promise with a
        delta the search asks for the least delta at the promised epsilon, which falls likewise, and for the leakage at
        its end only.
    """

    name: ClassVar[str] = "exact"
    reads_channel: ClassVar[bool] = True

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses no noise where the exact answer keeps the promise; else the least scale, verified.

        Args:
            release: The model, the query and the noise's kind; its scale is ignored.
            notion: The promise, a notion with an epsilon.

        Raises:
            InputError: No scale of Gaussian noise keeps the promise, or it has no epsilon.
        """
        epsilon = promised(notion)
        notion.check(release)
        exact = NoNoise() if release.noise.answers_exactly else None
        without = release.noise.bare or exact
        bare = None if without is None else _bare(notion, release.with_noise(without))
        # The case of a promise above the exact answer's leakage: noise would only make the answer worse.
        if without is not None and bare is not None:
            said = "the exact answer" if without.shape.adds_nothing else f"{without.words}, without noise,"
            why = f"{said} already keeps the promise under this model"
            # The case of a constant query, or of a table of equal values: the absence moves nothing.
            if release.secret == "absence" and not release.worlds.reach:
                why = SAME
            error = 0.0 if without.shape.adds_nothing else mean_error(without, release.lattice)
            return Calibration(self.name, True, why, without, error, bare)
        leakages: dict[float, Leakage] = {}

        def upper(scale: float) -> float:
            """Bounds the leakage at that scale, in nats; with a delta it returns a stand-in for the search."""
            chosen = release.with_noise(release.noise.with_scale(scale))
            if (share := _of_delta(notion, chosen)) is not None:
                return epsilon * share
            if scale not in leakages:
                leakages[scale] = notion.leakage(chosen)
            return leakages[scale].upper

        start = starting_scale(release, notion)
        alone = leakage_about_worst(release, notion, start)
        scale = None if alone is None else _least_alone(alone, epsilon, start)
        # The case of somebody else who leaks more at the scale that one person's leakage needs.
        if scale is None or not upper(scale) <= epsilon:
            scale = least_scale(upper, epsilon, start)
        noise = release.noise.with_scale(scale)
        leakage = leakages[scale] if scale in leakages else _capped(notion.leakage(release.with_noise(noise)), epsilon)
        # Because an enclosure no wider than this, relative to the leakage, is as good as a number.
        why = _CLOSE if leakage.upper - leakage.lower <= 1e-3 * leakage.upper else _BOUND
        why = f"{release.worlds.over}: {why}" if release.worlds.over else why
        error, translation = mean_error(noise, release.lattice), _translated(release, noise)
        details = {} if translation is None else translation.as_json()
        return Calibration(self.name, True, why, noise, error, leakage, details, translation=translation)


def _least_alone(alone: Curve, epsilon: float, start: float) -> float | None:
    """Returns the least scale for one person; None where none is found: they may need no noise at all."""
    try:
        return least_scale(alone, epsilon, start)
    # Because a scale may be negligible beside the step of the lattice.
    except DaleniusError:
        return None


def _of_delta(notion: Notion, release: Release) -> float | None:
    """Returns the least delta at the promised epsilon, over the promised delta; None where there is none."""
    if not notion.promised_delta:
        return None
    delta = notion.least_delta(release, promised(notion), compared=True)
    return None if delta is None else delta.upper / notion.promised_delta


def _bare(notion: Notion, release: Release) -> Leakage | None:
    """Returns the exact answer's leakage, where it is known to keep the promise.

    Its law may be too large where noise has bounds.
    """
    try:
        return _kept(notion, release)
    except TooLarge:
        return None


def _kept(notion: Notion, release: Release) -> Leakage | None:
    """Returns the leakage where it keeps the promise; else None."""
    share = _of_delta(notion, release)
    # Because a promise with a delta must keep the delta: the leakage itself may be infinite and the promise hold.
    if share is not None and share > 1:
        return None
    leakage = notion.leakage(release)
    if share is not None:
        return _capped(leakage, promised(notion))
    return leakage if leakage.upper <= promised(notion) else None


def _capped(leakage: Leakage, epsilon: float) -> Leakage:
    """Caps the leakage at epsilon, for a scale whose least delta at epsilon keeps the promise."""
    return replace(leakage, lower=min(leakage.lower, epsilon), upper=min(leakage.upper, epsilon))


def _translated(release: Release, noise: Noise) -> Translation | None:
    """Returns what a noise means in other words, where the secret is who is absent; None elsewhere."""
    if release.secret != "absence":
        return None
    return _TRANSLATION.function(release, noise)


def method_names() -> list[str]:
    """Lists the project's own methods in the order of a comparison, then installed and plugged ones."""
    return [*wings.METHODS, *(method.name for method in authored_methods(()))]


@cache
def own_methods() -> tuple[Method, ...]:
    """Returns all of the project's own methods, imported now."""
    return tuple(wings.found(place)() for place in wings.METHODS.values())


def named(methods: Sequence[Method], name: str) -> Method:
    """Returns the one of `methods` whose name is `name`. InputError lists the names that there are."""
    for method in methods:
        if method.name == name:
            return method
    raise InputError("method", name, f"one of {', '.join(method.name for method in methods)}")


def authored_methods(own: Sequence[Method]) -> tuple[Method, ...]:
    """Returns the methods `own`, then those of authors outside the project, made as they stand.

    InputError for one that cannot be made so, or that has the name of another.
    """
    found = [*own]
    for each in authored("dalenius.methods", Method):
        where = f"{each.__module__}.{each.__qualname__}"
        # Because the class is of somebody else's package: its fault is said with its place, and not as a traceback.
        try:
            method: Method = each()
        except TypeError as error:
            raise InputError("method", where, f"a class that is made without arguments ({error})") from error
        if not isinstance(getattr(method, "name", None), str):
            raise InputError("method", where, "a class that says its name")
        if method.name in (other.name for other in found):
            raise InputError("method", method.name, f"another name than {where} has: there is one of that name")
        found.append(method)
    return tuple(found)


def methods() -> tuple[Method, ...]:
    """Returns all methods there are: the project's, those of installed packages, and those of modules plugged in."""
    return authored_methods(own_methods())


def method_named(name: str) -> Method:
    """Returns the method of that name, imported now. InputError lists those there are."""
    if (place := wings.METHODS.get(name)) is not None:
        method: Method = wings.found(place)()
        return method
    # The case of a method of an installed package or a plugged module; or of nobody, and the error names all.
    return named(methods(), name)


def calibrate(
    release: Release, notion: Notion | str | Sequence[Notion | str], method: str | Method = "exact"
) -> Calibration:
    """Chooses the noise for a promise by a method.

    Args:
        release: The model, the query and the noise's kind; its scale is ignored.
        notion: The promise, a notion with an epsilon, or several to be kept at once. A notion may be named by its kind.
        method: The method, or its name; `exact` by default. `dl.METHODS` lists the project's own.

    Returns:
        The noise, whether it is sound and why, its error, and what it really leaks.

    Raises:
        InputError: There is no method of that name, or it does not serve the model or the promise.
        DaleniusError: A method claims to be sound, but certainly leaks more than promised; or no scale was found.

    Example:
        >>> import dalenius as dl
        >>> homes = dl.Households(count=2, infected=[0.9, 0.05, 0.05])
        >>> found = dl.calibrate(dl.Release(homes, "count", "geometric"), dl.InferentialPrivacy(epsilon=0.5))
        >>> round(found.noise.scale, 3), round(found.expected_error, 3)
        (3.335, 3.285)
    """
    release = checked(release)
    chosen = method if isinstance(method, Method) else method_named(method)
    found = with_companion_losses(calibrated(chosen, release, notions_of(notion)), release)
    return replace(found, why=with_omitted(found.why, release.omitted)) if release.omitted else found
