"""The values of the secrets of a long chain or large network: whole records, or one stage of each.

A household's day lists what Ana and what Bob has. Bob is well in two of its four values:

>>> from dalenius.process import Process
>>> days = [Process(("ana", "bob"), (a, b)) for a in (0, 1) for b in (0, 1)]
>>> found = SecretValues.of([Stratum("", tuple(days), 9)], Secrets(stage="bob"))
>>> found.values, found.places.tolist()
(((0, 1),), [[0, 1, 0, 1]])
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray
from dalenius.channel.secrets import Secrets, subject_at
from dalenius.fields import RecordValue
from dalenius.joints import Stratum, Subject


@final
@dataclass(frozen=True)
class SecretValues:
    """The values of the secrets, by stratum.

    Args:
        values: The secret's values, by stratum.
        places: Which of them each value of a record has (strata, k), by number.
        secrets: The section of the release.
    """

    values: tuple[tuple[RecordValue, ...], ...]
    places: IntArray
    secrets: Secrets

    @classmethod
    def of(cls, strata: Sequence[Stratum], secrets: Secrets) -> Self:
        every = [secrets.values_of(stratum) for stratum in strata]
        own = [tuple(dict.fromkeys(values)) for values in every]
        places = np.zeros((len(every), max(map(len, every))), dtype=np.int64)
        for row, values, different in zip(places, every, own, strict=True):
            row[: len(values)] = [different.index(value) for value in values]
        return cls(tuple(own), places, secrets)

    @property
    def of_stages(self) -> bool:
        """Whether the secret is one stage of a record."""
        return self.secrets.stage is not None

    @property
    def most(self) -> int:
        """The most values that a secret can have."""
        return max(map(len, self.values))

    def subject(self, whole: Subject) -> Subject:
        """Returns the people with their secrets, from those whose secrets are whole records."""
        return whole if self.secrets.stage is None else subject_at(whole, self.secrets.stage)

    def against(self, strata: IntArray, states: int) -> NDArray[np.bool_]:
        """Returns the pairs of values of each record that must not be distinguished (records, k, k).

        Args:
            strata: The stratum of each record (records,).
            states: The number of values k.
        """
        # Because each of 10^5 records has the same pairs, this is a view and not a copy.
        if self.secrets.pairs is None:
            return np.broadcast_to(np.ones((states, states), dtype=np.bool_), (len(strata), states, states))
        found = np.zeros((len(self.values), states, states), dtype=np.bool_)
        for kind, values in enumerate(self.values):
            for one, other in self.secrets.pairs:
                # Because a pair of the spec may be of another stratum's values: nobody here has it to hide.
                if one in values and other in values:
                    first, second = values.index(one), values.index(other)
                    found[kind, first, second] = found[kind, second, first] = True
        return np.asarray(found[strata])
