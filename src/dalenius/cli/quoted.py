"""What a release would cost, before anything is paid."""

from typing import Any

from dalenius.cli.output import print_json, print_table
from dalenius.cli.recorded import spent_in_words
from dalenius.curator import Quote
from dalenius.curator.amounts import shown, spending
from dalenius.spec.derived import NAMELESS
from dalenius.spec.precision import percent
from dalenius.spec.results import noise_json


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
