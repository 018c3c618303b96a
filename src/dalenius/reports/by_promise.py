"""What every method adds, promise by promise: scale and expected error against epsilon, a picture and its numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final, final

from dalenius.bounds import near_to_digits
from dalenius.calibration import Calibration, Compared, compared, least_possible, methods
from dalenius.channel import Release
from dalenius.drawing import Look, check_picture, floored, looks_of, with_ends, with_floor
from dalenius.drawing.written import write_both, write_rows
from dalenius.notions import Notion
from dalenius.stages import steps

NAMES: Final = (
    "epsilon_nats",
    "method",
    "sound",
    "noise",
    "scale",
    "expected_error",
    "lower_bound",
    "achieved_nats",
    "why",
)
FACTORS: Final = (0.25, 0.5, 0.7071067811865476, 1.0, 1.4142135623730951, 2.0, 4.0)
"""Of the promise: the epsilons the picture shows."""
FEW: Final = 6
"""Methods that are drawn where nobody asks for all."""
SAME: Final = 5
"""Significant digits to which errors agree that are drawn as one line."""


@final
@dataclass(frozen=True)
class Promised:
    """Every method's outcome for one epsilon, in nats."""

    epsilon: float
    methods: tuple[Compared, ...]


def worth_seeing(results: Sequence[Compared]) -> list[str]:
    """The sound methods of least expected error, of equal ones the first tried, and always the optimum, which has the
    bound; those of other errors than these are left out from the sixth on."""
    found = [(each.calibration, each.method) for each in results]
    made = [(_shown(own.expected_error), method) for own, method in found if own is not None and _is_sound(own)]
    errors = sorted({error for error, _ in made})[:FEW]
    optimal = [method for own, method in found if own is not None and own.optimum is not None]
    return list(dict.fromkeys([method for error in errors for own, method in made if own == error] + optimal))


def _is_sound(made: Calibration) -> bool:
    return made.sound and isfinite(made.expected_error)


def _shown(error: float) -> float:
    return near_to_digits(error, SAME) if error else 0.0


def draw_by_promise(
    promised: Sequence[Promised], notion: Notion, path: Path, methods: Sequence[str] | None = None
) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.
    methods: those that are drawn; None: all that apply."""
    check_picture(path)
    return write_both(
        path,
        lambda draft: write_rows(draft, NAMES, _rows(promised)),
        lambda: _Picture(promised, notion, methods).figure(),
    )


def comparison_figure(
    release: Release, notion: Notion, results: Sequence[Compared], path: Path, everything: bool
) -> tuple[Path, Path]:
    """The same of a comparison, at other epsilons too; everything: of all methods, not those worth seeing."""
    drawn = [each.method for each in results] if everything else worth_seeing(results)
    return draw_by_promise(_promised(release, notion, results, drawn), notion, path, drawn)


def _promised(release: Release, notion: Notion, results: Sequence[Compared], drawn: Sequence[str]) -> list[Promised]:
    """The results at other epsilons too, of the methods that are drawn; those at the promise are not computed again."""
    found, chosen = [], [each for each in methods() if each.name in drawn]
    for factor in steps("promises", FACTORS):
        epsilon = factor * (notion.epsilon or 0.0)
        other = notion.altered({"epsilon": epsilon})
        found.append(Promised(epsilon, tuple(results if factor == 1 else compared(release, [other], chosen))))
    return found


def _rows(promised: Sequence[Promised]) -> Iterator[list[object]]:
    for each in promised:
        bound = least_possible(each.methods)
        for found in each.methods:
            done = found.calibration
            if done is None:
                yield [each.epsilon, found.method, "", "", "", "", bound, "", f"does not apply: {found.why}"]
            else:
                numbers = done.noise.kind, done.noise.scale or 0.0, done.expected_error, bound, done.leakage.upper
                yield [each.epsilon, found.method, done.sound, *numbers, found.why]


@final
@dataclass(frozen=True)
class _Line:
    """The methods whose errors agree everywhere, as one line: by epsilon the calibration."""

    names: tuple[str, ...]
    look: Look
    made: tuple[tuple[float, Calibration], ...]

    @property
    def sound(self) -> bool:
        return all(each.sound for _, each in self.made)

    @property
    def errors(self) -> list[tuple[float, float]]:
        return [(epsilon, each.expected_error) for epsilon, each in self.made if isfinite(each.expected_error)]

    @property
    def scales(self) -> list[tuple[float, float]]:
        return [(epsilon, each.noise.scale) for epsilon, each in self.made if each.noise.scale]

    def words(self, floor: float) -> str:
        """At the right end; with the last error where it is below the floor."""
        name = ",\n".join(each.replace("_", " ") for each in self.names)
        name = name if self.sound else f"{name} (not sound)"
        last = self.errors[-1][1] if self.errors else 0.0
        return name if last >= floor else f"{name}: 0" if not last else f"{name}: {last:.1g}"


@final
class _Picture:
    """Scales on the left, errors on the right, where the lines are named at their ends."""

    def __init__(self, promised: Sequence[Promised], notion: Notion, methods: Sequence[str] | None) -> None:
        self._epsilons = [each.epsilon for each in promised]
        self._kind = notion.kind
        self._lines = _lines(promised, methods)
        found = [(each.epsilon, least_possible(each.methods)) for each in promised]
        self._bounds = [(epsilon, bound) for epsilon, bound in found if bound is not None]

    def figure(self) -> Any:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        height = 4.8 + 0.28 * max(0, len(self._lines) - 7)
        figure = Figure(figsize=(10.4, height), layout=ConstrainedLayoutEngine(w_pad=0.12))
        scales, errors = figure.subplots(1, 2, width_ratios=(1, 1.3))
        floor = self._draw(scales, [line.scales for line in self._lines], "scale of the noise")
        floor = self._draw(errors, [line.errors for line in self._lines], "expected error per answer")
        self._bound(errors, floor)
        ends = [(line.errors[-1], line) for line in self._lines if line.errors]
        with_ends(
            errors,
            [(at, max(error, floor), line.words(floor), line.look.colour) for (at, error), line in ends],
        )
        return figure

    def _draw(self, axes: Any, points: Sequence[Sequence[tuple[float, float]]], what: str) -> float:
        """The floor of the axis."""
        values = [value for each in points for _, value in each]
        floor, top = floored(values), max(values, default=1.0)
        for line, own in zip(self._lines, points, strict=True):
            if own:
                places, heights = zip(*((at, max(value, floor)) for at, value in own), strict=True)
                axes.plot(places, heights, linewidth=1.4, markersize=5.5, clip_on=False, **line.look.line(line.sound))
        axes.set(xscale="log", yscale="log", xlabel=f"promised {self._kind.replace('_', ' ')} ε (nats)")
        axes.set_ylabel(f"{what} (the query's unit)")
        axes.set_xticks(self._epsilons, [f"{epsilon:.3g}" for epsilon in self._epsilons], fontsize=8)
        axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        axes.grid(alpha=0.3)
        if floor:
            axes.set_ylim(floor / 1.3, top * 1.6)
        if any(value < floor for value in values):
            with_floor(axes, floor)
        return floor

    def _bound(self, axes: Any, floor: float) -> None:
        """The errors that no mechanism has, shaded."""
        if len(self._bounds) < 2 or not any(bound > floor for _, bound in self._bounds):
            return
        bottom = axes.get_ylim()[0]
        places, bounds = zip(*((epsilon, max(bound, bottom)) for epsilon, bound in self._bounds), strict=True)
        axes.fill_between(places, bottom, bounds, facecolor="0.92", edgecolor="0.6", hatch="///", linewidth=0, zorder=0)
        axes.plot(places, bounds, color="0.35", linewidth=4.0, alpha=0.35, zorder=1, solid_capstyle="butt")
        axes.annotate(
            "no mechanism is here",
            (places[0] * 1.05, (bottom * bounds[0]) ** 0.5),
            ha="left",
            va="center",
            fontsize=8,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )


def _lines(promised: Sequence[Promised], methods: Sequence[str] | None) -> list[_Line]:
    made: dict[str, list[tuple[float, Calibration]]] = {}
    for each in promised:
        for found in each.methods:
            if found.calibration is not None and (methods is None or found.method in methods):
                made.setdefault(found.method, []).append((each.epsilon, found.calibration))
    looks, alike = looks_of(made), dict[tuple[object, ...], list[str]]()
    for name, own in made.items():
        errors = tuple((epsilon, _shown(each.expected_error), each.sound) for epsilon, each in own)
        alike.setdefault(errors, []).append(name)
    return [_Line(tuple(names), looks[names[0]], tuple(made[names[0]])) for names in alike.values()]
