"""The command `meaning`: what an ε means for a person alone, and for a member of a household or chain.

Take a count with geometric noise of scale 1, a household of four that is alike with probability 0.9, and a chance of 10
%. `dalenius meaning --epsilon 1` prints that odds move by a factor of 2.72 at most for a person alone, and of 46.8 for
a member.
"""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

from dalenius.cli.options import AsJson, Quiet, number_option, option
from dalenius.cli.output import print_json, print_lines, print_table, say, width, working
from dalenius.errors import InputError
from dalenius.interpretation import Meaning, Moved, meaning as meant
from dalenius.plotting import check_picture, new_axes, write_both
from dalenius.spec.results_as_json import enclosure_json


def meaning(
    epsilon: Annotated[float, number_option("The epsilon that is promised to one person.")],
    delta: Annotated[float, number_option("The delta that is promised with it [default: 0].")] = 0.0,
    household: Annotated[int | None, option("How many members, or days of the chain [default: 4].")] = None,
    alike: Annotated[
        float | None, number_option("The probability that all members have one value [default: 0.9].")
    ] = None,
    infected: Annotated[
        str | None, option("Instead: the probabilities that 0, 1, .. members are ill, with commas.", "<floats>")
    ] = None,
    chain: Annotated[
        float | None, number_option("Instead: a day repeats the day before with this probability.")
    ] = None,
    chance: Annotated[float | None, number_option("The chance that one person is ill [default: 0.1].")] = None,
    plot: Annotated[Path | None, option("Also draw the chances that are left: PNG, SVG or PDF, and a CSV.")] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say what an epsilon means for a person alone, and for a member of a household."""
    start = perf_counter()
    if plot is not None:
        check_picture(plot)
    with working("computing"):
        found = meant(epsilon, delta, household, alike, _numbers(infected), chain, chance)
    if plot is not None:
        _draw(found, plot)
    if json:
        print_json({**_as_json(found), "seconds": perf_counter() - start})
        return
    say(found.words)
    print_lines(f"\n{found.drawn(width())}\n")
    rows = found.shown()
    print_table(found.caption, [name.strip() for name in rows[0]], [list(row.values()) for row in rows])


def _numbers(text: str | None) -> list[float] | None:
    """Reads numbers with commas between; InputError for anything else."""
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError("infected", text, "probabilities with commas between") from None


def _draw(found: Meaning, path: Path) -> None:
    """Writes the picture, and a CSV of its numbers."""

    def figure() -> Any:
        drawn, (axes,) = new_axes(height=2.4)
        found.plot(axes)
        return drawn

    rows = found.records()
    write_both(path, list(rows[0]), [list(row.values()) for row in rows], figure)


def _as_json(found: Meaning) -> dict[str, Any]:
    """Returns the meaning ready for JSON."""
    return {
        "epsilon": found.epsilon,
        "delta": found.delta,
        "noise": found.noise.model_dump(mode="json", exclude_none=True),
        "model": found.group.model.model_dump(mode="json", exclude_none=True),
        "chance": found.group.chance,
        "alone": _moved_json(found.alone),
        "member": _moved_json(found.member),
        "in_words": found.words,
    }


def _moved_json(moved: Sequence[Moved]) -> dict[str, Any]:
    """Returns how far each set of outputs moves the odds (nats), and the chances that are left."""
    return {
        each.outputs: {
            "odds": enclosure_json(each.odds, "epsilon"),
            "lowest": enclosure_json(each.lowest, "chance"),
            "highest": enclosure_json(each.highest, "chance"),
        }
        for each in moved
    }
