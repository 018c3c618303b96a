"""`dalenius release`: answers from a table, with their certificate."""

from math import isfinite
from pathlib import Path
from typing import Annotated, Final, TypedDict

from dalenius.calibration import CONFIDENCE
from dalenius.cli.options import (
    AsJson,
    Confidence,
    DataFile,
    NewData,
    Plugins,
    ProgressLines,
    Quiet,
    SpecFile,
    number_option,
    option,
)
from dalenius.cli.output import advise, print_json, say, working
from dalenius.curator import Recorded, draw_release, quote, release as asked
from dalenius.curator.recorded_shown import (
    kept,
    print_answers,
    print_certificate,
    print_derived,
    print_quote,
    recorded_json,
)
from dalenius.drawing import check_picture
from dalenius.errors import InputError
from dalenius.noise.intervals import missed
from dalenius.spec import Spec, read_spec

BELOW: Final = "below 0, where no exact answer can be, as of a count: 0 may be published instead, and tells no more"
"""Of answers that noise has carried there."""


class _Terms(TypedDict):
    """What `curator.release` and `curator.quote` are given beside the spec."""

    data: str | None
    ledger: Path | str | None
    budget: float | None
    budget_delta: float | None
    allow_exact: bool
    new_data: bool
    confidence: float


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
    if budget is not None and not (isfinite(budget) and budget > 0):
        raise InputError("--budget", budget, "a finite number above 0")
    if budget_delta is not None and not 0 <= budget_delta < 1:
        raise InputError("--budget-delta", budget_delta, "a number of at least 0 and below 1")
    missed(confidence, "--confidence")
    if plot is not None:
        check_picture(plot)
        if cost:
            raise InputError("--plot", str(plot), "no --cost beside it: then there are no answers to draw")
    read = read_spec(spec)
    terms = _Terms(
        data=data,
        ledger=ledger,
        budget=budget,
        budget_delta=budget_delta,
        allow_exact=allow_exact,
        new_data=new_data,
        confidence=confidence,
    )
    if cost:
        with working("calibrating"):
            quoted = quote(read, spec.parent, **terms)
        print_quote(quoted, confidence, json)
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
    if json:
        print_json(recorded_json(done, read.derived or ()))
        return
    if not read.of_moments:
        print_answers(done, str(done.published.certificate.get("outcome", "answer")), ".6g")
        print_derived(done, read.derived or ())
        if any(not isinstance(answer, str) and answer < 0 for answer in done.published.answers):
            say(BELOW)
        print_certificate(done, "left")
    else:
        print_answers(done, "middle of the answer's cell", ".12g")
        print_certificate(done, "and nothing else may be released from them")
