"""What a promise costs: by ε what every method adds, and what an ε means for whoever is absent; pictures and numbers.

For whoever is absent ε is Θ/λ, the most two people's log-likelihoods may differ: that of Laplace noise where neighbours
differ in one record's value. What this table's answers leak is shown next to the bound for any table (DI Thm 3, Lee &
Clifton).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from math import exp, isfinite, nan
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import numpy as np

from dalenius.absent.exponential_sums import identifiability_at, posterior_at
from dalenius.absent.notions import RhoIdentifiability
from dalenius.absent.world import absences, absent_channels
from dalenius.bounds import near_to_digits
from dalenius.calibration import Calibration, Compared, compared, least_possible, methods
from dalenius.channel import Release
from dalenius.drawing import COLOURS, Look, draw_line, floored, looks_of, named_beside, new_axes, write_both
from dalenius.errors import InputError
from dalenius.notions import Notion
from dalenius.progress import steps

Lines: TypeAlias = Mapping[tuple[str, ...], Sequence[tuple[float, Calibration]]]
"""By the names of methods what they make of each epsilon."""
AROUND: Final = 16.0
"""How many times more and less than the calibrated ε is shown."""
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
    if release.secret != "absence":
        raise InputError("plot", "model of records", "model absent for this picture")
    theta = max(missing.span for missing in absences(release))
    if not theta or not result.noise.scale:
        raise InputError("plot", "no noise", "answers that depend on who is absent, and a noise with a scale")
    middle = theta / result.noise.scale
    return [_at(release, theta, float(each)) for each in np.geomspace(middle / AROUND, middle * AROUND, 25)]


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


def absence_figure(release: Release, notion: Notion, result: Calibration, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    rows, names = by_epsilon(release, result), [field.name for field in fields(AtEpsilon)]
    return write_both(path, names, map(astuple, rows), lambda: _by_epsilon(rows, notion))


def _by_epsilon(rows: Sequence[AtEpsilon], notion: Notion) -> Any:
    figure, (belief, ratio) = new_axes(2, 9.6, 4.6)
    told = (
        (belief, "posterior", "posterior_at_most", "most suspected person"),
        (ratio, "raised", "raised_at_most", "most raised"),
        (ratio, "lowered", "lowered_at_least", "most lowered"),
    )
    for colour, (axes, *names, words) in zip(COLOURS, told, strict=False):
        for name, dashes, table in zip(names, ("-", "--"), ("this table", "any table"), strict=True):
            points = [(row.epsilon, getattr(row, name)) for row in rows]
            draw_line(axes, points, f"{words}, {table}", Look(colour, "", dashes))
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
        axes.legend(frameon=False, fontsize=8)
    return figure


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
    made = [
        (_shown(own.expected_error), method)
        for own, method in found
        if own and own.sound and isfinite(own.expected_error)
    ]
    # Methods that are drawn where nobody asks for all.
    errors = sorted({error for error, _ in made})[:6]
    optimal = [method for own, method in found if own is not None and own.optimum is not None]
    return list(dict.fromkeys([method for error in errors for own, method in made if own == error] + optimal))


def _shown(error: float) -> float:
    # Significant digits to which errors agree that are drawn as one line.
    return near_to_digits(error, 5) if error else 0.0


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


def comparison_figure(
    release: Release, notion: Notion, results: Sequence[Compared], path: Path, everything: bool
) -> tuple[Path, Path]:
    """The same of a comparison, at other epsilons too; everything: of all methods, not those worth seeing."""
    drawn = [each.method for each in results] if everything else worth_seeing(results)
    promised = _promised(release, notion, results, drawn)
    return write_both(path, NAMES, _rows(promised), lambda: _by_promise(promised, notion, drawn))


def _promised(release: Release, notion: Notion, results: Sequence[Compared], drawn: Sequence[str]) -> list[Promised]:
    """The results at other epsilons too, of the methods that are drawn; those at the promise are not computed again."""
    found, chosen = [], [each for each in methods() if each.name in drawn]
    for factor in steps("promises", FACTORS):
        epsilon = factor * (notion.epsilon or 0.0)
        other = notion.altered({"epsilon": epsilon})
        found.append(Promised(epsilon, tuple(results if factor == 1 else compared(release, [other], chosen))))
    return found


def _by_promise(promised: Sequence[Promised], notion: Notion, methods: Sequence[str]) -> Any:
    """Scales on the left, errors on the right, with those that no mechanism has shaded."""
    lines = _lines(promised, methods)
    figure, (scales, errors) = new_axes(2, 11.4, 4.8 + 0.28 * max(0, len(lines) - 7))
    _draw(scales, lines, lambda each: each.noise.scale or nan, "scale of the noise")
    _draw(errors, lines, lambda each: each.expected_error, "expected error")
    known = [(each.epsilon, bound) for each in promised if (bound := least_possible(each.methods)) is not None]
    if len(known) > 1:
        bottom = errors.get_ylim()[0]
        places, bounds = zip(*((at, max(bound, bottom)) for at, bound in known), strict=True)
        label = "no mechanism is here"
        errors.fill_between(places, bottom, bounds, facecolor="0.88", edgecolor="0.6", hatch="///", label=label)
    for axes in (scales, errors):
        axes.set(xscale="log", xlabel=f"promised {notion.kind.replace('_', ' ')} ε (nats)")
        axes.set_xticks([each.epsilon for each in promised], [f"{each.epsilon:.3g}" for each in promised], fontsize=8)
        axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    named_beside(errors)
    return figure


def _draw(axes: Any, lines: Lines, of: Callable[[Calibration], float], what: str) -> None:
    looks = looks_of(names[0] for names in lines)
    for names, made in lines.items():
        sound = all(each.sound for _, each in made)
        label = ",\n".join(names).replace("_", " ") + ("" if sound else " (not sound)")
        draw_line(axes, [(at, of(each)) for at, each in made], label, looks[names[0]], sound)
    values = [of(each) for made in lines.values() for _, each in made if isfinite(of(each))]
    axes.set(yscale="log", ylabel=f"{what} (the query's unit)")
    if floor := floored(values):
        axes.set_ylim(floor / 1.3, max(values) * 1.6)


def _lines(promised: Sequence[Promised], methods: Sequence[str]) -> Lines:
    """By epsilon what each method makes; those whose errors agree everywhere are one line of several names."""
    made: dict[str, list[tuple[float, Calibration]]] = {}
    for each in promised:
        for found in each.methods:
            if found.calibration is not None and found.method in methods:
                made.setdefault(found.method, []).append((each.epsilon, found.calibration))
    alike: dict[tuple[object, ...], list[str]] = {}
    for name, own in made.items():
        errors = tuple((epsilon, _shown(each.expected_error), each.sound) for epsilon, each in own)
        alike.setdefault(errors, []).append(name)
    return {tuple(names): made[names[0]] for names in alike.values()}
