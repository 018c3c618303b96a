"""Every method side by side, for one model, query and promise.

Take two households of two, in each of which nobody is ill with probability 0.9, one with 0.05 and both with 0.05, the
count of the ill, and inferential privacy of 0.5 nats. `independent` adds geometric noise of scale 2, an error of 1.919,
and is not sound: 0.842 nats leak. `group` is sound with scale 4, an error of 3.959, of which 0.416 nats leak. `exact`
needs scale 3.335 only, an error of 3.285, and all of the 0.5 nats leak. `markov_quilt` does not apply: it wants a
chain.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isnan
from time import perf_counter
from typing import TYPE_CHECKING, final, overload

from dalenius.bounds import near_to_digits
from dalenius.calibration.accuracy import with_companion_losses
from dalenius.calibration.method_base import Calibration, Method, calibrated
from dalenius.calibration.methods import methods, own_methods
from dalenius.calibration.usual_noise import default_noise
from dalenius.channel import Release, checked
from dalenius.errors import DaleniusError
from dalenius.named_values import no_such_name
from dalenius.notions import Notion, notions_of
from dalenius.omitted import Omitted
from dalenius.plotting import floored, given_axes, looks_of, plain_ticks
from dalenius.progress import steps
from dalenius.tabular import Cell, Tabular

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@final
@dataclass(frozen=True)
class Compared:
    """One method's outcome.

    Attributes:
        method: The name of the method.
        calibration: The noise that it chooses; None where it does not apply.
        seconds: How long it took.
        why: The reason why it is sound or not, or why it does not apply.
    """

    method: str
    calibration: Calibration | None
    seconds: float
    why: str


@final
@dataclass(frozen=True, repr=False)
class Comparison(Tabular, Sequence[Compared]):
    """Every method's noise for the same promises, side by side: a sequence, in the order in which they were tried.

    A method is found by name too: `found["exact"]`. In a terminal or notebook it shows as a table; `frame` makes a
    data frame, `plot` a picture.

    Attributes:
        outcomes: One outcome for each method.
        omitted: The rows of the user's files that were left out, by file.

    Example:
        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> found = dl.compare(dl.Release(days, "count", "geometric"), dl.DifferentialPrivacy(epsilon=0.5))
        >>> [round(found[name].calibration.expected_error, 3) for name in ("independent", "group", "exact")]
        [1.919, 3.959, 1.919]
    """

    outcomes: tuple[Compared, ...]
    omitted: tuple[Omitted, ...] = ()

    @overload
    def __getitem__(self, place: int | str) -> Compared: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Compared]: ...
    def __getitem__(self, place: int | str | slice) -> Compared | Sequence[Compared]:
        """Returns an outcome by its place or its method's name. InputError for the name of no method."""
        if not isinstance(place, str):
            return self.outcomes[place]
        # Because people who compare two methods in a notebook write the name.
        for each in self.outcomes:
            if each.method == place:
                return each
        raise no_such_name("method", place, [each.method for each in self.outcomes])

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def ranked(self) -> list[tuple[Compared, Calibration]]:
        """The methods that apply, with their calibrations, sound ones first.

        Among these, noises without a bound for an adversary who knows all others come last. Then the order is by
        expected error to six digits, lest processors differ in it; among equal ones the first tried comes first.
        """
        made = [(each, each.calibration) for each in self.outcomes if each.calibration is not None]
        return sorted(made, key=lambda each: _place(each[1]))

    @property
    def caption(self) -> str:
        """The title of the table."""
        return "The methods, sound ones first by expected error; ∞ to an adversary who knows all others last"

    def records(self) -> list[dict[str, Cell]]:
        """Returns the rows of the data frame; the methods that do not apply come last.

        The columns are method, sound, noise, scale, expected_error (in the query's unit), times_least, leakage (nats),
        seconds and why.
        """
        least = least_used(found for _, found in self.ranked)
        made = [_record(each, found, least) for each, found in self.ranked]
        return made + [_record(each, None, least) for each in self.outcomes if each.calibration is None]

    def shown(self) -> list[dict[str, str]]:
        """Returns the rows that people see: the methods that apply, with few digits."""
        least = least_used(found for _, found in self.ranked)
        return [_shown(each, found, least) for each, found in self.ranked]

    def notes(self) -> list[str]:
        """Returns what stands below the table: the methods that do not apply, and the rows that were left out."""
        left = [each.method for each in self.outcomes if each.calibration is None]
        return [*([f"not applicable here: {', '.join(left)}"] if left else []), *(each.words for each in self.omitted)]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draws the expected error of each method that applies, with its own colour and mark, sound ones filled.

        The errors that no mechanism has are shaded. Errors below a thousandth of the largest stand at the left edge.

        Args:
            ax: The matplotlib axes to draw on; None (the default) for new ones.

        Returns:
            The axes.
        """
        axes, made = given_axes(ax), self.ranked
        floor = floored(found.expected_error for _, found in made)
        looks = looks_of(each.method for each, _ in made)
        for place, (each, found) in enumerate(made):
            # Because the outputs of randomised response are words, which have no place on the axis of errors.
            if isnan(found.expected_error):
                continue
            shown = looks[each.method].line(found.sound) | {"markersize": 7, "linestyle": "none", "clip_on": False}
            at = max(found.expected_error, floor)
            axes.plot([at], [place], **shown)
            # So that an error too small for the axis is seen: it stands at the edge, with its number beside it.
            if found.expected_error < floor:
                words = f"{found.expected_error:.1g}"
                axes.annotate(words, (at, place), xytext=(8, 0), textcoords="offset points", va="center", fontsize=8)
        axes.set_yticks(range(len(made)), [each.method.replace("_", " ") for each, _ in made])
        axes.set_ylim(len(made) - 0.5, -0.5)
        # Because without any error above 0 there is no logarithmic axis to draw.
        if floor:
            axes.set(xscale="log", xlim=(floor / 1.2, 1.5 * axes.dataLim.x1))
            plain_ticks(axes)
        if floor and (least := least_possible(self.outcomes)) and least > floor / 1.2:
            axes.axvspan(floor / 1.2, least, facecolor="0.92", edgecolor="0.6", hatch="///", linewidth=0, zorder=0)
        axes.set_xlabel("expected error (the query's unit)\nhollow: not sound; shaded: no mechanism is there")
        axes.grid(alpha=0.3, axis="x")
        return axes


def unbounded(made: Calibration) -> bool:
    """Says whether the loss of the noise `made` to an adversary who knows all other records has no bound."""
    return made.differential == inf


def least_used(made: Iterable[Calibration]) -> float | None:
    """Returns the least expected error of a sound noise among `made`, in the query's unit.

    Noises that are `unbounded` count only where all sound ones are. None where that is no number above 0.
    """
    # Because a method that gives the answer away exactly has no error: every other one would be infinitely bad.
    sound = [each for each in made if each.sound and each.expected_error > 0]
    return min((each.expected_error for each in [each for each in sound if not unbounded(each)] or sound), default=None)


def _place(made: Calibration) -> tuple[bool, bool, float, float]:
    """Returns what `ranked` sorts by; outputs without an expected error come last of their kind, by their scale."""
    if isnan(made.expected_error):
        return not made.sound, unbounded(made), inf, made.noise.scale or 0.0
    return not made.sound, unbounded(made), near_to_digits(made.expected_error, 6), 0.0


def times_least(found: Calibration, least: float | None) -> float | None:
    """Returns how many times `least`, of `least_used`, the error of `found` is.

    None where there is none, and for a noise that is `unbounded` and errs less.
    """
    if not least or isnan(found.expected_error) or (unbounded(found) and found.expected_error < least):
        return None
    return found.expected_error / least


def _record(each: Compared, found: Calibration | None, least: float | None) -> dict[str, Cell]:
    """Returns a row of `records`; found: None for a method that does not apply."""
    return {
        "method": each.method,
        "sound": None if found is None else found.sound,
        "noise": None if found is None else found.noise.kind,
        "scale": None if found is None else found.noise.scale,
        "expected_error": None if found is None else found.expected_error,
        "times_least": None if found is None else times_least(found, least),
        "leakage": None if found is None else found.leakage.upper,
        "seconds": each.seconds,
        "why": each.why,
    }


def _shown(each: Compared, found: Calibration, least: float | None) -> dict[str, str]:
    """Returns a row as people read it: four or six digits, and a sound method says yes."""
    noise = found.noise.kind if found.noise.scale is None else f"{found.noise.kind} {found.noise.scale:.6g}"
    times = times_least(found, least)
    return {
        "method": each.method,
        "sound": "yes" if found.sound else "NO",
        "noise": noise,
        "error": "" if isnan(found.expected_error) else f"{found.expected_error:.6g}",
        "× least": "" if times is None else f"{times:.4g}",
    }


def least_possible(results: Iterable[Compared]) -> float | None:
    """Returns the best lower bound among `results` on any mechanism's expected absolute error.

    It is in the query's unit; None where no method has one.
    """
    made = (result.calibration for result in results if result.calibration is not None)
    optima = (each.optimum for each in made if each.optimum is not None)
    return max((each.lower_bound for each in optima if each.objective == "absolute"), default=None)


def compared(release: Release, notions: Sequence[Notion], methods: Sequence[Method]) -> Iterator[Compared]:
    """Yields the outcome of each of `methods` in turn; methods that do not serve the model have their reason.

    `release` is the release, and `notions` are the promises.
    """
    # Because an exact answer has no noise to compare methods by: they choose the scale of a noise for its lattice.
    if release.noise.shape.adds_nothing:
        release = release.with_noise(default_noise(release.lattice))
    for method in steps("methods", methods):
        start = perf_counter()
        # Because a method that wants a chain, or an absent person, refuses here: the others are compared nevertheless.
        try:
            calibration = with_companion_losses(calibrated(method, release, notions), release)
        except DaleniusError as error:
            yield Compared(method.name, None, perf_counter() - start, str(error))
        else:
            yield Compared(method.name, calibration, perf_counter() - start, calibration.why)


METHODS: tuple[Method, ...] = own_methods()
"""The project's own methods."""


def compare(release: Release, notion: Notion | str | Sequence[Notion | str]) -> Comparison:
    """Chooses a noise for a promise by every method, side by side.

    Args:
        release: The model, the query and the noise; its scale is ignored. If it adds no noise, the methods choose
            the scale of the noise that suits the answers: geometric for whole numbers, else Laplace.
        notion: The promise, a notion with an epsilon, or several to be kept at once. A notion may be named by its kind.

    Returns:
        Every method's outcome; a method that does not apply says why.

    Raises:
        InputError: The first argument is no release, or there is no notion of that name.

    Example:
        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> found = dl.compare(dl.Release(days, "count", "geometric"), dl.DifferentialPrivacy(epsilon=0.5))
        >>> found["group"].calibration.noise.words, found["exact"].calibration.noise.words
        ('geometric, scale 4', 'geometric, scale 2')
    """
    release = checked(release)
    return Comparison(tuple(compared(release, notions_of(notion), methods())), release.omitted)
