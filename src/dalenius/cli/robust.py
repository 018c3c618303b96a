"""The leakage if the model is wrong by a factor, printed by `audit --robust`."""

from math import exp
from typing import Any

from dalenius.bounds import Enclosure, near_to_digits
from dalenius.channel import Release
from dalenius.cli.output import Further, print_table, say
from dalenius.notions.notion import Notion
from dalenius.reports.robustness import Broken, Robustness, robustness
from dalenius.spec.results_as_json import PRINTED_DIGITS, enclosure_json
from dalenius.spec.results_in_words import enclosed


def _json(found: Robustness) -> dict[str, Any]:
    """Returns the robustness ready for JSON.

    curve: by log_factor, leakages in nats with both ends; promises: where each breaks.
    """
    curve = [
        {
            "log_factor": near_to_digits(at.log_factor, PRINTED_DIGITS),
            "leakage": {
                kind: enclosure_json(Enclosure(each.lower, each.upper), "epsilon") for kind, each in at.leakage.items()
            },
        }
        for at in found.curve
    ]
    promises = [
        {"kind": each.notion.kind, "epsilon": each.epsilon, "kept_to": each.kept, "broken_at": each.broken}
        for each in found.broken
    ]
    return {"curve": curve, "promises": promises}


def _broken_words(broken: Broken) -> str:
    """Says at which factor a promise breaks: kept throughout, up to some factor, or not even by the model."""
    promise = f"{broken.notion.called} privacy of {broken.epsilon:g} nats"
    if broken.kept is None:  # a promise of 0.4 of a release that leaks 0.45 under its own model
        return f"{promise} is not kept by the model itself"
    if broken.broken is None:
        return f"{promise} is kept to a factor of e^±{broken.kept:.4g}, {exp(broken.kept):.4g} up and down"
    return f"{promise} is kept to a factor of e^±{broken.kept:.4g} and broken at e^±{broken.broken:.4g}"


def robust_of(release: Release, most: float, notions: tuple[Notion, ...]) -> Further:
    """Computes the leakages where the model is off by a factor, as a table, and where promises break, in a line each.

    Args:
        release: The release with its noise.
        most: The largest logarithm of the factor, in nats; InputError where it is not finite and above 0.
        notions: The notions of the spec; those with an epsilon are the promises.
    """
    found = robustness(release, most, notions, promises=notions)

    def show() -> None:
        kinds = list(found.curve[0].leakage)
        rows = [[f"{at.log_factor:.4g}", *(enclosed(at.leakage[kind]) for kind in kinds)] for at in found.curve]
        print_table("If every probability is off by a factor (nats)", ["off by e^±", *kinds], rows)
        for each in found.broken:
            say(_broken_words(each))

    return Further({"robust": _json(found)}, show)
