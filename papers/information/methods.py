"""IP §V: leakage and cost of each method in the family of ten, for a promise of information privacy.

No output raises the probability of a member's being ill, or of being well, more than e^ε-fold.
"""

from collections.abc import Iterator

import dalenius as dl
from papers.by_method import EPSILONS, draw, judge, rows
from papers.family import CONTAGIONS
from papers.numbers import Number, main, write_csv


def methods(quick: bool = False) -> Iterator[Number]:
    """The paper prints no numbers of it."""
    contagions = (0.0, 0.01, 0.1, 1.0) if quick else CONTAGIONS
    points = judge([dl.InformationPrivacy(epsilon=epsilon) for epsilon in EPSILONS], contagions)
    draw("information_methods", points, "log(posterior / prior)", "posterior / prior")
    write_csv("information_methods", rows(points))
    yield from ()


if __name__ == "__main__":
    main(methods)
