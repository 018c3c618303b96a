"""Beliefs about who is missing among a million people."""

from fractions import Fraction
from statistics import median
from time import perf_counter

import numpy as np

from dalenius.composition import AbsenceBelief, Accountant, uniform_belief
from dalenius.left_out import LeftOut

ANSWERS = 5


def updated(people: int, classes: int) -> tuple[float, float]:
    """The median time of an answer, and a bound on the error of any log ratio after all of them."""
    left_out, believed, spent = spread(people, classes), uniform_belief(people), []
    for answer in range(ANSWERS):
        start = perf_counter()
        believed = believed.after(left_out, answer * classes // ANSWERS, 2.0 * classes)
        spent.append(perf_counter() - start)
    return median(spent), believed.error


def accounted(people: int, classes: int) -> tuple[float, float]:
    """The time to find the least scale after one answer, and that scale over Θ."""
    left_out, believed = spread(people, classes), asked_once(people, classes)
    accountant = Accountant(0.5, 1.0, believed)
    start = perf_counter()
    scale = accountant.least_scale(left_out, accountant.share_for(2))
    return perf_counter() - start, scale / left_out.sensitivity


def asked_once(people: int, classes: int) -> AbsenceBelief:
    left_out = spread(people, classes)
    return uniform_belief(people).after(left_out, classes // 3, 3.0 * classes)


def spread(people: int, classes: int) -> LeftOut:
    """Answers 0, 1, 2, ... without this person or that, in no order."""
    whose = np.random.default_rng(1).permutation(people) % classes
    return LeftOut(Fraction(0), np.arange(classes, dtype=float), np.bincount(whose), whose)
