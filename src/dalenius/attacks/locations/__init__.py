"""The attack on noisy centroids of everybody's places (DDP §IV)."""

from dalenius.attacks.locations.attack import attack_locations as attack_locations
from dalenius.attacks.locations.centroids import NoisyCentroids as NoisyCentroids
from dalenius.attacks.locations.city import City as City
from dalenius.attacks.locations.priors import ByLaw as ByLaw, Prior as Prior, Weight as Weight, Within as Within
from dalenius.attacks.locations.results import LocationAttack as LocationAttack
from dalenius.attacks.locations.saved import Saved as Saved, digest_of as digest_of
from dalenius.attacks.locations.visits import (
    EDGES as EDGES,
    VISITS as VISITS,
    Patterns as Patterns,
    friends_among as friends_among,
    of_city as of_city,
    patterns_of as patterns_of,
)
