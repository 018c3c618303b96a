"""What outputs say of the most exposed person, and how likely those are that say much.

Of two people who are ill together with probability 0.1, or neither is, the count with Laplace noise of scale 1 moves
the chance that the second is ill from 0.1 to 0.015 at an output of 0, and to 0.451 at one of 2.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, exp, floor, inf, isfinite
from typing import Final, final

from dalenius.bounds import Enclosure, largest
from dalenius.calibration import expected
from dalenius.channel import SubjectTail, largest_tail
from dalenius.channel.channel import ChannelAtOutput
from dalenius.channel.finite_channel import FiniteChannel
from dalenius.drawing import BLACK, BLUE, new_axes
from dalenius.errors import InputError, TooLarge
from dalenius.notions import Notion
from dalenius.notions.wording import is_of_odds, raised_belief, raised_by_odds
from dalenius.reports.leakages import draw_tail, tail_curve
from dalenius.reports.page_parts import (
    PageTable,
    Picture,
    Section,
    chance_down,
    chance_near,
    chance_up,
    enclosed_folds,
    grown,
    left_out,
    near,
    picture_of,
    rare,
    upper_nats,
)
from dalenius.reports.people import Exposed, Judged
from dalenius.spec.results import QUANTILES

# Of exact answers, and of noise, how much is within the ends of a picture: outputs beyond have 0.2 % at most.
_SHARE: Final = 0.999
_POINTS: Final = 160
_TITLE: Final = "What an output may say of the most exposed person"
# Of the outputs that are drawn, those in the table.
_LISTED: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


@final
@dataclass(frozen=True)
class Revealed:
    """One value of the most exposed person's record. prior: its probability; outputs, posteriors: over the outputs that
    occur, in the query's unit; likely: how likely each is, the likeliest 1; band: what the promises allow, if they
    say; separate: whether outputs are apart."""

    value: str
    prior: float
    outputs: tuple[float, ...]
    posteriors: tuple[Enclosure, ...]
    likely: tuple[float, ...]
    band: tuple[float, float] | None
    separate: bool


def revealed_section(judged: Judged, found: Sequence[Exposed]) -> Section:
    """The section of the page; why it is left out where there is nothing to draw."""
    # Heights, or a register of who is absent: there are no classes of people with a list of values.
    if not judged.release.worlds.finite:
        why = "Left out: records are real numbers, or the secret is who is absent."
        return Section("revealed", _TITLE, (why,))
    if not found or found[0].value is None:
        return Section("revealed", _TITLE, ("Nothing: no record moves the answers.",))
    try:
        return _section(judged, read(judged, found[0]), found[0])
    except (InputError, TooLarge) as error:
        return Section("revealed", _TITLE, (left_out(error),))


def read(judged: Judged, worst: Exposed) -> Revealed:
    """What each output drawn says of that person's value: its probability before and after, and how likely the output
    is.

    The value is the one whose chance some output raises most. InputError where outputs are no single number, or nothing
    is known of how likely they are.
    """
    channel = worst.channel(judged.release)
    shape = channel.mechanism.shape
    separate = shape.needs_lattice or shape.adds_nothing  # outputs lie on the answers' lattice
    known = [(value, seen) for value in _outputs(judged, channel, separate) if (seen := _seen(judged, channel, value))]
    if not known:
        raise InputError("outputs", "none", "outputs whose probability is known")
    place = channel.secrets.index(worst.value) if worst.value is not None else 0
    logs = [seen.likelihood.middle for _, seen in known]
    prior = exp(min(float(channel.log_prior[place]), 0.0))
    return Revealed(
        str(worst.value),
        prior,
        tuple(float(value) for value, _ in known),
        tuple(seen.updates[0].values[place].posterior for _, seen in known),
        tuple(exp(each - max(logs)) for each in logs),
        allowed(judged.promises, prior) if judged.spec.secrets.pairs is None else None,
        separate,
    )


def _outputs(judged: Judged, channel: FiniteChannel, separate: bool) -> list[Fraction]:
    """Evenly from where hardly any output is below to where hardly any is above, both rounded outwards to the answers'
    lattice: all its points between them, or POINTS of them where they are many. Of noise that is not added to the
    answer, those where an answer can be.

    An answer of 10 to 20, in all but 0.1 % of cases, with noise of ±7, in all but as many, is drawn from 3 to 27.
    """
    if len(channel.axes) != 1 or any(isinstance(each, str) for each in channel.output(0)):
        raise InputError("outputs", "several, or words", "a single number that this person's record moves")
    step, start = channel.lattice.steps[0], channel.likelihood.start[0]
    low, high = start, start + channel.likelihood.box[0] - 1
    name = judged.release.names[channel.axes[0]]
    # Noise that is added goes beyond where answers can be; of a kernel or a word the channel's box has all outputs.
    if channel.mechanism.shape.additive:
        answer = next((each for each in expected(judged.release, _SHARE) if each.name == name), None)
        if answer is None or answer.interval is None:
            raise InputError("outputs", "no intervals", "a noise that says how likely its outputs are")
        far = Fraction(answer.interval.upper) - answer.middle
        low, high = floor((answer.low - far) / step), ceil((answer.high + far) / step)
    span = high - low
    if separate or span >= _POINTS:
        count = min(span, _POINTS)
        places: Iterable[Fraction] = (Fraction(low + span * k // count) for k in range(count + 1))
    else:
        fine = _POINTS // max(span, 1) + 1  # so that the lattice, where suprema are, is among them
        places = (low + Fraction(k, fine) for k in range(span * fine + 1))
    return [place * step for place in places] if span else [low * step]


def _seen(judged: Judged, channel: FiniteChannel, value: Fraction) -> ChannelAtOutput | None:
    """What the channel says at that output, in the query's unit; None for an output that cannot occur."""
    try:
        return channel.at([value] * len(judged.release.names))
    except InputError as error:
        if error.key != "answers":
            raise
        return None  # a count of -1 where noise is clamped at 0


def allowed(promises: Iterable[Notion], prior: float) -> tuple[float, float] | None:
    """Between what the promises that speak of this adversary keep the posterior; None where none does. Where no chance
    grows more than e^ε-fold, that of all other values together does not either.

    Of a prior of 0.1 and an inferential promise of ln 3 nats, which bounds how the odds change, the posterior stays
    between 0.036 and 0.25.
    """
    low, high, said = 0.0, 1.0, False
    for notion in promises:
        epsilon = notion.epsilon
        # Except with some probability nothing is kept for sure; and what is promised of whoever knows more is no band.
        if epsilon is None or not isfinite(epsilon) or notion.promised_delta or not notion.properties.of_the_model:
            continue
        if (of_odds := is_of_odds(notion)) is None or not 0 < prior < 1:
            continue
        most = raised_by_odds if of_odds else raised_belief
        low = max(low, float(1 - most(1 - prior, epsilon)))
        high, said = min(high, float(most(prior, epsilon))), True
    return (low, high) if said else None


def _section(judged: Judged, shown: Revealed, worst: Exposed) -> Section:
    """The value whose chance some output raises most, before and after: in words, a picture and a table.

    Chances are in percent, those after rounded so that more is said to leak; the table has at most five of the
    outputs drawn.
    """
    low = min(each.lower for each in shown.posteriors)
    high = max(each.upper for each in shown.posteriors)
    before = chance_near(shown.prior)
    laws = len(judged.release.worlds.finite)
    law = f" under law {worst.law + 1} of the model's {laws}, where they are exposed most" if laws > 1 else ""
    whose = f"{_named(worst.subject.person, worst.subject.who)}{f', {worst.label}' if worst.label else ''}"
    ends = f"from {near(shown.outputs[0])} to {near(shown.outputs[-1])}"
    additive = judged.release.noise.shape.additive
    beyond = "Outputs beyond these have a probability of at most 0.2 %." if additive else "Others are not drawn."
    plain = [
        f"The most exposed is {whose}. Before the release, the chance that "
        f"{judged.clause(shown.value, 'their record')} is {before}{law}. After it, at the {len(shown.outputs)} outputs "
        f"drawn below, {ends}, that chance is between {chance_down(low)} and {chance_up(high)}. {beyond}"
    ]
    if shown.band is not None:
        plain.append(f"The promises keep it between {chance_down(shown.band[0])} and {chance_up(shown.band[1])}.")
    listed = sorted({round(share * (len(shown.outputs) - 1)) for share in _LISTED})
    rows = tuple((near(shown.outputs[i]), before, chance_up(shown.posteriors[i].upper)) for i in listed)
    caption = f"The chance that {judged.clause(shown.value, 'this record')}, of that person"
    table = PageTable(caption, ("output", "before", "after"), rows)
    return Section("revealed", _TITLE, tuple(plain), pictures=(_picture(shown, caption),), tables=(table,))


def _named(person: int, who: str) -> str:
    """Person 0 is anybody: of people who are all alike."""
    return f"person {person}: {who}" if person else who


def _picture(shown: Revealed, caption: str) -> Picture:
    """The chance after the release by output, with the one before and, in grey, how likely outputs are.

    No word of the spec is in the picture itself: a font may not have its characters.
    """
    figure, (axes,) = new_axes(width=6.4)
    after = [each.upper for each in shown.posteriors]
    top = min(1.0, 1.1 * max([shown.prior, *after, *(shown.band or ())]))
    heights = [0.55 * top * each for each in shown.likely]  # of the picture's height, what the likeliest output takes
    # A count has an output at each whole number: dots; noise of the reals a line.
    dots = shown.separate and len(shown.outputs) <= 40
    if shown.band is not None:
        axes.axhspan(*shown.band, color="#cfe3f3", zorder=0)
    if dots:
        axes.bar(shown.outputs, heights, color="0.75", width=0.5)
    else:
        axes.fill_between(shown.outputs, 0, heights, color="0.75", linewidth=0)
    axes.axhline(shown.prior, color=BLACK, linestyle="--", linewidth=1.2)
    axes.plot(shown.outputs, after, color=BLUE, linewidth=2.0, marker="o" if dots else "", markersize=4)
    axes.set(xlabel="output", ylabel="chance", ylim=(0, top or 1.0))
    first, last = (f"{chance_up(after[at])} at output {near(shown.outputs[at])}" for at in (0, -1))
    said = f"{caption}. Before: {chance_near(shown.prior)}. After: from {first} to {last}."
    band = " Shaded band: what the promises allow." if shown.band is not None else ""
    lines = f"Thick line: the chance after the release. Dashed line: before it.{band} Grey: how likely outputs are."
    return picture_of(figure, said, lines)


_TAIL_TITLE: Final = "How likely an output is that leaks much"
_NAMES: Final = {
    "median": "half of all outputs",
    "q99": "99 in 100 outputs",
    "q999999": "all outputs but one in a million",
}


@final
@dataclass(frozen=True)
class Shown:
    """How much rare outputs leak, of the person about whom they leak most.

    tail: the whole law of what leaks; quantiles: by their JSON names; most: of all outputs, under any law. In nats.
    """

    tail: SubjectTail
    quantiles: dict[str, Enclosure]
    most: Enclosure


def tail_section(judged: Judged, classes: Sequence[Exposed]) -> Section:
    """The section of the page; why it is left out where tails are not known."""
    try:
        found = _read_tail(judged, classes)
    except (InputError, TooLarge) as error:
        return Section("tail", _TAIL_TITLE, (left_out(error),))
    # A constant query: all outputs say the same of everybody.
    if found is None:
        return Section("tail", _TAIL_TITLE, ("No output leaks anything.",))
    promised = _promised(judged)
    whose = _named(found.tail.witness.person, found.tail.witness.who)
    said = [f"{name} raise no chance of theirs {_more(found.quantiles[key])}" for key, name in _NAMES.items()]
    unbounded = found.most.upper == inf
    worst = "by how much some raise one has no bound" if unbounded else f"none at all raises one {_more(found.most)}"
    plain = [
        "A promise holds for the worst output, which may hardly ever occur. Rare outputs say most about one person "
        f"({whose}), but of what may be published {'; '.join(said)}; {worst}."
    ]
    # Only a promise about how far a chance grows can be set beside how far chances grow.
    if promised is not None:
        beyond = found.tail.law.chance(promised)
        often = "0" if beyond.upper == 0 else f"at most {rare(beyond)}"
        factor = enclosed_folds(Enclosure(promised, promised))
        plain.append(f"The probability of one that raises a chance more than the promised {factor}-fold is {often}.")
    each = {name: found.quantiles[key] for key, name in _NAMES.items()} | {"all outputs": found.most}
    rows = tuple((name, grown(value), upper_nats(value)) for name, value in each.items())
    table = PageTable(
        "How much outputs raise the chances of this person's values", ("", "a chance grows", "nats"), rows
    )
    figure = draw_tail(tail_curve(found.tail), promised)
    figure.axes[0].set_title("")  # no word of the spec is in a picture of the page
    caption = "How likely an output is that leaks more than so many nats."
    return Section(
        "tail", _TAIL_TITLE, tuple(plain), pictures=(picture_of(figure, plain[0], caption),), tables=(table,)
    )


def _read_tail(judged: Judged, classes: Sequence[Exposed]) -> Shown | None:
    """Of the person whom a rare output leaks most about. Meaningless where tails are not known."""
    most = largest_tail(channel.tail() for channel in judged.release.all_channels())
    if most is None:
        return None
    quantiles = {name: most.law.quantile(delta) for name, delta in QUANTILES.items()}
    # The same person's worst output where it is known; else that of everybody.
    own = [each.raised for each in classes if each.person == most.witness.person]
    own = own or [channel.movement().raised.value for channel in judged.release.all_channels()]
    return Shown(most, quantiles, reduce(largest, own))


def _promised(judged: Judged) -> float | None:
    """The least nats by which a promise bounds how far a chance grows."""
    found = [
        notion.epsilon
        for notion in judged.promises
        if is_of_odds(notion) is not None and notion.epsilon is not None and _is_of_model(notion)
    ]
    return min(found, default=None)


def _more(value: Enclosure) -> str:
    """How many times some output may raise a chance, for a sentence about outputs that do not."""
    return enclosed_folds(value) if value.upper == inf else f"more than {enclosed_folds(value)}-fold"


def _is_of_model(notion: Notion) -> bool:
    return notion.properties.of_the_model and not notion.properties.any_knowledge
