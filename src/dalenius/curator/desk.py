"""What all sessions of a curator share: the policy, the ledger, the tables that are open, the noises found."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final, final

from dalenius.calibration import Calibration
from dalenius.channel import Release
from dalenius.curator.certificate import NoiseCertificate
from dalenius.curator.ledger import Budget, Ledger
from dalenius.curator.noised import Prepared, prepared
from dalenius.curator.opened import Opened
from dalenius.curator.policed import PolicyCertificate, without_witness
from dalenius.curator.policy import Ask, DataSet, Measure, Policy
from dalenius.curator.within import noise_within
from dalenius.errors import InputError
from dalenius.spec import Spec, canonical
from dalenius.tables import Held

REMEMBERED: Final = 512
"""So many asks' noises are kept: estimating one again is free, and so is asking what was estimated."""


@final
@dataclass(frozen=True)
class Ready:
    """An ask as far as it may go before it is paid for; spec: what is asked, in one canonical text."""

    spec: str
    prepared: Prepared


@final
class Desk:
    """Safe for threads. Tables are opened when they are first asked about, each once.

    A noise that was found is kept by what is asked: it depends on the policy, the ask and what is public, so whoever
    asks the same is told the same.
    """

    def __init__(
        self, policy: Policy, folder: Path, people: Mapping[str, Held] | None = None, ledger: str | None = None
    ) -> None:
        self.policy, self.folder = policy, folder
        address = ledger if ledger is not None else policy.ledger
        self.ledger = Ledger(address if "://" in address else folder / address)
        self._people = dict(people or {})
        for name in self._people:
            policy.data_set(name)
        self._lock = Lock()
        self._engines = {data.name: Lock() for data in policy.data}
        self._opened: dict[tuple[str, str], Opened] = {}
        self._found: OrderedDict[tuple[str, str, str, str], Ready] = OrderedDict()

    def opened(self, data: DataSet, measure: Measure) -> Opened:
        """The measure's table, opened again where what is public of it has changed. Who asks about another data set
        need not wait while it is opened. InputError where it is not what the policy says; or where a version that is
        said to be frozen has changed: then it stays closed."""
        key = data.name, measure.name
        engine = self._engines[data.name]
        with engine:
            there = self._opened.get(key)
            if there is None or not there.is_current():  # whoever is reading the old one goes on
                held = self._people.get(data.name)
                there = self._opened[key] = Opened(data, measure, self.folder, held, engine)
            self.check_frozen(there)
            return there

    def check_frozen(self, opened: Opened) -> None:
        """InputError where it should be frozen, and is not what was asked before. For whoever holds the engine."""
        if opened.data.frozen:
            self.ledger.check_frozen(opened.data.name, opened.data.version, opened.fingerprint)

    def check(self, data: DataSet) -> None:
        """Opens all its tables, and looks at everything that decides whether they can be asked: for the curator, not
        for analysts. InputError names what is not as the policy says."""
        for measure in data.measures:
            self.opened(data, measure).check_values()
        self.budget(data)

    def budget(self, data: DataSet) -> Budget:
        """Of all its analysts together. InputError where the ledger gave it another budget than the policy says."""
        delta = data.notion.promised_delta or 0.0
        found = self.ledger.budget(data.name)
        if not found.initial:
            return Budget(data.epsilon, 0.0, delta=delta)
        if found.initial != data.epsilon or found.delta != delta:
            given = f"{found.initial!r} at delta {found.delta!r}, what it was given in the ledger"
            raise InputError(f"data {data.name!r} notion", f"epsilon {data.epsilon!r} at delta {delta!r}", given)
        return found

    def ready(self, opened: Opened, ask: Ask) -> Ready:
        """What is asked, with its noise and what it costs; nothing of it looks at the values of the table."""
        key = opened.data.name, opened.measure.name, opened.public.digest, ask.model_dump_json()
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        found = _ready(opened, ask)
        with self._lock:
            self._found[key] = found
            while len(self._found) > REMEMBERED:
                self._found.popitem(last=False)
        return found

    def close(self) -> None:
        while self._opened:
            _, opened = self._opened.popitem()
            opened.close()
        self.ledger.close()


def _ready(opened: Opened, ask: Ask) -> Ready:
    data, measure = opened.data, opened.measure
    spec = _spec(opened, ask)
    asked, promises = canonical(spec), spec.all_promises()

    def certify(calibration: Calibration) -> PolicyCertificate:
        shown = calibration if {"people", "households"} <= set(data.public) else without_witness(calibration)
        own = NoiseCertificate(promises, opened.size, spec, shown)
        return PolicyCertificate(promises, opened.size, spec, own, data, measure, ask.query)

    release, terms = _release(opened, spec), (data.accept_unsound, data.method)
    return Ready(asked, prepared(release, promises, asked, certify, False, ask.confidence, *terms))


def _spec(opened: Opened, ask: Ask) -> Spec:
    """Its noise is complete unless its share of the budget is to find it."""
    data = opened.data
    share = data.epsilon if ask.epsilon is None else ask.epsilon
    spec = Spec(
        model=opened.measure.belief,
        query=ask.query,
        noise=ask.noise,
        notion=data.promised(share),
        data=opened.source,
    )
    if ask.within is None:
        return spec
    return spec.altered({"noise": noise_within(_release(opened, spec), ask.within, ask.confidence)})


def _release(opened: Opened, spec: Spec) -> Release:
    return spec.altered({"model": opened.model}).calibrated()
