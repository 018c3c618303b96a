"""A curator: a policy, its tables and its ledger, for all who may ask."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import final

from dalenius.curator.desk import Desk
from dalenius.curator.ledger import Budget, Ledger
from dalenius.curator.opened import Moved
from dalenius.curator.policy import Policy
from dalenius.curator.ready import Compute, ready_of
from dalenius.curator.session import Session
from dalenius.errors import InputError
from dalenius.tables import Held


@final
class Curator:
    """Safe for threads; one in a process is enough. Tables are opened when first asked about, or by `check`."""

    def __init__(
        self,
        policy: Policy,
        folder: Path = Path(),
        people: Mapping[str, Held] | None = None,
        ledger: str | None = None,
        compute: Compute = ready_of,
    ) -> None:
        """folder: what the policy's paths are relative to; people: by data set what is held of it, instead of where the
        policy says; ledger: instead of the policy's; compute: by which noises are found, in place by default."""
        self.policy = policy
        self._desk = Desk(policy, folder, people, ledger, compute)

    def session(self, analyst: str, data: str) -> Session:
        """InputError for a data set that there is not, NotAllowed for an analyst who is none of its own."""
        return Session.at(self._desk, analyst, data)

    @property
    def ledger(self) -> Ledger:
        """Of all its data sets."""
        return self._desk.ledger

    def check(self) -> None:
        """Opens every table. InputError names what is not as the policy says: for the curator, not for analysts."""
        for data in self.policy.data:
            self._desk.check(data)
        self._check_bytes()

    def new_beside_others(self) -> Iterator[str]:
        """Advice for the curator, of data sets whose names are new in a ledger of others."""
        return self._desk.new_beside_others([data.name for data in self.policy.data])

    def look(self) -> None:
        """Asks every table for a row: it raises where one does not answer, or is not as the policy says."""
        for data in self.policy.data:
            for measure in data.measures:
                self._desk.opened(data, measure).look()

    def _check_bytes(self) -> None:
        """InputError where two data sets are of the same bytes: their people would have two budgets. Only those are
        compared that have as many people."""
        opened = {data.name: self._desk.opened(data, data.measures[0]) for data in self.policy.data}
        sizes = Counter(each.size for each in opened.values())
        known: dict[str, str] = {}
        for name, each in opened.items():
            if sizes[each.size] > 1:
                with suppress(Moved), each.at_once():
                    other = known.setdefault(each.fingerprint, name)
                    if other != name:
                        wanted = f"people of its own: {other!r} has the same bytes, and they have no second budget"
                        raise InputError("data", name, wanted)

    def budget(self, data: str) -> Budget:
        """Of a data set: what there was, what all analysts together have spent, and what is left."""
        return self._desk.budget(self.policy.data_set(data))

    def close(self) -> None:
        """Lets go of the tables. They are opened again where something is asked."""
        self._desk.close()
