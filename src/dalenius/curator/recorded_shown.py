"""What a release would cost, and what the ledger keeps of it: the same words whether it was just drawn or long ago."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dalenius.cli.output import print_json, print_table, say
from dalenius.curator import Budget, Quote, Recorded
from dalenius.curator.amounts import shown, spending
from dalenius.spec import Derived, derived
from dalenius.spec.answers import KEYS, percent, precision_columns
from dalenius.spec.questions import NAMELESS
from dalenius.spec.results import answer_json, noise_json


@contextmanager
def kept(done: Recorded) -> Iterator[None]:
    """Where the answers cannot be shown, it is said on standard error where they are: they are paid for."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        print(
            f"dalenius: the answers are entry {done.entry} of the ledger: the same release shows them", file=sys.stderr
        )
        raise


def recorded_json(done: Recorded, asked: Sequence[Derived] = ()) -> dict[str, Any]:
    """answers, labels, what is derived from them, how precise they are, certificate, budget; repeated, where these
    are the answers of an earlier release; and since, how many others went out after it, where some did, and in
    words what all answers say together by now."""
    certificate = dict(done.published.certificate)
    return {
        "answers": [answer_json(each) for each in done.published.answers],
        "labels": list(done.published.labels),
        **_derived_json(done, asked),
        **{key: certificate[key] for key in KEYS if key in certificate},
        "certificate": certificate,
        "budget": done.budget.as_json(),
        **({"repeated": True} if done.repeated else {}),
        **({"since": done.since, "since_in_words": done.since_in_words} if done.since else {}),
    }


def spent_in_words(budget: Budget, rest: str | None = None) -> str:
    """rest: the words for what is left; by default how much."""
    left = f"{budget.remaining:.6g} left" if rest is None else rest
    return f"{budget.spent:.6g} of {budget.initial:.6g} nats spent{_at(budget)}, {left}"


def _derived_json(done: Recorded, asked: Sequence[Derived]) -> dict[str, Any]:
    found = derived(asked, done.published.labels, done.published.answers)
    each = {name: None if value is None else answer_json(value) for name, value in found.items()}
    return {"derived": each} if each else {}


def print_derived(done: Recorded, asked: Sequence[Derived]) -> None:
    """Nothing where nothing is asked for."""
    found = derived(asked, done.published.labels, done.published.answers)
    rows = [[name, "none: divided by 0" if value is None else f"{float(value):.6g}"] for name, value in found.items()]
    if rows:
        print_table("Derived", ["", "value"], rows)


def print_answers(done: Recorded, what: str, digits: str) -> None:
    """what: the answers are; digits: how they are written where they are numbers."""
    answers = zip(done.published.labels, done.published.answers, strict=True)
    rows = [[name or "answer", a if isinstance(a, str) else format(float(a), digits)] for name, a in answers]
    columns, cells = precision_columns(done.published.certificate)
    shown = [[*row, *more] for row, more in zip(rows, cells or [[]] * len(rows), strict=True)]
    print_table("Released", ["", what, *columns], shown)


def _at(budget: Budget) -> str:
    """At which delta, and how much of the budget's that is."""
    return f" at delta {budget.spent_delta:g} of {budget.delta:g}" if budget.delta else ""


def print_certificate(done: Recorded, left: str) -> None:
    """left: the words for the rest of the budget; "left" shows how much."""
    rows = [
        *done.words,
        ["budget", spent_in_words(done.budget, None if left == "left" else left)],
        ["recorded", f"entry {done.entry} of the ledger, hash {done.hash}"],
    ]
    warning = [said for name, said in rows if name == "warning"]
    for said in warning:
        say(f"warning: {said}")
    if done.repeated:
        rows.append(["repeated", "these are the answers that the same request got before; nothing more was spent"])
    print_table("Certificate", ["", ""], rows)


def print_quote(quoted: Quote, confidence: float, json: bool) -> None:
    """confidence: of the intervals that the advice is about."""
    if json:
        print_json(_json(quoted))
        return
    rows = [["cost", "nothing: the same request has its answer"]] if quoted.free else _rows(quoted, confidence)
    after = "budget" if quoted.free else "budget afterwards"
    print_table("What it would cost", ["", ""], [*rows, [after, spent_in_words(quoted.budget)]])


def _rows(quoted: Quote, confidence: float) -> list[list[str]]:
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
        rows.append(["interval", f"± {max(widths):.6g} at most, with {percent(confidence)} confidence"])
    if quoted.risk is not None:
        rows.append(["risk", str(quoted.risk["in_words"])])
    if quoted.advised is not None:
        rows.append(["advice", quoted.advised])
    return rows


def _json(quoted: Quote) -> dict[str, Any]:
    chosen, cost = quoted.calibration, quoted.cost
    return {
        "free": quoted.free,
        "cost": None
        if cost is None
        else {key: shown(spending(getattr(cost, key))) for key in ("leakage", "group_loss")},
        "noise": None if chosen is None else noise_json(chosen.noise),
        "expected_error": None if chosen is None else chosen.expected_error,
        "confidence": quoted.confidence,
        "half_width": {name or NAMELESS: width for name, width in quoted.half_widths.items()},
        "risk": quoted.risk,
        "advice": quoted.advised,
        "budget": quoted.budget.as_json(),
    }
