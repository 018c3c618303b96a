"""The attack on noisy centroids of everybody's places (DDP §IV)."""

from dalenius.dependent.locations.attack import attack_locations as attack_locations
from dalenius.dependent.locations.centroids import NoisyCentroids as NoisyCentroids
from dalenius.dependent.locations.city import City as City
from dalenius.dependent.locations.priors import ByLaw as ByLaw, Prior as Prior, Weight as Weight, Within as Within
from dalenius.dependent.locations.results import LocationAttack as LocationAttack
from dalenius.dependent.locations.saved import Saved as Saved, digest_of as digest_of
from dalenius.dependent.locations.visits import (
    EDGES as EDGES,
    VISITS as VISITS,
    Patterns as Patterns,
    friends_among as friends_among,
    of_city as of_city,
    patterns_of as patterns_of,
)
