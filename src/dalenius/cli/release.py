"""The command `release`: answers from a table, with their certificate, or what they would cost.

A release is printed in three parts: the answers with their intervals, the numbers derived from them, and the
certificate. Its last lines say what is left, "0.25 of 1 nats spent, 0.75 left", and where the ledger has it.
"""

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Final

from dalenius.calibration import CONFIDENCE
from dalenius.cli.ledger import spent_in_words
from dalenius.cli.options import (
    AsJson,
    Confidence,
    DataFile,
    Encoding,
    Memory,
    NewData,
    Plugins,
    ProgressLines,
    Quiet,
    SpecFile,
    number_option,
    option,
)
from dalenius.cli.output import advise, print_json, print_table, say, working
from dalenius.curator import (
    Quote,
    Recorded,
    quote,
    release as release_recorded,
)
from dalenius.curator.learned_spec import LearnedSpec, read_any_spec
from dalenius.models.sample import SAMPLING_ERROR
from dalenius.noise.error_law import missed
from dalenius.spec import Derived, Spec, derived
from dalenius.spec.derived import NAMELESS
from dalenius.spec.precision_shown import precision_columns, share_in_percent
from dalenius.spec.results_as_json import answer_json


def recorded_json(done: Recorded, wanted: Sequence[Derived]) -> dict[str, Any]:
    """Returns a release ready for JSON: answers, labels, what is derived, precision, certificate, and budget.

    `repeated` is there where these are the answers of an earlier release; `since`, how many others went out after it,
    where some did, with what all answers say together by now in words.

    Args:
        done: The release, as the ledger has it.
        wanted: The quantities that are derived from its answers.
    """
    each = {name: None if value is None else answer_json(value) for name, value in _derived(done, wanted).items()}
    return {
        **done.as_json(),
        **({"derived": each} if each else {}),
        **({"repeated": True} if done.repeated else {}),
        **({"since": done.since, "since_in_words": done.since_in_words} if done.since else {}),
    }


def _derived(done: Recorded, wanted: Sequence[Derived]) -> dict[str, Fraction | None]:
    """Returns what is derived by name, such as the share of two counts; None where it would be divided by 0."""
    return derived(wanted, done.published.labels, done.published.answers)


def _print_answers(done: Recorded) -> None:
    answers = zip(done.published.labels, done.published.answers, strict=True)
    rows = [[name or "answer", a if isinstance(a, str) else format(float(a), ".6g")] for name, a in answers]
    columns, cells = precision_columns(done.published.certificate)
    shown = [[*row, *more] for row, more in zip(rows, cells or [[]] * len(rows), strict=True)]
    title = "Practice" if "practice" in done.published.certificate else "Released"
    print_table(title, ["", str(done.published.certificate.get("outcome", "answer")), *columns], shown)


def _print_certificate(done: Recorded) -> None:
    """Prints the certificate, with the budget that is left, and where the ledger has it."""
    rows = [
        *done.words,
        ["budget", spent_in_words(done.budget)],
        ["recorded", f"entry {done.entry} of the ledger, hash {done.hash}"],
    ]
    for name, said in rows:
        if name == "warning":
            say(f"warning: {said}")
    if done.repeated:
        rows.append(["repeated", "the same request got these answers before; nothing more was spent"])
    print_table("Certificate", ["", ""], rows)


def _print_quote(quoted: Quote, confidence: float, json: bool, of_sample: bool) -> None:
    """Prints what a release would cost.

    Args:
        quoted: The cost.
        confidence: The confidence of the intervals that the advice is about.
        json: Whether to print JSON.
        of_sample: Whether a sample is asked.
    """
    left_out = {"sampling_error": SAMPLING_ERROR} if of_sample else {}
    if json:
        widths = {name or NAMELESS: width for name, width in quoted.half_widths.items()}
        print_json({**quoted.as_json(), "half_width": widths, "budget": quoted.budget.as_json(), **left_out})
        return
    rows = [["cost", "nothing: the same request has its answer"]] if quoted.free else _rows(quoted, confidence)
    rows += [["sampling error", said] for said in left_out.values()]
    after = "budget" if quoted.free else "budget afterwards"
    print_table("What it would cost", ["", ""], [*rows, [after, spent_in_words(quoted.budget)]])


def _rows(quoted: Quote, confidence: float) -> list[list[str]]:
    """Returns the rows of a release that is not free: its cost, its noise, and how precise it would be."""
    assert quoted.cost is not None
    noise = None if quoted.calibration is None else quoted.calibration.noise
    scale = "" if noise is None or noise.scale is None else f", scale {noise.scale:.6g}"
    widths = [width for width in quoted.half_widths.values() if width is not None]
    share = share_in_percent(confidence)
    found = {
        "alone": f"{quoted.cost.leakage:.6g} nats, if nothing else is released from these data",
        "beside others": f"at most {quoted.cost.group_loss:.6g} nats more, whatever the others are",
        "noise": None
        if noise is None or quoted.calibration is None
        else f"{noise.kind}{scale}; expected error {quoted.calibration.expected_error:.6g}",
        "interval": f"± {max(widths):.6g} at most, with {share} confidence" if widths else None,
        "risk": None if quoted.risk is None else str(quoted.risk["in_words"]),
        "advice": quoted.advised,
    }
    return [[name, said] for name, said in found.items() if said is not None]


# Where noise has carried an answer there.
_BELOW: Final = "below 0, where no exact answer can be (a count): you may publish 0 instead, which tells no more"


def release(
    spec: SpecFile,
    json: AsJson = False,
    data: DataFile = None,
    encoding: Encoding = None,
    ledger: Annotated[str | None, option("The ledger of spending and answers [default: beside the data].")] = None,
    budget: Annotated[
        float | None,
        number_option("The data set's budget in nats, once for all its releases [default: the first promise's]."),
    ] = None,
    budget_delta: Annotated[
        float | None, number_option("The delta of that budget [default: the largest promised].")
    ] = None,
    allow_exact: Annotated[
        bool, option("Release even if an answer is published exactly, without noise.", name="--allow-exact")
    ] = False,
    new_data: NewData = False,
    cost: Annotated[
        bool, option("Say what the release would cost and how precise it would be; release nothing.", name="--cost")
    ] = False,
    confidence: Confidence = CONFIDENCE,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Answer the query from the table at the promised privacy, and record the cost."""
    missed(confidence, "--confidence")
    read = read_any_spec(spec).in_encoding(encoding)
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
            quoted = quote(read, spec.parent, **terms, advise=advise)
        of_sample = isinstance(read, Spec) and read.model.drawn() is not None
        _print_quote(quoted, confidence, json, of_sample)
        return
    with working("releasing"):
        done = release_recorded(read, spec.parent, **terms, advise=advise)
    print_recorded(done, read, json)


def print_recorded(done: Recorded, read: Spec | LearnedSpec, json: bool) -> None:
    """Prints the answers, what is derived from them, and the certificate; where that fails, says where they are.

    Args:
        done: The release.
        read: The spec that was read.
        json: Whether to print JSON.
    """
    try:
        _print(done, read, json)
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # a full disk, or a reader such as `head` that went away: the answers are paid for
        said = f"dalenius: the answers are entry {done.entry} of the ledger: the same release shows them"
        print(said, file=sys.stderr)
        raise


def _print(done: Recorded, read: Spec | LearnedSpec, json: bool) -> None:
    """Prints the answers, what is derived from them, and the certificate."""
    wanted = read.derived or ()
    if json:
        print_json(recorded_json(done, wanted))
        return
    _print_answers(done)
    found = _derived(done, wanted)
    rows = [[name, "none: divided by 0" if value is None else f"{float(value):.6g}"] for name, value in found.items()]
    if rows:
        print_table("Derived", ["", "value"], rows)
    if isinstance(read, Spec) and any(not isinstance(answer, str) and answer < 0 for answer in done.published.answers):
        say(_BELOW)
    _print_certificate(done)
