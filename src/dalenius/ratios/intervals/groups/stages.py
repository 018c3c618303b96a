"""Groups of processes of whose first values only a box of laws is known."""

from dataclasses import replace

import numpy as np

from dalenius.errors import InputError
from dalenius.joints.blocks import Block, starts_of
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.intervals.groups.block import CredalBlock
from dalenius.shared.group_stages import extended_block
from dalenius.shared.steps import Steps


def extended_set(block: CredalBlock, steps: Steps) -> CredalBlock:
    """The same groups, each value followed by those of the later stages: the law of a process given its first value is
    the same under every law of the box, so that probabilities stay linear (Result 21.31).

    InputError where values are drawn anew from the law of the first stage, which is not known then.
    """
    if not steps.alike:
        wanted = "a transition matrix beside intervals: persistence draws anew from a law that is not known"
        raise InputError("model.persistence", "probabilities that are intervals", wanted)

    def made(law: Array) -> Block:
        return extended_block(block.made(law), steps)

    def entry(whole: Block) -> IntArray:
        return np.asarray(block.entry(block.before)[_first_rows(block.before, whole, steps)])

    return replace(block, made=made, entry=entry)


def _first_rows(block: Block, whole: Block, steps: Steps) -> IntArray:
    """Of each row of the groups of processes, that of the values at the first stage."""
    starts = starts_of(block.alphabet)
    kinds = [steps.processes(values) for _, values in block.alphabet]
    first = np.concatenate([start + kind.first for start, kind in zip(starts, kinds, strict=False)])
    if len({member.stratum for member in block.members}) == len(block.members):
        values = whole.counts @ (first[:, None] == np.arange(starts[-1])).astype(np.int64)
        own = block.counts
    else:
        values, own = first[whole.table()[0]], block.table()[0]
    place = {tuple(row): i for i, row in enumerate(own.tolist())}
    return np.array([place[tuple(row)] for row in values.tolist()], dtype=np.int64)
