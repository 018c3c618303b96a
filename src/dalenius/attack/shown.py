"""Attacks as the public JSON of the command."""

from collections.abc import Sequence
from math import log
from typing import Any

from dalenius.attack import Attained, BayesAttack, PairTest, Simulated
from dalenius.bounds import UNIT, Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.spec.results import DIGITS, enclosure_json, witness_json

BITS = 1 / log(2)
"""In a nat."""


def attacks_json(attacks: Sequence[BayesAttack], played: Sequence[Simulated]) -> dict[str, Any]:
    """The worst person's attack, and all of them; played: where games were."""
    games = {(each.law, each.person): each for each in played}
    people = [{**_attack_json(each), **_played_json(games.get((each.law, each.person)))} for each in attacks]
    nobody = {"law": None, "person": None, "who": None, "leaked": _both_units(Enclosure(0.0, 0.0)), "success": None}
    return {**(people[0] if people else nobody), "people": people}


def _attack_json(attack: BayesAttack) -> dict[str, Any]:
    success = {} if attack.success is None else enclosure_json(attack.success, "success", "success_")
    return {
        "law": attack.law,
        "person": attack.person,
        "who": attack.who,
        "what": attack.what,
        "leaked": None if attack.leaked is None else _both_units(attack.leaked),
        **(success or {"success": None}),
        "prior_success": None if attack.prior_success is None else near_to_digits(attack.prior_success, DIGITS),
        "attained": {"odds": _attained_json(attack.odds), "raised": _attained_json(attack.raised)},
        "test": None if attack.test is None else _test_json(attack.test),
    }


def _both_units(value: Enclosure) -> dict[str, Any]:
    wider = Enclosure(value.lower * BITS * (1 - 4 * UNIT), value.upper * BITS * (1 + 4 * UNIT))
    return {**enclosure_json(value, "nats", "nats_"), **enclosure_json(wider, "bits", "bits_")}


def _attained_json(found: Attained | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        **_both_units(found.reached),
        "bound": enclosure_json(found.bound, "epsilon"),
        "witness": witness_json(found.witness),
    }


def _test_json(test: PairTest) -> dict[str, Any]:
    shown: dict[str, Any] = {"secret": test.witness.secret, "against": test.witness.against}
    shown |= {"advantage": enclosure_json(test.advantage, "value")}
    return shown | {"true_positives": enclosure_json(test.true_positives, "value")}


def _played_json(played: Simulated | None) -> dict[str, Any]:
    if played is None:
        return {}
    low, high = played.interval
    shown = {"runs": played.runs, "hits": played.hits, "rate": near_to_digits(played.rate, DIGITS)}
    return {"played": {**shown, "lower": down_to_digits(low, DIGITS), "upper": up_to_digits(high, DIGITS)}}
