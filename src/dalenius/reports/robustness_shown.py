"""How far the truth may be from the model, as public JSON and as a table."""

from math import exp
from typing import Any, Final

from dalenius.bounds import Enclosure, near_to_digits, up_to_digits
from dalenius.reports.robustness_curve import Broken, Robustness
from dalenius.spec.results import DIGITS, enclosure_json, number
from dalenius.spec.words import enclosed, nats

LAST: Final = "close adversaries"


def robustness_json(found: Robustness) -> dict[str, Any]:
    """curve: by log_factor; promises: where each breaks."""
    return {
        "curve": [
            {
                "log_factor": near_to_digits(at.log_factor, DIGITS),
                "leakage": {
                    kind: enclosure_json(Enclosure(each.lower, each.upper), "epsilon")
                    for kind, each in at.leakage.items()
                },
                "close_adversaries": number(up_to_digits(at.close, DIGITS)),
            }
            for at in found.curve
        ],
        "promises": [
            {"kind": each.notion.kind, "epsilon": each.epsilon, "kept_to": each.kept, "broken_at": each.broken}
            for each in found.broken
        ],
    }


def robustness_table(found: Robustness) -> tuple[list[str], list[list[str]]]:
    """Columns and rows: r, the leakage of each notion, and the theorem's bound of the inferential one."""
    kinds = list(found.curve[0].leakage)
    rows = [
        [f"{at.log_factor:.4g}", *(enclosed(at.leakage[kind]) for kind in kinds), nats(at.close)] for at in found.curve
    ]
    return ["off by e^±", *kinds, LAST], rows


def broken_words(broken: Broken) -> str:
    """At which factor a promise breaks."""
    promise = f"{broken.notion.kind} privacy of {broken.epsilon:g} nats"
    if broken.kept is None:
        return f"{promise} is not kept by the model itself"
    if broken.broken is None:
        return f"{promise} is kept to a factor of e^±{broken.kept:.4g}, {exp(broken.kept):.4g} up and down"
    return f"{promise} is kept to a factor of e^±{broken.kept:.4g} and broken at e^±{broken.broken:.4g}"
