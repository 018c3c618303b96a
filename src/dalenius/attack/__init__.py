"""What an adversary infers from a release, carried out."""

from dalenius.attack.bayes import (
    Attained as Attained,
    BayesAttack as BayesAttack,
    PairTest as PairTest,
    bayes_attack as bayes_attack,
    bayes_attacks as bayes_attacks,
)
from dalenius.attack.simulation import Simulated as Simulated, check_playable as check_playable, simulated as simulated
from dalenius.dependent.locations import (
    EDGES as EDGES,
    VISITS as VISITS,
    ByLaw as ByLaw,
    City as City,
    LocationAttack as LocationAttack,
    NoisyCentroids as NoisyCentroids,
    Patterns as Patterns,
    Prior as Prior,
    Saved as Saved,
    Weight as Weight,
    Within as Within,
    attack_locations as attack_locations,
    digest_of as digest_of,
    friends_among as friends_among,
    of_city as of_city,
    patterns_of as patterns_of,
)
