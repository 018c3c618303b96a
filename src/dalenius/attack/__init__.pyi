"""What the room offers, and from which file; `__init__` reads it."""

from .bayes import (
    Attained as Attained,
    BayesAttack as BayesAttack,
    PairTest as PairTest,
    bayes_attack as bayes_attack,
    bayes_attacks as bayes_attacks,
)
from .black_box import ProgramTest as ProgramTest, test_program as test_program
from .tradeoff import Tradeoff as Tradeoff, tradeoff as tradeoff
from .tradeoff_curve import Tested as Tested, TradeoffCurve as TradeoffCurve
