"""The best guess from one output of any channel, and its simulation."""

from dalenius.attacks.bayes.attack import (
    Attained as Attained,
    BayesAttack as BayesAttack,
    PairTest as PairTest,
    bayes_attack as bayes_attack,
    bayes_attacks as bayes_attacks,
)
from dalenius.attacks.bayes.simulation import (
    Simulated as Simulated,
    check_playable as check_playable,
    simulated as simulated,
)
