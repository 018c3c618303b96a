"""The false alarms and true positives of the best test, printed and drawn by `audit --tradeoff`."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from dalenius.attack.tradeoff import RATE, Tradeoff, tradeoff
from dalenius.attack.tradeoff_curve import Tested
from dalenius.bounds import down_to_digits, either, near_to_digits, up_to_digits
from dalenius.channel import Found, Release
from dalenius.cli.output import Further, say
from dalenius.plotting import COLOURS, new_axes, write_both
from dalenius.spec.results_as_json import PRINTED_DIGITS, enclosure_json, witness_json
from dalenius.spec.results_in_words import whose

_COLUMNS_OF_CURVE: Final = ("false_alarms", "true_positives", "true_positives_lower", "true_positives_upper")


def tests_of(release: Release, path: Path) -> Further:
    """Finds what attackers of a `release` detect at a rate of false alarms, with their picture at `path`."""
    found = tradeoff(release)
    draw_tradeoff(found, path)
    return Further(_tradeoff_json(found), lambda: _say_tests(found))


def _say_tests(found: Tradeoff) -> None:
    """Prints advantage and true positives, each with whom they are about, and a sentence."""
    value, witness = found.advantage
    pair = "" if witness is None or witness.secret is None else f": {witness.secret} against {witness.against}"
    say(f"advantage of the best attacker: {either(value, least=1e-6)}, about {whose(witness)}{pair}")
    share = either(found.true_positives(RATE).value, least=1e-6)
    say(f"true positives at {100 * RATE:g} % false alarms: {share}. {found.in_words(RATE)}")


def _tradeoff_json(found: Tradeoff) -> dict[str, Any]:
    """Returns the advantage, and the true positives at the rate of false alarms of an audit, as probabilities."""
    share = {"rate": RATE, **_found_json(found.true_positives(RATE))}
    return {"advantage": _found_json(found.advantage), "true_positives": [share]}


def _found_json(found: Found) -> dict[str, Any]:
    """Returns a probability with whom it is about; null where nothing leaks."""
    witness = None if found.witness is None else witness_json(found.witness)
    return {**enclosure_json(found.value, "value"), "witness": witness}


def draw_tradeoff(found: Tradeoff, path: Path) -> tuple[Path, Path]:
    """Writes the picture (its format from the suffix) and, next to it, a CSV of the curve; returns both paths.

    Args:
        found: The tradeoff between false alarms and true positives.
        path: Where the picture goes; the CSV has the suffix .csv.
    """
    points = found.curve()
    return write_both(path, _COLUMNS_OF_CURVE, map(_rates, points), lambda: _tradeoff(found, points))


def _rates(point: Tested) -> list[float]:
    """Returns a line of the CSV: the share with both its ends, rounded outwards."""
    value = point.true_positives
    ends = down_to_digits(value.lower, PRINTED_DIGITS), up_to_digits(value.upper, PRINTED_DIGITS)
    return [point.false_alarms, near_to_digits(value.middle, PRINTED_DIGITS), *ends]


def _tradeoff(found: Tradeoff, points: Sequence[Tested]) -> Any:
    """Draws all rates on the left, the low ones on the right, where an attack is worth most (Carlini et al. 2022)."""
    figure, (every, low) = new_axes(2, 9.6, 5.0)
    rates = [point.false_alarms for point in points]
    lower, upper = zip(*((each.true_positives.lower, each.true_positives.upper) for each in points), strict=True)
    worst, witness = found.true_positives(RATE).value.upper, found.advantage.witness
    named = ""
    # Because no two values of real numbers are named: only how far from each other they are.
    if witness is not None and witness.secret is not None:
        person = f"person {witness.person}, " if witness.person else ""
        named = f": {person}{witness.secret} against {witness.against}"
    for axes in (every, low):
        axes.fill_between(rates, lower, upper, color="0.75", linewidth=0)
        axes.plot([*rates, 1.0], [*upper, 1.0], color=COLOURS[1], linewidth=1.8, label=f"best attacker{named}")
        label = f"worst of all at {100 * RATE:g} % false alarms"
        axes.plot([RATE], [worst], color=COLOURS[0], marker="o", linestyle="none", clip_on=False, label=label)
        axes.plot([1e-9, 1.0], [1e-9, 1.0], color="black", linestyle="--", linewidth=1.0, label="nothing leaks")
        axes.set(xlabel="false alarms: share wrongly flagged", ylabel="true positives: share found", box_aspect=1)
    every.set(xlim=(0, 1), ylim=(0, 1))
    every.legend(frameon=False, fontsize=9, loc="lower right")
    low.set(xscale="log", yscale="log", xlim=(rates[0], 1), ylim=(rates[0], 1))
    figure.supxlabel(fill(found.in_words(RATE), 110), fontsize=10)
    return figure
