"""Several records of which only pair laws are known: what every joint law with those pairs obeys (Theory §15)."""

from dalenius.laws.coupled.budget import Private as Private, of_private as of_private
from dalenius.laws.coupled.comonotone import (
    Bound as Bound,
    Coupled as Coupled,
    bound_of as bound_of,
    comonotone_bound as comonotone_bound,
)
from dalenius.laws.coupled.lattice import MOST as MOST, Grid as Grid
from dalenius.laws.coupled.neighbourhood import Neighbour as Neighbour, Neighbourhood as Neighbourhood
from dalenius.laws.coupled.sums import Sum as Sum, quantiles as quantiles
