"""`dalenius release`: answers from a table, with their certificate, or what they would cost; `dalenius policy`: a
policy checked whole.

What is printed of a release has three parts: the answers with their intervals, what is derived from them, and the
certificate, whose last lines say what is left, "0.25 of 1 nats spent, 0.75 left", and where the ledger has it.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from dalenius.calibration import CONFIDENCE
from dalenius.cli.options import (
    AsJson,
    Confidence,
    DataFile,
    NewData,
    Plugins,
    PolicyFile,
    ProgressLines,
    Quiet,
    SpecFile,
    argument,
    number_option,
    option,
)
from dalenius.cli.output import advise, print_json, print_table, say, working
from dalenius.curator import (
    Analyst,
    Budget,
    Curator,
    DataSet,
    Quote,
    Recorded,
    draw_release,
    quote,
    read_policy,
    release as asked,
)
from dalenius.drawing import check_picture
from dalenius.errors import InputError
from dalenius.noise.answer_intervals import missed
from dalenius.notions import in_words
from dalenius.spec import Derived, Spec, derived, read_spec
from dalenius.spec.answers import precision_columns, share_in_percent
from dalenius.spec.questions import NAMELESS
from dalenius.spec.results import answer_json, notion_json


@contextmanager
def kept(done: Recorded) -> Iterator[None]:
    """Where the answers cannot be shown, it is said on standard error where they are: they are paid for."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # a full disk, or a reader such as `head` that went away
        print(
            f"dalenius: the answers are entry {done.entry} of the ledger: the same release shows them", file=sys.stderr
        )
        raise


def recorded_json(done: Recorded, asked: Sequence[Derived] = ()) -> dict[str, Any]:
    """answers, labels, what is derived from them, how precise they are, certificate, budget; repeated, where these
    are the answers of an earlier release; and since, how many others went out after it, where some did, and in
    words what all answers say together by now."""
    each = {name: None if value is None else answer_json(value) for name, value in _derived(done, asked).items()}
    return {
        **done.as_json(),
        **({"derived": each} if each else {}),
        **({"repeated": True} if done.repeated else {}),
        **({"since": done.since, "since_in_words": done.since_in_words} if done.since else {}),
    }


def _derived(done: Recorded, asked: Sequence[Derived]) -> dict[str, Fraction | None]:
    """By name, such as the share of two counts; None where it would be divided by 0."""
    return derived(asked, done.published.labels, done.published.answers)


def spent_in_words(budget: Budget) -> str:
    """With the delta at which it is counted, and how much of the budget's that is."""
    at = f" at delta {budget.spent_delta:g} of {budget.delta:g}" if budget.delta else ""
    return f"{budget.spent:.6g} of {budget.initial:.6g} nats spent{at}, {budget.remaining:.6g} left"


def print_answers(done: Recorded, digits: str) -> None:
    """digits: how they are written where they are numbers."""
    answers = zip(done.published.labels, done.published.answers, strict=True)
    rows = [[name or "answer", a if isinstance(a, str) else format(float(a), digits)] for name, a in answers]
    columns, cells = precision_columns(done.published.certificate)
    shown = [[*row, *more] for row, more in zip(rows, cells or [[]] * len(rows), strict=True)]
    print_table("Released", ["", str(done.published.certificate.get("outcome", "answer")), *columns], shown)


def print_certificate(done: Recorded) -> None:
    """With the budget that is left, and where the ledger has it."""
    rows = [
        *done.words,
        ["budget", spent_in_words(done.budget)],
        ["recorded", f"entry {done.entry} of the ledger, hash {done.hash}"],
    ]
    for name, said in rows:
        if name == "warning":
            say(f"warning: {said}")
    if done.repeated:
        rows.append(["repeated", "these are the answers that the same request got before; nothing more was spent"])
    print_table("Certificate", ["", ""], rows)


def _print_quote(quoted: Quote, confidence: float, json: bool) -> None:
    """confidence: of the intervals that the advice is about."""
    if json:
        widths = {name or NAMELESS: width for name, width in quoted.half_widths.items()}
        print_json({**quoted.as_json(), "half_width": widths, "budget": quoted.budget.as_json()})
        return
    rows = [["cost", "nothing: the same request has its answer"]] if quoted.free else _rows(quoted, confidence)
    after = "budget" if quoted.free else "budget afterwards"
    print_table("What it would cost", ["", ""], [*rows, [after, spent_in_words(quoted.budget)]])


def _rows(quoted: Quote, confidence: float) -> list[list[str]]:
    """Of one that is not free: what it would cost, with which noise, and how precise it would be."""
    assert quoted.cost is not None
    rows = [
        ["alone", f"{quoted.cost.leakage:.6g} nats, where nothing else is released of these data"],
        ["beside others", f"at most {quoted.cost.group_loss:.6g} nats more, whatever the others are"],
    ]
    chosen = quoted.calibration
    if chosen is not None:
        scale = "" if chosen.noise.scale is None else f", scale {chosen.noise.scale:.6g}"
        rows.append(["noise", f"{chosen.noise.kind}{scale}; expected error {chosen.expected_error:.6g}"])
    widths = [width for width in quoted.half_widths.values() if width is not None]
    if widths:
        rows.append(["interval", f"± {max(widths):.6g} at most, with {share_in_percent(confidence)} confidence"])
    if quoted.risk is not None:
        rows.append(["risk", str(quoted.risk["in_words"])])
    if quoted.advised is not None:
        rows.append(["advice", quoted.advised])
    return rows


def policy(
    action: Annotated[
        Literal["check"], argument("check: read it whole, open its tables, say who may ask what.", "ACTION")
    ],
    file: PolicyFile,
    json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Whether a policy and its tables fit together, and who may ask what under it."""
    assert action == "check"
    read = read_policy(file)
    curator = Curator(read, file.parent)
    try:
        with working("opening tables"):
            curator.check()
        new = list(curator.new_beside_others())
        budgets = {data.name: curator.budget(data.name) for data in read.data}
    finally:
        curator.close()
    if json:
        print_json({"checked": True, "data_sets": [_policy_json(data, budgets[data.name]) for data in read.data]})
        return
    for data in read.data:
        _print_policy(data, budgets[data.name])
    for said in new:
        advise(said)


def _policy_json(data: DataSet, budget: Budget) -> dict[str, Any]:
    """What is promised of a data set, what is left of its budget, and who may ask what."""
    return {
        "data": data.name,
        "notion": notion_json(data.notion),
        "method": data.method,
        "accept_unsound": data.accept_unsound,
        "public": list(data.public),
        "budget": budget.as_json(),
        "analysts": [
            {"analyst": analyst.name, "epsilon": analyst.epsilon, "measures": list(_measures(data, analyst))}
            for analyst in data.analysts
        ],
    }


def _measures(data: DataSet, analyst: Analyst) -> list[dict[str, Any]]:
    """What that analyst may ask about, with the kinds of query; null for all there are."""
    return [
        {
            "measure": measure.name,
            "description": measure.description,
            "models": [model.kind for model in measure.every_model],
            "queries": kinds if (kinds := data.kinds_for(analyst, measure)) is None else list(kinds),
        }
        for measure in data.measures_of(analyst)
    ]


def _print_policy(data: DataSet, budget: Budget) -> None:
    """Of one data set: a row for each analyst and measure, and the promise in words."""
    promise = in_words(data.notion)
    title = f"{data.name}: {data.notion.kind} privacy, {spent_in_words(budget)}"
    rows = [
        [
            analyst.name,
            f"{data.epsilon if analyst.epsilon is None else analyst.epsilon:g}",
            found["measure"],
            "any" if found["queries"] is None else ", ".join(found["queries"]) or "none",
            " or ".join(dict.fromkeys(found["models"])),
        ]
        for analyst in data.analysts
        for found in _measures(data, analyst)
    ]
    print_table(title, ["analyst", "nats at most", "may ask about", "queries", "model"], rows)
    if promise is not None:
        say(f"promised of everything that is ever answered: {promise}")


# Of answers that noise has carried there.
_BELOW: Final = "below 0, where no exact answer can be, as of a count: 0 may be published instead, and tells no more"


def release(
    spec: SpecFile,
    json: AsJson = False,
    data: DataFile = None,
    ledger: Annotated[str | None, option("Where spending and answers are recorded [default: beside the data].")] = None,
    budget: Annotated[
        float | None,
        number_option("The data set's budget in nats, once for all its releases [default: the first promise's]."),
    ] = None,
    budget_delta: Annotated[
        float | None, number_option("The delta of that budget [default: the largest promised].")
    ] = None,
    allow_exact: Annotated[
        bool, option("Release even if an answer goes out exactly, without noise.", name="--allow-exact")
    ] = False,
    new_data: NewData = False,
    cost: Annotated[
        bool, option("Say what it would cost and how precise it would be; release nothing.", name="--cost")
    ] = False,
    confidence: Confidence = CONFIDENCE,
    plot: Annotated[
        Path | None, option("Also draw the answers with their intervals: PNG, SVG or PDF, and a CSV.")
    ] = None,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
) -> None:
    """Answer the query from the table at the promised privacy, and record what it cost."""
    missed(confidence, "--confidence")
    if plot is not None:
        check_picture(plot)
        if cost:
            raise InputError("--plot", str(plot), "no --cost beside it: then there are no answers to draw")
    read = read_spec(spec)
    terms: dict[str, Any] = {
        "data": data,
        "ledger": ledger,
        "budget": budget,
        "budget_delta": budget_delta,
        "allow_exact": allow_exact,
        "new_data": new_data,
        "confidence": confidence,
    }
    if cost:
        with working("calibrating"):
            quoted = quote(read, spec.parent, **terms)
        _print_quote(quoted, confidence, json)
        return
    with working("releasing"):
        done = asked(read, spec.parent, **terms, advise=advise)
    with kept(done):
        _print(done, read, json)
    if plot is not None:
        # Last: the answers are paid for, and shown even where no picture can be made of them.
        with working("drawing"):
            draw_release(done.published, plot)


def _print(done: Recorded, read: Spec, json: bool) -> None:
    """The answers, what is derived from them, and the certificate."""
    asked = read.derived or ()
    if json:
        print_json(recorded_json(done, asked))
        return
    print_answers(done, ".6g")
    found = _derived(done, asked)
    rows = [[name, "none: divided by 0" if value is None else f"{float(value):.6g}"] for name, value in found.items()]
    if rows:
        print_table("Derived", ["", "value"], rows)
    if any(not isinstance(answer, str) and answer < 0 for answer in done.published.answers):
        say(_BELOW)
    print_certificate(done)
