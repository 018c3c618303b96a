"""What promises cost, and what guarantees leave where records depend on each other, as pictures with their numbers:
what every method adds; a pipeline's guarantee; those of a stream of answers, step by step.

Of a promise of 1 nat the expected error of the six best sound methods is drawn, one below the other, and the errors
that no mechanism can have are shaded, as far as they are known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from dalenius.bounds import up_to_digits
from dalenius.calibration import Compared, Comparison, least_possible
from dalenius.channel import Release
from dalenius.composition import Stream
from dalenius.conversion import Conversion, PrivacyProfile, PureProfile
from dalenius.notions import Notion
from dalenius.plotting import COLOURS, DrawnLine, Look, line_figure, new_axes, notion_looks_of, write_both
from dalenius.progress import steps

_NAMES: Final = (
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
_GREY: Final = Look("#666666", "", (0, (2, 2)))
_STEPS: Final = ("step", "epsilon", "backward", "forward", "total", "sum")


def _best_methods(results: Sequence[Compared]) -> set[str]:
    """The six sound methods of least expected error, and always the optimum, which has the bound."""
    found = [(each.calibration, each.method) for each in results if each.calibration is not None]
    sound = [(own.expected_error, name) for own, name in found if own.sound and isfinite(own.expected_error)]
    best = sorted(sound, key=lambda each: each[0])[:6]
    return {name for _, name in best} | {name for own, name in found if own.optimum is not None}


def comparison_figure(
    _: Release, notion: Notion, results: Sequence[Compared], path: Path, everything: bool
) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.
    everything: of all methods that apply, not the best alone.

    results: those at the promise. InputError where the picture cannot be written.
    """
    # Of sixteen methods most do not apply, or err far more than the best: these would hide the others.
    drawn = {each.method for each in results} if everything else _best_methods(results)

    def picture() -> Any:
        figure, (axes,) = new_axes()
        Comparison(tuple(each for each in results if each.method in drawn)).plot(axes)
        return figure

    return write_both(path, _NAMES, _rows(notion, results), picture)


def _rows(notion: Notion, results: Sequence[Compared]) -> Iterator[list[object]]:
    """Of the CSV: a row for each method, with the reason where it does not apply."""
    bound = least_possible(results)
    for found in results:
        done = found.calibration
        if done is None:
            yield [notion.epsilon, found.method, "", "", "", "", bound, "", f"does not apply: {found.why}"]
        else:
            numbers = done.noise.kind, done.noise.scale or 0.0, done.expected_error, bound, done.leakage.upper
            yield [notion.epsilon, found.method, done.sound, *numbers, found.why]


@final
@dataclass(frozen=True)
class _Left:
    """across: epsilons, in nats; own: the pipeline's guarantee there; left: what may leak, at most, by notion: of a
    pure guarantee of that epsilon the epsilon, else the delta at that epsilon. given: the guarantee's own epsilon."""

    across: tuple[float, ...]
    own: tuple[float, ...]
    left: Mapping[str, tuple[float, ...]]
    given: float | None


def left_by_epsilon(made: Mapping[str, Conversion], given: float) -> _Left:
    """What pure guarantees leave, at nine epsilons from 0 to twice the given one, in nats.

    made: by notion how a guarantee is converted for the model. What is left is an upper bound, and holds for whoever
    believes the model.
    """
    across = tuple(float(each) for each in np.linspace(0.0, 2.0 * (given or 1.0), 9))
    found: dict[str, list[float]] = {name: [] for name in made}
    for epsilon in steps("guarantees", across):
        for name, each in made.items():
            found[name].append(each.with_profile(PureProfile(epsilon)).most(0.0))
    return _Left(across, across, {name: tuple(values) for name, values in found.items()}, given)


def left_by_delta(curves: Mapping[str, Sequence[tuple[float, float]]], profile: PrivacyProfile) -> _Left:
    """What an approximate guarantee leaves, as deltas, which are probabilities, by epsilon in nats.

    curves: by notion the deltas that the guarantee leaves, at the same epsilons; profile: the guarantee's own.
    """
    across = tuple(epsilon for epsilon, _ in next(iter(curves.values())))
    left = {name: tuple(delta for _, delta in curve) for name, curve in curves.items()}
    return _Left(across, tuple(min(1.0, profile.delta(epsilon)) for epsilon in across), left, None)


def draw_conversion(found: _Left, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.

    The pipeline's own guarantee is of neighbouring data sets, the others of one record under the model: the distance
    between the lines is what dependence costs.
    """
    pure = found.given is not None
    what = "epsilon_nats" if pure else "delta"
    # Of a pure guarantee an epsilon is left, of an approximate one a delta at each epsilon.
    names = ["epsilon_nats", f"own_{what}", *(f"{name}_{what}" for name in found.left)]
    columns = zip(found.across, found.own, *found.left.values(), strict=True)
    rows = [[across, *(up_to_digits(each, 6) for each in values)] for across, *values in columns]
    own = DrawnLine("the pipeline's own,\nbetween neighbours", zip(found.across, found.own, strict=True), _GREY)
    lines = [own]
    for name, look in notion_looks_of(found.left).items():
        points = zip(found.across, found.left[name], strict=True)
        lines.append(DrawnLine(f"{name.replace('_', ' ')},\nunder the model", points, look))
    across = f"ε of the pipeline (nats); given: {found.given:g}" if pure else "ε (nats)"
    upright = "ε that can leak of one record (nats)" if pure else "δ that can leak of one record (a probability)"
    # Below this share of the largest a smaller delta is not looked for.
    return write_both(path, names, rows, lambda: line_figure(lines, across, upright, logarithmic=not pure, deep=1e-9))


def draw_by_step(stream: Stream, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers, in nats; both paths.
    sum: of the ε so far."""
    worst = stream.worst
    known = {"backward": worst.backward.upper, "forward": worst.forward.upper, "total": worst.total.upper}
    columns = {"epsilon": stream.epsilons, **known, "sum": np.cumsum(stream.epsilons)}
    rows = [[step + 1, *(f"{columns[name][step]:.6g}" for name in _STEPS[1:])] for step in range(len(stream))]
    labels = {"total": "by all answers", "backward": "by those so far", "forward": "by those from then on"}
    looks = zip(labels.items(), COLOURS, ("-", "--", "-."), strict=False)
    shown = [
        DrawnLine(label, enumerate(known[name], 1), Look(colour, ".", dashes))
        for (name, label), colour, dashes in looks
    ]
    shown.append(DrawnLine("ε of the step", enumerate(stream.epsilons, 1), Look("0.4", "")))
    upright = "what leaks of the step's value (nats)"
    return write_both(path, _STEPS, rows, lambda: line_figure(shown, "step", upright))
