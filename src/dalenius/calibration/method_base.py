"""The base of methods, which choose a noise for a promise, and the calibration that they make.

A query that one household of two moves by at most 2 must keep inferential privacy of 0.5 nats. Noise that hides the
household has scale 2 / 0.5 = 4 and keeps it: 0.416 nats leak where 0, 1 or 2 are ill with probabilities 0.9, 0.05 and
0.05. Noise of scale 1 / 0.5 = 2 hides one record, which is enough for differential privacy, and not for inferential.
"""

import abc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from dalenius.bounds import Enclosure
from dalenius.calibration.translation import Translation
from dalenius.channel import Release
from dalenius.errors import DaleniusError, InputError, TooLarge
from dalenius.noise import Noise, NoNoise, mean_error
from dalenius.notions import Leakage, Notion
from dalenius.tabular import Cell, Tabular, cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAME: Final = "the answer is the same whoever is absent, so it needs no noise"
"""The reason why a constant query may go out as it is."""


@final
@dataclass(frozen=True)
class Kept:
    """One promise, and the noise's real leakage by it."""

    notion: Notion
    leakage: Leakage


def kept_by(notions: Iterable[Notion], leakages: Iterable[Leakage]) -> tuple[Kept, ...]:
    """Pairs each of `notions` with its leakage in `leakages`, in the order promised."""
    return tuple(Kept(notion, leakage) for notion, leakage in zip(notions, leakages, strict=True))


@final
@dataclass(frozen=True)
class Optimum:
    """The least possible error, as far as it is known.

    Attributes:
        lower_bound: The least error: no mechanism that keeps the promise has a smaller one. It is in the query's
            unit, or its square.
        objective: The error that is meant: `absolute`, `squared` or `worst`.
        achieved: The error of the mechanism that was found; None where the method has none.
        error_given_answer: E|output - answer| by the true answer, in the query's unit; empty where it is unknown.
    """

    lower_bound: float
    objective: str = "absolute"
    achieved: float | None = None
    error_given_answer: Mapping[int | float, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name; the bound alone where no mechanism was found that comes near it."""
        if self.achieved is None:
            return {"lower_bound": self.lower_bound}
        found = {"objective": self.objective, "achieved": self.achieved, "lower_bound": self.lower_bound}
        return found | ({"error_given_answer": self.error_given_answer} if self.error_given_answer else {})


@final
@dataclass(frozen=True, repr=False)
class Calibration(Tabular):
    """A noise for a promise: the guarantee of the method that chose it, the reason, and the noise's real leakage.

    Attributes:
        method: The name of the method.
        sound: Whether the method's hypotheses hold of the model, so that the promise is kept.
        why: Those hypotheses, or which one fails.
        noise: The noise, with its scale.
        expected_error: E|output - answer| per answer, in the query's unit.
        leakage: The notion's leakage at that noise, in nats; where there are several promises, that of the first.
        details: Further results of the method, by name, as JSON can carry them.
        differential_ends: Whatever the promise, an enclosure of the most that any output leaks about one record to an
            adversary who knows all others, in nats; None where undefined.
        bayesian: The same for an adversary who knows any of the others; None where undefined.
        exact: Whether some possible answer goes out as it is, so that somebody who knows all others learns the last
            record.
        solved: Whether a solver found the noise: it and expected_error are exact only to its tolerance.
        optimum: The least possible error, as far as known; None for nothing.
        translation: The meaning of the noise for an absent person's probability; None elsewhere.
        promises: Each promise with its leakage.

    Example:
        >>> import dalenius as dl
        >>> homes = dl.Households(count=2, infected=[0.9, 0.05, 0.05])
        >>> found = dl.calibrate(dl.Release(homes, "count", "geometric"), dl.InferentialPrivacy(epsilon=0.5))
        >>> found.sound, round(found.noise.scale, 3), round(found.leakage.upper, 6)
        (True, 3.335, 0.5)
    """

    method: str
    sound: bool
    why: str
    noise: Noise
    expected_error: float
    leakage: Leakage
    details: Mapping[str, Any] = field(default_factory=dict)
    differential_ends: Enclosure | None = None
    bayesian: Enclosure | None = None
    exact: bool = False
    solved: bool = False
    optimum: Optimum | None = None
    translation: Translation | None = None
    promises: tuple[Kept, ...] = field(default=(), compare=False)

    @property
    def differential(self) -> float | None:
        """The upper end of `differential_ends`, in nats; None where it is undefined."""
        return None if self.differential_ends is None else self.differential_ends.upper

    @property
    def caption(self) -> str:
        """The title of the table."""
        return f"The noise that method {self.method} chooses"

    def records(self) -> list[dict[str, Cell]]:
        """Returns one row: errors in the query's unit (the least there can be, where it is known), leakages in nats."""
        least = None if self.optimum is None else self.optimum.lower_bound
        return [
            {
                "method": self.method,
                "sound": self.sound,
                "noise": self.noise.kind,
                "scale": self.noise.scale,
                "expected_error": self.expected_error,
                "lower": self.leakage.lower,
                "upper": self.leakage.upper,
                "differential": self.differential,
                "least_error": least,
            }
        ]

    def shown(self) -> list[dict[str, str]]:
        """Returns a row for each number that there is."""
        named = {"lower": "leakage, at least", "upper": "leakage, at most"}
        row = {named.get(key, key.replace("_", " ")): value for key, value in self.records()[0].items()}
        return [{"": name, "value": cell(value)} for name, value in row.items() if value is not None]

    def notes(self) -> list[str]:
        """Returns why the noise is sound, or not."""
        return [self.why]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draws the leakage of each promise, in nats, as an audit does, with a dashed line at what was promised.

        Args:
            ax: The matplotlib axes to draw on; None (the default) for new ones.

        Returns:
            The axes.

        Raises:
            InputError: Where the calibration names no promise.
        """
        # So that an audit, which draws nothing, need not read the file.
        from dalenius.calibration.plot import draw_promises

        return draw_promises([(each.notion, each.leakage) for each in self.promises], ax)


class Method(abc.ABC):
    """One way to choose a noise for a promise: the base of every method (docs/how-to/extend.md)."""

    name: ClassVar[str]

    reads_channel: ClassVar[bool] = False
    """Whether it rests on the channels of the secrets alone, for any secrets and any knowledge. Elsewhere it may
    suppose more, as that groups are independent, and is refused by `Release.check_plain_records`."""

    def __repr__(self) -> str:
        return f"<method {self.name}>"

    def with_objective(self, objective: str) -> "Method":
        """Returns the method that makes such an error least.

        Args:
            objective: The error: `absolute`, `squared` or `worst`.

        Raises:
            InputError: The method has no choice of errors, as by default.
        """
        raise InputError("objective", objective, f"method optimal beside it (the method is {self.name})")

    @abc.abstractmethod
    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses the noise for the notion's epsilon.

        Args:
            release: The model, the query and the noise's kind; its scale is ignored.
            notion: The promise, a notion with an epsilon.

        Raises:
            InputError: The method does not serve the model or the notion.
        """

    def calibrate_all(self, release: Release, notions: Sequence[Notion]) -> Calibration:
        """Chooses the noise for all of the promises.

        By default it is the largest of their scales, since more noise of a kind that has a scale never leaks more.

        Args:
            release: The model, the query and the noise's kind; its scale is ignored.
            notions: The promises, each a notion with an epsilon.

        Raises:
            InputError: The method does not serve the model or a notion.
        """
        each = [self.calibrate(release, notion) for notion in notions]
        chosen = max(each, key=lambda one: one.noise.amount)
        leakages = [
            own.leakage if own.noise == chosen.noise else _leaking(release, notion, chosen.noise, own.sound)
            for own, notion in zip(each, notions, strict=True)
        ]
        # Because a theorem may serve only one of two promises: the noise is then sound for neither together.
        doubtful = next((one for one in each if not one.sound), None)
        decided = f"{chosen.why} ({notions[each.index(chosen)].called} privacy asks for the most noise)"
        return replace(
            chosen,
            sound=doubtful is None,
            why=decided if doubtful is None else doubtful.why,
            leakage=leakages[0],
            promises=kept_by(notions, leakages),
        )


def promised(notion: Notion) -> float:
    """Returns the notion's epsilon, in nats. InputError where it was left open."""
    if notion.epsilon is None:
        raise InputError("notion.epsilon", "missing", "a finite number above 0")
    return notion.epsilon


def check_records_notion(notion: Notion) -> None:
    """Raises InputError for a `notion` about an absent person, which no theorem about records serves."""
    if notion.properties.implied_by == "absence":
        raise InputError("notion.kind", notion.kind, "another notion with this method (exact knows it)")


def check_noise(noise: Noise) -> None:
    """Raises InputError unless log-probabilities of `noise` are Lipschitz in the answer, as the theorems suppose."""
    if noise.shape.lipschitz == inf:
        noise.with_scale(1.0)  # noise that has no scale says so itself
        raise InputError("noise.kind", noise.kind, "laplace or geometric")


def scaled(
    name: str, sound: bool, why: str, release: Release, notion: Notion, distance: Fraction, people: int = 0
) -> Calibration:
    """Makes the calibration of method `name` that hides answers at the L1 `distance`, between which so many `people`
    differ, 0 for unknown; other arguments as of `achieved`: `sound`, `why`, `release`, `notion`."""
    noise: Noise = release.noise.with_scale(scale_hiding(release, distance, notion, people)) if distance else NoNoise()
    return achieved(name, *proven(sound, why, notion), release, notion, noise)


def proven(sound: bool, why: str, notion: Notion) -> tuple[bool, str]:
    """Returns `sound` and `why`, unless no theorem is known to serve the `notion`."""
    return (False, _unserved(notion)) if notion.properties.implied_by == "nothing" else (sound, why)


def _unserved(notion: Notion) -> str:
    """Says why a theorem proves nothing for the notion."""
    return f"the theorem says nothing of {notion.called} privacy"


def achieved(name: str, sound: bool, why: str, release: Release, notion: Notion, noise: Noise) -> Calibration:
    """Makes the calibration of method `name` that adds `noise` to `release`, with its real leakage by `notion`;
    `sound` says whether the promise is kept, and `why` the reason."""
    leakage = _leaking(release, notion, noise, sound)
    return Calibration(name, sound, why, noise, mean_error(noise, release.lattice), leakage)


def _leaking(release: Release, notion: Notion, noise: Noise, sound: bool) -> Leakage:
    """Returns what that noise really leaks; where the law is too large to say, what a sound method proves."""
    try:
        return notion.leakage(release.with_noise(noise))
    # The case of a city whose law no engine holds: the theorem's bound stands (`_proven`), or nothing is known.
    except TooLarge:
        if not sound:
            raise
        return Leakage(0.0, inf, None)


def scale_hiding(release: Release, distance: Fraction, notion: Notion, people: int = 0) -> float:
    """Returns the scale at which answers at that distance keep the promise of `notion` under `release`'s noise.

    So many `people` differ between them, 0 where that is not known. They keep log-ratio epsilon, or with Gaussian
    noise the promise's delta. InputError where no double is that large, and for Gaussian noise without a delta;
    DaleniusError for a noise whose scale leaks more by its own account.
    """
    epsilon, axes = promised(notion), release.lattice.axes
    delta, noise, moved = notion.promised_delta or 0.0, release.noise, (distance, people)
    scale = noise.scale_for_group(moved, epsilon, delta, axes)
    # The case of an epsilon of 1e-320, of somebody who tries what happens.
    if not isfinite(scale):
        raise InputError("notion.epsilon", epsilon, "an epsilon whose noise has a finite scale")
    # The case of a noise from outside whose author thought of one answer, where here are several.
    loss = 0.0 if delta else noise.with_scale(scale).loss_of_group(moved, axes)
    if loss > epsilon * (1 + 1e-9):
        raise DaleniusError(
            f"noise {noise.kind} at scale {scale:.9g} leaks up to {loss:.9g} nats, promised {epsilon:g}"
        )
    return scale


def calibrated(method: Method, release: Release, notions: Sequence[Notion]) -> Calibration:
    """Chooses the noise of `method` for all promises `notions` on `release`, and verifies it.

    InputError where there is none; DaleniusError where a method claims to be sound but certainly leaks more than one
    of them allows.
    """
    if not notions:
        raise InputError("promises", "none", "at least one notion with an epsilon")
    # Because a theorem about single records does not serve a spec about pairs of people or known answers.
    if not method.reads_channel:
        release.worlds.check_plain_records(f"method {method.name}")
    if not release.secrets.of_records:
        for notion in notions:
            notion.check_secret(release)
    found = method.calibrate(release, notions[0]) if len(notions) == 1 else method.calibrate_all(release, notions)
    found = found if found.promises else replace(found, promises=kept_by(notions, [found.leakage]))
    against = (
        None if all(notion.properties.implied_by == "record" for notion in notions) else release.worlds.contradiction
    )
    # Because a law of the model has impossible suppositions: no promise about an adversary who believes it holds.
    if found.sound and against is not None:
        return replace(found, sound=False, why=against)
    # So that a wrong theorem, or a wrong method from outside, is caught here and not by an adversary: the last check.
    for each in found.promises if found.sound else ():
        if each.leakage.lower > promised(each.notion) * (1 + 1e-9):
            leaks = f"{each.leakage.lower:.9g} nats, promised {promised(each.notion):g}"
            raise DaleniusError(f"method {found.method} claims to be sound, but it leaks {leaks}: do not use it here")
    return _proven(found) if found.sound else found


def _proven(found: Calibration) -> Calibration:
    """Caps the leakages of a sound method's calibration at the promise, which is an upper end of them even where the
    computed bound is further off."""
    kept = tuple(Kept(each.notion, _at_most(each.leakage, promised(each.notion))) for each in found.promises)
    return replace(found, leakage=kept[0].leakage, promises=kept)


def _at_most(leakage: Leakage, epsilon: float) -> Leakage:
    """Returns the leakage, with that upper end where it is lower."""
    return replace(leakage, upper=max(min(leakage.upper, epsilon), leakage.lower))


def check(release: Release, notion: Notion, any_private: bool = False) -> float:
    """Returns the promised epsilon of `notion`, in nats, if the theorems serve it on `release`. InputError unless the
    noise is Laplace's or geometric and records have finitely many values, as the theorems assume. With `any_private`
    they assume of the noise only that its scale hides neighbours."""
    check_records_notion(notion)
    epsilon = promised(notion)
    if not (any_private and release.noise.shape.hides_neighbours):
        check_noise(release.noise)
    if release.secret == "number":
        raise InputError("model.kind", "gaussian", "a model of records with finitely many values")
    return epsilon


def judged(name: str, sound: bool, why: str, release: Release, notion: Notion, noise: Noise) -> Calibration:
    """Makes the calibration of method `name` that adds `noise` to `release` for `notion`.

    `sound` says whether a theorem proves it inferentially private, `why` how, or not. Differential privacy and
    notions for any background knowledge do not follow from that; they hold where the noise hides one record, or a
    full group.
    """
    if notion.properties.implied_by != "inferential":
        sound, why = _directly(release, notion, noise)
    return achieved(name, sound, why, release, notion, noise)


def _directly(release: Release, notion: Notion, noise: Noise) -> tuple[bool, str]:
    """Says whether the noise hides what the notion speaks of, one record or a group, by itself; and why."""
    match notion.properties.implied_by:
        case "record":
            distance, hidden = release.sensitivity, "one record"
        case "group":
            distance, hidden = release.worlds.group_sensitivity[0], "a whole independent group"
        case _:
            return False, _unserved(notion)
    scale = inf if not distance else noise.scale or 0.0
    if not distance or scale >= release.noise.scale_for(distance, promised(notion), 0.0, release.lattice.axes):
        return True, f"the noise hides {hidden}, which is enough for {notion.called} privacy"
    return False, f"{notion.called} privacy needs noise that hides {hidden}, and this is less"
