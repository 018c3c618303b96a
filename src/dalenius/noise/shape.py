"""The facts about a noise that hold at any scale: its shape."""

from math import inf
from typing import NamedTuple


class Shape(NamedTuple):
    """Facts about a noise that hold at any scale.

    Attributes:
        scaled: Whether the noise has a scale to choose.
        additive: Whether the output is the answer plus something that does not depend on the answer.
        adds_nothing: Whether what is added is 0, so that the exact answer goes out.
        needs_lattice: Whether the noise is defined only for answers on a known lattice.
        lipschitz: The Lipschitz constant of the output's log-probability as a function of the answer (L1), in nats
            per scale; inf where it has none. Where it has one, a scale gives pure differential privacy (Dwork et al.
            2006, Prop 1).
        exponential: Whether the output has density, or mass, proportional to e^{-|output - answer|/scale}.
        gaussian: Whether the scale is the deviation of a normal law.
        log_concave: Whether what is added has a positive, log-concave density or mass. Then two answers are the
            easier to distinguish the more distant they are (Dong, Roth and Su 2022).
        light_tailed: Whether the density falls faster than any exponential. Then, at any scale, the log-ratios of the
            outermost answers grow without bound with the output, and suprema over outputs are not attained at the
            answers' lattice points.
        hides_neighbours: Whether its scale, as `scale_for` chooses it, keeps a pure log-ratio between any two answers,
            though log-probabilities are not Lipschitz in a single coordinate.
        near: Whether each answer has a few outputs of its own, near it, as under the rules of statistics offices.
        on_records: Whether it noises each record before the query is asked, and not the answer.
        outcome: What goes out, in words.
    """

    scaled: bool = True
    additive: bool = False
    adds_nothing: bool = False
    needs_lattice: bool = True
    lipschitz: float = inf
    exponential: bool = False
    gaussian: bool = False
    log_concave: bool = False
    light_tailed: bool = False
    hides_neighbours: bool = False
    near: bool = False
    on_records: bool = False
    outcome: str = "noised answer"

    @property
    def by_distance(self) -> bool:
        """Whether a coordinate leaks a rate, which may be infinite, times the distance it moves.

        It is false for stairs, which are additive too: a smaller move may cross as many of them.
        """
        return self.additive and (self.adds_nothing or self.gaussian or self.lipschitz < inf)
