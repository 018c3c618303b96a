"""The chains and networks that records are made of, with what each record adds to a sum."""

from functools import singledispatch

import numpy as np

from dalenius.joints.joint import Joint
from dalenius.joints.network.network import NetworkLaw
from dalenius.joints.product import ProductLaw
from dalenius.laws.law import IntArray
from dalenius.ratios.large.chain_ends import ChainEnds
from dalenius.ratios.large.network_ends import NetworkEnds
from dalenius.ratios.large.outermost import Ends


@singledispatch
def ends_of(joint: Joint, indices: IntArray) -> tuple[Ends, ...]:
    """Independent of each other, for a sum to which each slot adds that much (slots,); none if some records are in
    none."""
    return tuple(ChainEnds(chain, indices[chain.slots]) for chain in joint.chains)


@ends_of.register
def _product(joint: ProductLaw, indices: IntArray) -> tuple[Ends, ...]:
    parts = [
        [each.within(placed.numbering) for each in ends_of(placed.joint, indices[placed.numbering.slots])]
        for placed in joint.placed
    ]
    return tuple(each for part in parts for each in part) if all(parts) else ()


@ends_of.register
def _network(joint: NetworkLaw, indices: IntArray) -> tuple[Ends, ...]:
    components, records = [each for own in joint.types for each in own], joint.records
    if sum(len(each.nodes) for each in components) < len(records.names):
        return ()
    kinds = np.array(records.stratum, dtype=np.int64)
    sizes = np.array([len(stratum.values) for stratum in records.strata], dtype=np.int64)
    found = np.zeros((len(sizes), int(sizes.max())), dtype=np.int64)
    for row, first, size in zip(found, records.first_slot, sizes, strict=False):
        own = indices[first : first + size]
        row[:] = own.min()
        row[:size] = own
    return (NetworkEnds(components, kinds, sizes[kinds], found[kinds], records.error),)
