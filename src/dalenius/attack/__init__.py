"""What an adversary infers from a release, carried out."""

from dalenius.attack.bayes import (
    Attained as Attained,
    BayesAttack as BayesAttack,
    PairTest as PairTest,
    bayes_attack as bayes_attack,
    bayes_attacks as bayes_attacks,
)
from dalenius.attack.simulation import Simulated as Simulated, check_playable as check_playable, simulated as simulated
