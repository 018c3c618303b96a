"""Prior and posterior of the most exposed person, over the outputs that really occur."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, isfinite
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.errors import InputError, TooLarge
from dalenius.notions import Notion
from dalenius.notions.phrases.wording import raised, raised_by_odds
from dalenius.pages.exposed import Exposed
from dalenius.pages.judged import Judged
from dalenius.pages.numbers import chance_down, chance_near, chance_up, left_out, near
from dalenius.pages.outputs import Outputs
from dalenius.pages.section import Picture, Section, Table
from dalenius.pages.svg import Drawing, ticks

TITLE: Final = "What an output may say of the most exposed person"
FEW: Final = 40
"""Outputs that are drawn as dots."""
LISTED: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
SHADE: Final = 0.55
"""Of the picture's height, what the likeliest output takes."""


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
    apart = shown.separate and len(shown.outputs) <= FEW
    shade = drawing.bars if apart else drawing.area
    shade([(x, SHADE * top * y) for x, y in zip(shown.outputs, shown.likely, strict=True)], "likely")
    marks = [(value, f"{near(value)}") for value in ticks(*ends)]
    drawing.axes(marks, [(y, f"{near(100 * y, 4)} %") for y in ticks(0.0, top)], _x_name(shown), title)
    drawing.level(shown.prior, "prior")
    after = [(x, each.upper) for x, each in zip(shown.outputs, shown.posteriors, strict=True)]
    drawing.line(after, "after")
    if apart:
        drawing.dots(after, "dot")
    band = " Shaded band: what the promises allow." if shown.band is not None else ""
    caption = f"Thick line: the chance after the release. Dashed line: before it.{band} Grey: how likely outputs are."
    return Picture(drawing.svg(), caption)


def _x_name(shown: Revealed) -> str:
    return f"output ({shown.answer})" if shown.answer else "output"
