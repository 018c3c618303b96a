"""A law of few records as one group, row by row."""

from dataclasses import replace
from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import TooLarge
from dalenius.joints.groups.block import of_slots
from dalenius.joints.groups.groups import GroupsLaw, product_of_groups
from dalenius.joints.joint import Joint
from dalenius.laws.masses import Masses

MOST_ROWS: Final = 1 << 16
"""Of a law that is written out record by record."""


def written_out(joint: Joint, what: str, instead: str) -> GroupsLaw:
    """The same law as one group, row by row. TooLarge where there are too many; what, instead: for its message."""
    rows, strata = joint.outcome_count(), joint.strata()
    if rows > MOST_ROWS:
        raise TooLarge(what, f"a law of {float(rows):.2g} assignments beside one of another kind", instead)
    owner = np.repeat(np.arange(len(strata)), [len(stratum.values) for stratum in strata])
    slots, logs = joint.outcomes()
    alphabet = tuple((stratum.label, stratum.values) for stratum in strata)
    block = of_slots(1, alphabet, owner[slots[0]].tolist(), slots, Masses.of_logs(logs), "person of a law written out")
    rounding = (slots.shape[1] + 8) * (4 + float(np.max(np.abs(logs)))) * UNIT
    error = rounding + max(subject.class_error for subject in joint.subjects())
    return product_of_groups([replace(block, error=error)], joint.people())
