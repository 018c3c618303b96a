"""What `dalenius audit` reports with --tradeoff: what attackers find at a rate of false alarms, with their picture."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from dalenius.attack.tradeoff import RATES, Tested, Tradeoff, tradeoff
from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.channel import Found, Release
from dalenius.cli.output import Further, say
from dalenius.drawing import COLOURS, new_axes, write_both
from dalenius.spec.results import enclosure_json, witness_json
from dalenius.spec.words import whose

_DIGITS: Final = 9
_SHOWN: Final = 0.01
"""The rate of false alarms that is marked."""
_TRADEOFF: Final = (
    "false_alarms",
    *(f"{what}{end}" for what in ("true_positives", "misses") for end in ("", "_lower", "_upper")),
)


def tests_of(release: Release, path: Path) -> Further:
    """What attackers find at a rate of false alarms, with their picture at the path."""
    found = tradeoff(release)
    draw_tradeoff(found, path)
    return Further(_tradeoff_json(found), lambda: _say_tests(found))


def _say_tests(found: Tradeoff) -> None:
    value, witness = found.advantage
    pair = "" if witness is None or witness.secret is None else f": {witness.secret} against {witness.against}"
    say(f"advantage of the best attacker: {_shown(value)}, about {whose(witness)}{pair}")
    for rate in RATES:
        share = _shown(found.true_positives(rate).value)
        say(f"true positives at {100 * rate:g} % false alarms: {share}. {found.in_words(rate)}")


def _shown(value: Enclosure) -> str:
    if value.upper - value.lower <= 1e-6:
        return f"{value.middle:.6g}"
    return f"{value.lower:.6g} to {value.upper:.6g}"


def _tradeoff_json(found: Tradeoff) -> dict[str, Any]:
    """The advantage, and the true positives at every rate of false alarms of an audit; probabilities."""
    shares = [{"rate": rate, **_found_json(found.true_positives(rate))} for rate in RATES]
    return {"advantage": _found_json(found.advantage), "true_positives": shares}


def _found_json(found: Found) -> dict[str, Any]:
    witness = None if found.witness is None else witness_json(found.witness)
    return {**enclosure_json(found.value, "value"), "witness": witness}


def draw_tradeoff(found: Tradeoff, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of the curve; returns both paths."""
    points = found.curve()
    return write_both(path, _TRADEOFF, map(_rates, points), lambda: _tradeoff(found, points))


def _rates(point: Tested) -> list[float]:
    found = [point.false_alarms]
    for value in (point.true_positives, point.misses):
        found += [near_to_digits(value.middle, _DIGITS), down_to_digits(value.lower, _DIGITS)]
        found.append(up_to_digits(value.upper, _DIGITS))
    return found


def _tradeoff(found: Tradeoff, points: Sequence[Tested]) -> Any:
    """All rates on the left, the low ones on the right, where an attack is worth most (Carlini et al. 2022)."""
    figure, (whole, low) = new_axes(2, 9.6, 5.0)
    rates = [point.false_alarms for point in points]
    lower, upper = zip(*((each.true_positives.lower, each.true_positives.upper) for each in points), strict=True)
    worst, witness = found.true_positives(_SHOWN).value.upper, found.advantage.witness
    whose = ""
    if witness is not None and witness.secret is not None:
        person = f"person {witness.person}, " if witness.person else ""
        whose = f": {person}{witness.secret} against {witness.against}"
    for axes in (whole, low):
        axes.fill_between(rates, lower, upper, color="0.75", linewidth=0)
        axes.plot([*rates, 1.0], [*upper, 1.0], color=COLOURS[1], linewidth=1.8, label=f"best attacker{whose}")
        label = f"worst of all at {100 * _SHOWN:g} % false alarms"
        axes.plot([_SHOWN], [worst], color=COLOURS[0], marker="o", linestyle="none", clip_on=False, label=label)
        axes.plot([1e-9, 1.0], [1e-9, 1.0], color="black", linestyle="--", linewidth=1.0, label="nothing leaks")
        axes.set(xlabel="false alarms: share wrongly flagged", ylabel="true positives: share found", box_aspect=1)
    whole.set(xlim=(0, 1), ylim=(0, 1))
    whole.legend(frameon=False, fontsize=9, loc="lower right")
    low.set(xscale="log", yscale="log", xlim=(rates[0], 1), ylim=(rates[0], 1))
    figure.supxlabel(fill(found.in_words(_SHOWN), 110), fontsize=10)
    return figure
