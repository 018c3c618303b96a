"""How likely outputs are that leak much: quantiles in words, a table and a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, log10
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure, largest, near_to_digits
from dalenius.channel import SubjectTail, largest_tail
from dalenius.errors import InputError, TooLarge
from dalenius.pages.exposed import Exposed
from dalenius.pages.judged import Judged
from dalenius.pages.numbers import folds, left_out, nats, rare, up
from dalenius.pages.section import Picture, Section, Table
from dalenius.pages.svg import Drawing, ticks
from dalenius.spec.results import QUANTILES

TITLE: Final = "How likely an output is that leaks much"
LEAST: Final = 1e-9
"""The probability at which the picture ends."""
POINTS: Final = 240
NAMES: Final = {
    "median": "half of all outputs",
    "q99": "99 in 100 outputs",
    "q999999": "all outputs but one in a million",
}


@final
@dataclass(frozen=True)
class Shown:
    """quantiles: by their JSON names; most: of all outputs, under any law. In nats."""

    tail: SubjectTail
    quantiles: dict[str, Enclosure]
    most: Enclosure


def tail(judged: Judged, classes: Sequence[Exposed]) -> Section:
    try:
        found = read(judged, classes)
    except (InputError, TooLarge) as error:
        return Section("tail", TITLE, (left_out(error),))
    if found is None:
        return Section("tail", TITLE, ("No output leaks anything.",))
    promised = _promised(judged)
    witness = found.tail.witness
    whose = f"person {witness.person}, {witness.who}" if witness.person else witness.who
    said = [f"{name} raise no chance of theirs {_grown(found.quantiles[key])}" for key, name in NAMES.items()]
    unbounded = found.most.upper == inf
    worst = "by how much some raise one has no bound" if unbounded else f"none at all raises one {_grown(found.most)}"
    plain = [
        "A promise holds for the worst output, which may hardly ever occur. Rare outputs say most about one person "
        f"({whose}), but of what may be published {'; '.join(said)}; {worst}.",
    ]
    each = {name: found.quantiles[key] for key, name in NAMES.items()} | {"all outputs": found.most}
    rows = [(name, _at_most(value), nats(value)) for name, value in each.items()]
    if promised is not None:
        beyond = found.tail.law.chance(promised)
        factor = folds(Enclosure(promised, promised))
        often = "0" if beyond.upper == 0 else f"at most {rare(beyond)}"
        plain.append(f"The probability of one that raises a chance more than the promised {factor}-fold is {often}.")
    table = Table(
        "How much outputs raise the chances of this person's values", ("", "a chance grows", "nats"), tuple(rows)
    )
    picture = _picture(found, promised)
    return Section("tail", TITLE, tuple(plain), pictures=() if picture is None else (picture,), tables=(table,))


def read(judged: Judged, classes: Sequence[Exposed]) -> Shown | None:
    """Of the person whom a rare output leaks most about. Meaningless where tails are not known."""
    most = largest_tail(channel.tail() for channel in judged.release.all_channels())
    if most is None:
        return None
    quantiles = {name: most.law.quantile(delta) for name, delta in QUANTILES.items()}
    own = [each.raised for each in classes if each.person == most.witness.person]
    own = own or [channel.movement().raised.value for channel in judged.release.all_channels()]
    return Shown(most, quantiles, reduce(largest, own))


def _promised(judged: Judged) -> float | None:
    """The least nats by which a promise bounds how far a chance grows."""
    found = [
        notion.epsilon
        for notion in judged.promises
        if notion.phrases and notion.of_the_model and notion.epsilon is not None and not notion.any_knowledge
    ]
    return min(found, default=None)


def _grown(value: Enclosure) -> str:
    return folds(value) if value.upper == inf else f"more than {folds(value)}-fold"


def _at_most(value: Enclosure) -> str:
    return folds(value) if value.upper == inf else f"at most {folds(value)}-fold"


def _picture(found: Shown, promised: float | None) -> Picture | None:
    law = found.tail.law
    end = max(law.quantile(LEAST).upper, promised or 0.0)
    if not 0 < end < inf:
        return None
    end = near_to_digits(1.05 * end, 3)
    levels = np.linspace(0.0, end, POINTS + 1).tolist()
    logs = [log10(max(each.upper, LEAST / 10)) for each in law.curve(levels)]
    lowest = log10(LEAST)
    title = "Probability that an output leaks more"
    quantiles = ", ".join(f"{name}: {up(value.upper)} nats" for name, value in found.quantiles.items())
    drawing = Drawing("tail", title, quantiles, (0.0, end), (lowest, 0.0))
    marks = [(x, f"{near_to_digits(x, 4):g}") for x in ticks(0.0, end)]
    drawing.axes(marks, [(y, _power(y)) for y in (0, -3, -6, -9)], "leakage (nats)", title)
    if promised is not None:
        drawing.upright(promised, "prior")
    drawing.line(_steps(levels, logs), "after")
    line = " Dashed line: the promise." if promised is not None else ""
    return Picture(drawing.svg(), f"Thick line: how likely an output is that leaks more than so many nats.{line}")


def _steps(levels: list[float], logs: list[float]) -> list[tuple[float, float]]:
    """Right-continuous: the bound at a level serves up to the next."""
    found = []
    for start, end, height in zip(levels, levels[1:], logs, strict=False):
        found += [(start, height), (end, height)]
    return found


def _power(exponent: int) -> str:
    return "1" if exponent == 0 else f"{10.0**exponent:g}".replace("e-0", "e-")
