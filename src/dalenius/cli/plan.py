"""The command `plan`: for how many months a precision lasts, and how precise so many months can be.

Twenty people live in households of up to four, and a budget of 1 nat is for 36 months, in which values stay with 0.9
from month to month. `dalenius plan policy.toml --within 100` says that a count is within ± 219 in all 36 months, and
within ± 100 in 10.
"""

from collections.abc import Mapping
from dataclasses import asdict
from math import exp, inf, isfinite
from pathlib import Path
from typing import Annotated, Any, Final

from dalenius.calibration import CONFIDENCE
from dalenius.cli.options import AsJson, Confidence, Plugins, PolicyFile, check_within, number_option, option
from dalenius.cli.output import print_json, print_table, say, working
from dalenius.curator import Curator, DataSet, read_policy
from dalenius.curator.plan import Plan, Planned
from dalenius.errors import InputError
from dalenius.plotting import BLUE, VERMILLION, DrawnLine, Look, check_picture, line_figure, write_both
from dalenius.spec.results_as_json import number

_COLUMNS: Final = ("periods", "half_width", "half_width_unknown")


def plan(
    file: PolicyFile,
    data: Annotated[str | None, option("The data set [default: the first with a schedule].", "<name>")] = None,
    measure: Annotated[str | None, option("The measure that is asked about [default: the first].", "<name>")] = None,
    query: Annotated[str | None, option("The kind of query [default: count].", "<kind>")] = None,
    per_label: Annotated[bool, option("Plan an answer for each label, and not one for everybody.")] = False,
    times: Annotated[int | None, option("Say how precise this many periods can be [default: those left].")] = None,
    within: Annotated[float | None, number_option("Also say how many periods can be within this distance.")] = None,
    confidence: Confidence = CONFIDENCE,
    plot: Annotated[
        Path | None, option("Also draw the precision by the number of periods: PNG, SVG or PDF, and a CSV.")
    ] = None,
    json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Say how precise a question can be that is asked every month, and how many months a precision lasts."""
    check_within(within)
    if times is not None and times < 1:
        raise InputError("--times", times, "a whole number of at least 1")
    if plot is not None:
        check_picture(plot)
    read = read_policy(file)
    curator = Curator(read, file.parent)
    try:
        with working("planning"):
            planned = Plan(curator, _data_set(read.data, data), measure, query, confidence, per_label)
            found = _found(planned, times, within)
            widths = planned.half_width
    finally:
        curator.close()
    if plot is not None:
        draw(widths, planned.schedule.every, planned.query, within, plot)
    if json:
        rows = [dict(zip(_COLUMNS, (many, *map(number, each)), strict=True)) for many, each in widths.items()]
        print_json({**found, "rows": rows})
        return
    whose = "each label" if per_label else "everybody together"
    title = f"{planned.data.name}, {planned.query} of {planned.measure.name}, {whose}: ± with {confidence:g}"
    every = planned.schedule.every
    heads = [f"{every}s", "as the policy supposes", "if nothing is supposed"]
    print_table(title, heads, [[str(many), *map(_shown, each)] for many, each in widths.items()])
    for line in found["in_words"]:
        say(line)


def _data_set(known: tuple[DataSet, ...], name: str | None) -> DataSet:
    """Returns the data set of a name; InputError where there is none, or none with a schedule."""
    for each in known:
        if each.name == name or (name is None and each.schedule is not None):
            return each
    if name is None:
        raise InputError("data.schedule", "missing", 'a schedule, as { every = "month", times = 36, .. }')
    raise InputError("--data", name, f"one of {', '.join(each.name for each in known)}")


def _found(plan: Plan, times: int | None, within: float | None) -> dict[str, Any]:
    """Returns what the plan says, ready for JSON: about all periods, about one distance, and about a year."""
    every, number_of = plan.schedule.every, plan.remaining if times is None else times
    whole, year = plan.for_periods(number_of), plan.renewed()
    lasting = None if within is None else plan.within(within)
    said = [_whole_in_words(whole, every, number_of)]
    if whole is not None:
        said += _worth_in_words(plan, whole)
        said += _cap_in_words(plan, whole)
    said += _first_in_words(plan)
    if within is not None:
        said.append(_within_in_words(lasting, every, within))
    if year is not None:
        said.append(_year_in_words(year, every, plan.schedule.renewing or 0.0, plan.data.epsilon))
    said.append(f"supposed: {plan.schedule.words}")
    return {
        "data": plan.data.name,
        "measure": plan.measure.name,
        "query": plan.query,
        "confidence": plan.confidence,
        "every": every,
        "times": plan.schedule.times,
        "left": plan.remaining,
        "per_label": plan.per_label,
        "expected": None if plan.expected is None else [number(each) for each in plan.expected],
        "all_periods": _json(whole),
        "within": _json(lasting),
        "year": None if year is None else dict(zip(("periods", "of_one", "of_all"), map(number, year), strict=True)),
        "in_words": said,
    }


def _json(found: Planned | None) -> dict[str, Any] | None:
    return None if found is None else {key: _plain(value) for key, value in asdict(found).items()}


def _plain(value: Any) -> Any:
    return number(value) if isinstance(value, float) else value


def _many(periods: int, every: str) -> str:
    return f"{periods} {every}{'' if periods == 1 else 's'}"


def _whole_in_words(whole: Planned | None, every: str, periods: int) -> str:
    if whole is None:
        return f"nothing is left for {_many(periods, every)}: answers that went out stay free, and no new one is given"
    return (
        f"{_many(periods, every)}: ± {whole.half_width:g} each, by noise of scale {whole.scale:.6g}; they "
        f"spend {whole.spent:.6g} nats together"
    )


def _worth_in_words(plan: Plan, whole: Planned) -> list[str]:
    """Says what the precision is worth beside the answers that the model expects."""
    if plan.expected is None or not isfinite(whole.half_width):
        return []
    low, high = plan.expected
    which = "the answer of the label with most" if plan.per_label else "the answer"
    likely = f"the model alone expects {which} between {low:g} and {high:g}"
    if 2 * whole.half_width > high - low:
        return [f"{likely}: ± {whole.half_width:g} says less than that. Take fewer periods, or a larger budget"]
    share = 200 * whole.half_width / (low + high) if low + high > 0 else inf
    return [f"{likely}: ± {whole.half_width:g} is {share:.2g} % of the middle"]


def _cap_in_words(plan: Plan, whole: Planned) -> list[str]:
    """Says that no analyst may spend so much, where that is so."""
    if whole.spent <= plan.cap:
        return []
    return [f"no analyst alone may spend so much: the largest cap is {plan.cap:g} nats"]


def _first_in_words(plan: Plan) -> list[str]:
    """Says why two periods cost more than twice one, where one is counted by the model alone."""
    one, two = (plan.for_periods(number) for number in (1, 2))
    if one is None or two is None or one.route != "alone" or two.half_width <= 2 * one.half_width:
        return []
    every = plan.schedule.every
    return [
        f"a single {every} is counted by the model alone: ± {one.half_width:g}. From the second {every} on, "
        f"answers are counted by what they say of a whole group, so that two {every}s have ± {two.half_width:g}"
    ]


def _within_in_words(lasting: Planned | None, every: str, within: float) -> str:
    if lasting is None:
        return f"± {within:g}: not even one {every}"
    return f"± {within:g}: {_many(lasting.periods, every)}, which spend {lasting.spent:.6g} nats"


def _year_in_words(year: tuple[int, float, float], every: str, renewing: float, budget: float) -> str:
    periods, one, everything = year
    kept = "within" if one <= budget else "above"
    return (
        f"a budget of {renewing:g} nats that renews every {every} leaks up to {one:.6g} nats of the values of one "
        f"{every} in a year ({periods} of them): odds change up to {_fold(one)}-fold, and not {_fold(renewing)}-fold; "
        f"of all values of the year up to {everything:.6g}. That is {kept} the budget of {budget:g} nats for good, "
        "which ends it"
    )


def _fold(nats: float) -> str:
    """Writes e^nats."""
    return f"{exp(nats):.4g}" if nats < 14 else f"e^{nats:.4g}"


def _shown(width: float) -> str:
    return f"{width:g}" if isfinite(width) else "none"


def draw(
    widths: Mapping[int, tuple[float, float]], every: str, query: str, within: float | None, path: Path
) -> tuple[Path, Path]:
    """Writes the picture and, next to it, a CSV of its numbers; returns both paths.

    Args:
        widths: By numbers of periods the precision, as the policy supposes and in the worst case.
        every: The name of a period.
        query: The kind of query.
        within: A distance that is drawn as a line; None for none.
        path: The picture's path, whose suffix is its format.
    """
    lines = [
        DrawnLine("as the policy supposes", [(n, own) for n, (own, _) in widths.items()], Look(BLUE, "o")),
        DrawnLine(
            "if nothing is supposed", [(n, worst) for n, (_, worst) in widths.items()], Look(VERMILLION, "s", "--")
        ),
    ]
    levels = [] if within is None else [(within, f"± {within:g}")]
    rows = [[many, *(f"{each:.6g}" for each in both)] for many, both in widths.items()]
    return write_both(path, _COLUMNS, rows, lambda: line_figure(lines, f"{every}s", f"± of each {query}", levels))
