"""What the room offers, and from which file; `__init__` reads it."""

from .chain_joint_law import chain_of as chain_of
from .factor import Factor as Factor, all_outcomes as all_outcomes, count_outcomes as count_outcomes
from .identical_groups import tabled as tabled
from .independent_groups_law import product_of_groups as product_of_groups
from .joint import (
    Belief as Belief,
    Joint as Joint,
    Stratum as Stratum,
    Subject as Subject,
    count_people as count_people,
    factor_strata as factor_strata,
    finite_law as finite_law,
    group_strata as group_strata,
    one_group as one_group,
    own_label as own_label,
    people_of as people_of,
)
from .markov_chain_factor import MarkovChain as MarkovChain
from .product_of_joint_laws import chains_of as chains_of, product_of as product_of
from .reported_law import ReportedLaw as ReportedLaw
