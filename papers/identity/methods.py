"""IDP §4 and §6: leakage and cost of each method in the family of ten, for a promise of identity privacy."""

from collections.abc import Iterator, Sequence
from typing import Final

import dalenius as dl
from papers.by_method import EPSILONS, Judged, draw, judge, rows
from papers.family import CONTAGIONS, PEOPLE
from papers.numbers import Number, main, write_csv

EPSILON: Final = 1.0
WEAK: Final = 0.01
"""A contagion."""


def methods(quick: bool = False) -> Iterator[Number]:
    contagions = (0.0, WEAK, 0.1, 1.0) if quick else CONTAGIONS
    points = judge([dl.InferentialPrivacy(epsilon=epsilon) for epsilon in EPSILONS], contagions)
    odds = "posterior odds / prior odds"
    draw("identity_methods", points, f"log({odds})", odds)
    write_csv("identity_methods", rows(points))
    yield from numbers(points)


def numbers(points: Sequence[Judged]) -> Iterator[Number]:
    scales = {(at.contagion, at.method): at.scale for at in points if at.epsilon == EPSILON}
    for contagion, where, method, why in (
        (1.0, "Prop 3", "group", "full contagion: what is needed, so that exact adds the same"),
        (
            1.0,
            "Thm 4",
            "weak_dependence",
            "more than the group's: at η near 1 the ln 2 of its last step costs most of ε",
        ),
        (1.0, "§6.1", "exact", "the least Laplace noise that keeps the promise"),
        (WEAK, "§6.1", "group", ""),
        (WEAK, "§6.1", "weak_dependence", ""),
        (WEAK, "§6.1", "exact", ""),
    ):
        scale = scales[contagion, method]
        assert scale is not None
        theirs = PEOPLE / EPSILON if method == "group" else None
        yield Number(where, f"scale of {method} for ε = 1, h = {contagion:g}", theirs, scale, why)


if __name__ == "__main__":
    main(methods)
