"""What the bounds and limits of this folder read of a world of records."""

from typing import Protocol

from dalenius.joints import Joint


class WorldOfRecords(Protocol):
    """A joint law under a question. `channel.record_world.RecordWorld` is one; these bounds are made for it."""

    @property
    def joint(self) -> Joint: ...
