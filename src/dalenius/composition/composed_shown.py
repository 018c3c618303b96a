"""What releases leak together, as JSON and in rows."""

from typing import Any

from dalenius.channel.leakage import Leakage
from dalenius.composition import Bound, Composed, Tried
from dalenius.spec.results import leakage_json, notion_json, number
from dalenius.spec.words import nats


def composed_json(found: Composed) -> dict[str, Any]:
    """The tightest bound with its route, and every route's own."""
    value = found.bound.value
    leakage = leakage_json(Leakage(value.lower, value.upper, found.bound.witness))
    return {
        "notion": notion_json(found.notion),
        "rule": found.rule,
        "adaptive": found.releases.adaptive,
        "releases": [
            {"query": each.query.words, "noise": each.noise.model_dump(mode="json", exclude_none=True)}
            for each in found.releases.each
        ],
        "route": found.route,
        "delta": found.bound.delta,
        "epsilon": leakage["upper"],
        **{key: leakage[key] for key in ("lower", "upper", "witness")},
        "hypotheses": list(found.bound.hypotheses),
        "routes": {tried.route: _tried_json(tried) for tried in found.tried},
    }


def _tried_json(tried: Tried) -> dict[str, Any]:
    if tried.bound is None:
        return {"applies": False, "why": tried.reason}
    bound = tried.bound
    ends = {"lower": number(bound.value.lower), "upper": number(bound.value.upper)}
    return {"applies": True, **ends, "hypotheses": list(bound.hypotheses)}


def composed_rows(found: Composed) -> list[list[str]]:
    """Per route: its name, the nats, and what it rests on or why it does not apply."""
    return [
        [
            f"{tried.route} (the least)" if tried.route == found.route else tried.route,
            "" if tried.bound is None else _shown(tried.bound),
            str(tried.reason) if tried.bound is None else "; ".join(tried.bound.hypotheses),
        ]
        for tried in found.tried
    ]


def _shown(bound: Bound) -> str:
    exact = bound.value.upper - bound.value.lower <= 1e-6 * bound.value.upper or bound.value.lower == bound.value.upper
    return nats(bound.upper) if exact else f"at most {nats(bound.upper)}"
