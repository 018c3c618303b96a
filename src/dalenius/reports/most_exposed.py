"""What outputs say of the most exposed person, and how likely those are that say much."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import exp, inf, isfinite, log10
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure, largest, near_to_digits
from dalenius.channel import SubjectTail, largest_tail
from dalenius.channel.channel import Seen
from dalenius.channel.finite_channel import FiniteChannel
from dalenius.errors import InputError, TooLarge
from dalenius.notions import Notion
from dalenius.notions.wording import raised, raised_by_odds
from dalenius.reports.page_parts import (
    Drawing,
    Picture,
    Section,
    Table,
    chance_down,
    chance_near,
    chance_up,
    folds,
    left_out,
    nats,
    near,
    rare,
    ticks,
    up,
)
from dalenius.reports.people import Exposed, Judged
from dalenius.spec.results import QUANTILES

SELDOM: Final = 0.001
"""The probability beyond either end."""
POINTS: Final = 160
FARTHEST: Final = 2**60


@final
@dataclass(frozen=True)
class Output:
    """value: in the query's unit; seen: what it says."""

    value: Fraction
    seen: Seen


@final
class Outputs:
    """Of a channel of one answer, a number. InputError (outputs) where there is none, or nothing is known of how likely
    its outputs are."""

    def __init__(self, channel: FiniteChannel, answers: int) -> None:
        if len(channel.axes) != 1:
            raise InputError(
                "outputs", f"{len(channel.axes)} numbers", "a single answer that this person's record moves"
            )
        if any(isinstance(each, str) for each in channel.output(0)):
            raise InputError("outputs", "words", "numbers, which have an order")
        self._channel, self._answers = channel, answers
        self._step = channel.lattice.steps[0]
        noise = channel.noise
        self.separate = noise.needs_lattice or noise.adds_nothing
        """Whether outputs lie on the answers' lattice."""

    def occurring(self) -> list[Output]:
        """Evenly from the SELDOM quantile to that of 1 - SELDOM, both rounded outwards to the answers' lattice: all its
        points between them, or if they are many, POINTS of them."""
        low, high = self._quantile(SELDOM, -1), self._quantile(SELDOM, 1)
        span = high - low
        if self.separate or span >= POINTS:
            places = sorted(
                {low + span * k // min(span, POINTS) for k in range(min(span, POINTS) + 1)} if span else {low}
            )
            values = [place * self._step for place in places]
        else:
            parts = span * (POINTS // max(span, 1) + 1)  # so that the lattice, where suprema are, is among them
            values = [(low + Fraction(span * k, max(parts, 1))) * self._step for k in range(parts + 1)]
        found = [Output(value, seen) for value in values if (seen := self._seen(value)) is not None]
        if not found:
            raise InputError("outputs", "none", "outputs whose probability is known")
        return found

    def _quantile(self, chance: float, side: int) -> int:
        """The lattice index beyond which, on that side, an output lies with at most that probability; the last output
        where there is none beyond."""
        channel = self._channel
        start, box = channel.likelihood.start[0], channel.likelihood.box[0]
        inner, outer = (start + box - 1, start) if side < 0 else (start, start + box - 1)
        reach = 1
        while reach < FARTHEST and (beyond := self._beyond(outer, side)) is not None and beyond > chance:
            inner, outer, reach = outer, outer + side * reach, 2 * reach
        while abs(outer - inner) > 1:
            middle = (outer + inner) // 2
            beyond = self._beyond(middle, side)
            # No output at all lies farther out than the last one that is possible.
            inner, outer = (middle, outer) if beyond is not None and beyond > chance else (inner, middle)
        found = (place for place in (outer, *self._inwards(inner, side)) if self._seen(place * self._step) is not None)
        return next(found, inner)

    def _beyond(self, index: int, side: int) -> float | None:
        """The probability of outputs as far out as this one, or farther; of the next one inwards that can occur."""
        for place in self._inwards(index, side):
            seen = self._seen(place * self._step)
            if seen is not None:
                sides = seen.sides()[0]
                if sides is None:
                    raise InputError("outputs", "no tails", "a noise that says how likely its outputs are")
                return (sides.at_most if side < 0 else sides.at_least).upper
        return None

    def _inwards(self, index: int, side: int) -> range:
        # How many lattice points in a row may be no outputs.
        return range(index, index - side * (256 + 1), -side)

    def _seen(self, value: Fraction) -> Seen | None:
        """None for an output that cannot occur."""
        try:
            return self._channel.at([value] * self._answers)
        except InputError as error:
            if error.key != "answers":
                raise
            return None


TITLE: Final = "What an output may say of the most exposed person"
LISTED: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


@final
@dataclass(frozen=True)
class Revealed:
    """One value of the most exposed person's record. prior: its probability; outputs, posteriors: over the outputs that
    occur; likely: how likely each is, the likeliest 1; band: what the promises allow, if they say; answer: its name;
    separate: whether outputs are apart; clause: that the record is this value."""

    value: str
    prior: float
    outputs: tuple[float, ...]
    posteriors: tuple[Enclosure, ...]
    likely: tuple[float, ...]
    band: tuple[float, float] | None
    answer: str
    separate: bool
    clause: str


def revealed(judged: Judged, found: Sequence[Exposed]) -> Section:
    if not judged.release.finite_worlds:
        why = "Left out: records are real numbers, or the secret is who is absent."
        return Section("revealed", TITLE, (why,))
    if not found or found[0].value is None:
        return Section("revealed", TITLE, ("Nothing: no record moves the answers.",))
    try:
        return _section(judged, read(judged, found[0]), found[0])
    except (InputError, TooLarge) as error:
        return Section("revealed", TITLE, (left_out(error),))


def read(judged: Judged, worst: Exposed) -> Revealed:
    """InputError where outputs are no single number, or nothing is known of how likely they are."""
    channel = worst.channel(judged.release)
    outputs = Outputs(channel, len(judged.release.names))
    seen = outputs.occurring()
    place = channel.secrets.index(worst.value) if worst.value is not None else 0
    after = tuple(each.seen.updates[0].values[place].posterior for each in seen)
    logs = [each.seen.likelihood.middle for each in seen]
    likely = tuple(exp(each - max(logs)) for each in logs)
    prior = exp(min(float(channel.log_prior[place]), 0.0))
    band = allowed(judged.promises, prior) if judged.spec.secrets.pairs is None else None
    values = tuple(float(each.value) for each in seen)
    name = judged.release.names[channel.axes[0]]
    return Revealed(
        str(worst.value),
        prior,
        values,
        after,
        likely,
        band,
        name,
        outputs.separate,
        judged.clause(worst.value, "the record"),
    )


def allowed(promises: Iterable[Notion], prior: float) -> tuple[float, float] | None:
    """Between what the promises that speak of this adversary keep the posterior; None where none does. Where no chance
    grows more than e^ε-fold, that of all other values together does not either."""
    low, high, said = 0.0, 1.0, False
    for notion in promises:
        epsilon = notion.epsilon
        if epsilon is None or not isfinite(epsilon) or notion.promised_delta or not notion.of_the_model:
            continue
        if not notion.phrases or not 0 < prior < 1:
            continue
        grown = raised_by_odds if "odds" in notion.phrases else raised
        low = max(low, float(1 - grown(1 - prior, epsilon)))
        high, said = min(high, float(grown(prior, epsilon))), True
    return (low, high) if said else None


def _section(judged: Judged, shown: Revealed, worst: Exposed) -> Section:
    low = min(each.lower for each in shown.posteriors)
    high = max(each.upper for each in shown.posteriors)
    ends = f"{near(shown.outputs[0])} to {near(shown.outputs[-1])}"
    before = chance_near(shown.prior)
    theirs = judged.clause(shown.value, "their record")
    plain = [
        f"The most exposed is {_whose(worst)}. Before the release, the chance that {theirs} is {before}"
        f"{_law(judged, worst)}. After it, at the {len(shown.outputs)} outputs drawn below, from {ends}, "
        f"that chance is between {chance_down(low)} and "
        f"{chance_up(high)}. Lower outputs have a probability of at most 0.1 %, and so have higher ones.",
    ]
    if shown.band is not None:
        plain.append(f"The promises keep it between {chance_down(shown.band[0])} and {chance_up(shown.band[1])}.")
    listed = sorted({round(share * (len(shown.outputs) - 1)) for share in LISTED})
    rows = tuple((near(shown.outputs[i]), before, chance_up(shown.posteriors[i].upper)) for i in listed)
    columns = ("output", "before", "after")
    caption = f"The chance that {judged.clause(shown.value, 'this record')}, of that person"
    table = Table(caption, columns, rows)
    return Section("revealed", TITLE, tuple(plain), pictures=(_picture(shown),), tables=(table,))


def _law(judged: Judged, worst: Exposed) -> str:
    laws = len(judged.release.finite_worlds)
    return "" if laws == 1 else f" under law {worst.law + 1} of the model's {laws}, where they are exposed most"


def _whose(worst: Exposed) -> str:
    subject = worst.subject
    label = f", {worst.label}" if worst.label else ""
    number = f"person {subject.person}: " if subject.person else ""
    return f"{number}{subject.who}{label}"


def _picture(shown: Revealed) -> Picture:
    highest = max([shown.prior, *(each.upper for each in shown.posteriors), *(shown.band or ())])
    top = min(1.0, 1.1 * highest)
    ends = (shown.outputs[0], shown.outputs[-1])
    title = f"Chance that {shown.clause}, by output"
    said = f"Before: {chance_near(shown.prior)}. After: from {chance_up(shown.posteriors[0].upper)} at output "
    said += f"{near(ends[0])} to {chance_up(shown.posteriors[-1].upper)} at {near(ends[1])}."
    drawing = Drawing("revealed", title, said, ends, (0.0, top))
    if shown.band is not None:
        drawing.band(*shown.band, "band")
    # Outputs that are drawn as dots.
    separate = shown.separate and len(shown.outputs) <= 40
    shade = drawing.bars if separate else drawing.area
    # Of the picture's height, what the likeliest output takes.
    shade([(x, 0.55 * top * y) for x, y in zip(shown.outputs, shown.likely, strict=True)], "likely")
    marks = [(value, f"{near(value)}") for value in ticks(*ends)]
    drawing.axes(
        marks,
        [(y, f"{near(100 * y, 4)} %") for y in ticks(0.0, top)],
        f"output ({shown.answer})" if shown.answer else "output",
        title,
    )
    drawing.level(shown.prior, "prior")
    after = [(x, each.upper) for x, each in zip(shown.outputs, shown.posteriors, strict=True)]
    drawing.line(after, "after")
    if separate:
        drawing.dots(after, "dot")
    band = " Shaded band: what the promises allow." if shown.band is not None else ""
    caption = f"Thick line: the chance after the release. Dashed line: before it.{band} Grey: how likely outputs are."
    return Picture(drawing.svg(), caption)


TAIL_TITLE: Final = "How likely an output is that leaks much"
LEAST: Final = 1e-9
"""The probability at which the picture ends."""
TAIL_POINTS: Final = 240
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
        found = read_tail(judged, classes)
    except (InputError, TooLarge) as error:
        return Section("tail", TAIL_TITLE, (left_out(error),))
    if found is None:
        return Section("tail", TAIL_TITLE, ("No output leaks anything.",))
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
    picture = _tail_picture(found, promised)
    return Section("tail", TAIL_TITLE, tuple(plain), pictures=() if picture is None else (picture,), tables=(table,))


def read_tail(judged: Judged, classes: Sequence[Exposed]) -> Shown | None:
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


def _tail_picture(found: Shown, promised: float | None) -> Picture | None:
    law = found.tail.law
    end = max(law.quantile(LEAST).upper, promised or 0.0)
    if not 0 < end < inf:
        return None
    end = near_to_digits(1.05 * end, 3)
    levels = np.linspace(0.0, end, TAIL_POINTS + 1).tolist()
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
