"""Draws what a guarantee leaves, and writes the table beside the picture.

The lines are those of the notions. Every picture has beside it a CSV file with the numbers that it shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

import numpy as np

from dalenius.bounds import up_to_digits
from dalenius.conversion import Conversion, PrivacyProfile, PureProfile
from dalenius.plotting import DrawnLine, Look, line_figure, notion_looks_of, write_both
from dalenius.progress import steps

_GREY: Final = Look("#666666", "", (0, (2, 2)))


@final
@dataclass(frozen=True)
class _Left:
    """The lines of a picture.

    Attributes:
        across: The epsilons, in nats.
        own: The pipeline's guarantee there.
        left: What may leak at most, by notion: for a pure guarantee an epsilon, else the delta at that epsilon.
        given: The guarantee's own epsilon; None for an approximate one.
    """

    across: tuple[float, ...]
    own: tuple[float, ...]
    left: Mapping[str, tuple[float, ...]]
    given: float | None


def left_by_epsilon(made: Mapping[str, Conversion], given: float) -> _Left:
    """Returns what pure guarantees leave, at nine epsilons from 0 to twice the `given` one, in nats.

    What is left is an upper bound, and holds for everybody who believes the model. made: by notion how a guarantee is
    converted for the model.
    """
    across = tuple(float(each) for each in np.linspace(0.0, 2.0 * (given or 1.0), 9))
    found: dict[str, list[float]] = {name: [] for name in made}
    for epsilon in steps("guarantees", across):
        for name, each in made.items():
            found[name].append(each.with_profile(PureProfile(epsilon)).most(0.0))
    return _Left(across, across, {name: tuple(values) for name, values in found.items()}, given)


def left_by_delta(curves: Mapping[str, Sequence[tuple[float, float]]], profile: PrivacyProfile) -> _Left:
    """Returns what an approximate guarantee leaves, as deltas, which are probabilities, by epsilon in nats.

    curves: by notion the deltas that the guarantee leaves, at the same epsilons; profile: the guarantee's own.
    """
    across = tuple(epsilon for epsilon, _ in next(iter(curves.values())))
    left = {name: tuple(delta for _, delta in curve) for name, curve in curves.items()}
    return _Left(across, tuple(min(1.0, profile.delta(epsilon)) for epsilon in across), left, None)


def draw_conversion(found: _Left, path: Path) -> tuple[Path, Path]:
    """Writes the picture and, next to it, a CSV of its numbers; returns both paths.

    The pipeline's own guarantee is of neighbouring data sets, the others of one record under the model: the distance
    between the lines is what dependence costs.

    Args:
        found: The lines.
        path: The picture's path, whose suffix is its format.
    """
    pure = found.given is not None
    what = "epsilon_nats" if pure else "delta"
    # A pure guarantee leaves an epsilon, an approximate one a delta at each epsilon.
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
    # Because no delta is shown below this share of the largest.
    return write_both(path, names, rows, lambda: line_figure(lines, across, upright, logarithmic=not pure, deep=1e-9))
