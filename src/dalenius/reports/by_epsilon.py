"""What an ε of differential privacy means for whoever is absent: a picture and its numbers.

ε is Θ/λ, the most two people's log-likelihoods may differ: that of Laplace noise where neighbours differ in one
record's value. What this table's answers leak is shown next to the bound for any table (DI Thm 3, Lee & Clifton).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import exp
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from dalenius.calibration import Calibration, identifiability_at, posterior_at
from dalenius.channel import Release
from dalenius.channel.absent.records import absences, absent_channels
from dalenius.drawing import COLOURS, check_picture
from dalenius.drawing.written import write_both, write_rows
from dalenius.errors import InputError
from dalenius.notions import Notion, RhoIdentifiability

POINTS: Final = 25
AROUND: Final = 16.0
"""How many times more and less than the calibrated ε is shown."""


@final
@dataclass(frozen=True)
class AtEpsilon:
    """posterior: the highest of anybody; raised, lowered: the largest and least posterior/prior of anybody; *_at_most,
    *_at_least: for any table with these priors."""

    epsilon: float
    scale: float
    posterior: float
    posterior_at_most: float
    raised: float
    raised_at_most: float
    lowered: float
    lowered_at_least: float


def by_epsilon(release: Release, result: Calibration) -> list[AtEpsilon]:
    """Around the calibrated scale. InputError where the secret is a record, or the answer depends on nobody."""
    if not release.of_absence:
        raise InputError("plot", "model of records", "model absent for this picture")
    theta = max(missing.span for missing in absences(release))
    if not theta or not result.noise.scale:
        raise InputError("plot", "no noise", "answers that depend on who is absent, and a noise with a scale")
    middle = theta / result.noise.scale
    return [_at(release, theta, float(each)) for each in np.geomspace(middle / AROUND, middle * AROUND, POINTS)]


def _at(release: Release, theta: float, epsilon: float) -> AtEpsilon:
    noisy = release.with_noise(release.noise.with_scale(theta / epsilon))
    moved = [channel.movement() for channel in absent_channels(noisy)]
    posterior = RhoIdentifiability().leakage(noisy).companions["posterior"].upper
    greatest = max(float(missing.prior.greatest) for missing in absences(release))
    alpha, beta = identifiability_at(epsilon, min(float(missing.prior.least) for missing in absences(release)))
    return AtEpsilon(
        epsilon,
        theta / epsilon,
        posterior,
        posterior_at(epsilon, greatest),
        exp(max(each.raised.value.upper for each in moved)),
        1 + beta,
        exp(-max(each.lowered.value.upper for each in moved)),
        1 - alpha,
    )


def draw_by_epsilon(rows: Sequence[AtEpsilon], notion: Notion, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    check_picture(path)
    return write_both(path, lambda draft: _write_rows(rows, draft), lambda: _picture(rows, notion))


def absence_figure(release: Release, notion: Notion, result: Calibration, path: Path) -> tuple[Path, Path]:
    """The same of a calibration."""
    return draw_by_epsilon(by_epsilon(release, result), notion, path)


def _write_rows(rows: Sequence[AtEpsilon], path: Path) -> None:
    names = [field.name for field in fields(AtEpsilon)]
    write_rows(path, names, ([getattr(row, name) for name in names] for row in rows))


def _picture(rows: Sequence[AtEpsilon], notion: Notion) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(9.6, 4.6), layout=ConstrainedLayoutEngine(w_pad=0.12))
    belief, ratio = figure.subplots(1, 2)
    _line(belief, rows, "posterior", COLOURS[0], "-", "most suspected person, this table")
    _line(belief, rows, "posterior_at_most", COLOURS[0], "--", "most suspected person, any table")
    _line(ratio, rows, "raised", COLOURS[1], "-", "most raised, this table")
    _line(ratio, rows, "raised_at_most", COLOURS[1], "--", "most raised, any table")
    _line(ratio, rows, "lowered", COLOURS[2], "-", "most lowered, this table")
    _line(ratio, rows, "lowered_at_least", COLOURS[2], "--", "most lowered, any table")
    if (rho := notion.posterior_bound) is not None:
        belief.axhline(rho, color="black", linewidth=1.0, label=f"promised ρ = {rho:g}")
    if (bounds := notion.log_ratio_bounds) is not None:
        most, least = exp(bounds[0]), exp(-bounds[1])
        ratio.axhline(most, color="black", linewidth=1.0, label=f"promised 1 + β = {most:g}")
        ratio.axhline(least, color="black", linestyle=":", label=f"promised 1 − α = {least:g}")
    belief.set(ylabel="probability of being the absent one", ylim=(0, 1))
    ratio.set(ylabel="posterior / prior", yscale="log")
    for axes in (belief, ratio):
        axes.set(xscale="log", xlabel="ε = Θ/λ (nats)")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=8)
    return figure


def _line(axes: Any, rows: Sequence[AtEpsilon], name: str, colour: str, style: str, label: str) -> None:
    numbers = [getattr(row, name) for row in rows]
    axes.plot([row.epsilon for row in rows], numbers, color=colour, linestyle=style, linewidth=1.6, label=label)
