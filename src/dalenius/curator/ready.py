"""An ask as far as it may go before it is paid for: which noise, what it costs. It hangs on what is public alone, so
that it may be found anywhere: in another process too."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, final

from dalenius.calibration import Calibration
from dalenius.channel import Release
from dalenius.curator.certificate import NoiseCertificate
from dalenius.curator.noised import Prepared, prepared
from dalenius.curator.opened import Public
from dalenius.curator.policed import PolicyCertificate, without_witness
from dalenius.curator.policy import Ask, DataSet, Measure
from dalenius.curator.policy.ask import TOGETHER, too_many
from dalenius.curator.policy.kinds_of import parts_of
from dalenius.curator.within import noise_within
from dalenius.errors import InputError
from dalenius.spec import Spec, canonical
from dalenius.tables import Source


@final
@dataclass(frozen=True)
class Asked:
    """All that decides it. source: with the measure as its value; public: of the table; analyst: who has it computed,
    on whom nothing of it hangs."""

    data: DataSet
    measure: Measure
    source: Source
    public: Public
    ask: Ask
    analyst: str


@final
@dataclass(frozen=True)
class Ready:
    """spec: what is asked, in one canonical text; prepared: its noise and its cost."""

    spec: str
    prepared: Prepared


Compute: TypeAlias = Callable[[Asked], Ready]


def ready_of(asked: Asked) -> Ready:
    """InputError and Refused where it cannot be asked; OverflowError or ZeroDivisionError where its numbers are too
    large or too small to compute with."""
    data, measure, ask = asked.data, asked.measure, asked.ask
    spec = _spec(asked)
    text, promises = canonical(spec), spec.all_promises()

    def certify(calibration: Calibration) -> PolicyCertificate:
        shown = calibration if {"people", "households"} <= set(data.public) else without_witness(calibration)
        own = NoiseCertificate(promises, asked.public.size, spec, shown)
        return PolicyCertificate(promises, asked.public.size, spec, own, data, measure, ask.query)

    release, terms = _release(asked, spec), (data.accept_unsound, data.method)
    return Ready(text, prepared(release, promises, text, certify, False, ask.confidence, *terms))


def spec_text(data: DataSet, measure: Measure, source: Source, ask: Ask) -> str | None:
    """What is asked, as `Ready` says it, where nothing has to be computed for it; else None."""
    return None if ask.within is not None else canonical(_plain(data, measure, source, ask))


def _plain(data: DataSet, measure: Measure, source: Source, ask: Ask) -> Spec:
    share = data.epsilon if ask.epsilon is None else ask.epsilon
    return Spec(model=measure.belief, query=ask.query, noise=ask.noise, notion=data.promised(share), data=source)


def _spec(asked: Asked) -> Spec:
    """Its noise is complete unless its share of the budget is to find it."""
    spec, ask = _plain(asked.data, asked.measure, asked.source, asked.ask), asked.ask
    if ask.within is None:
        return spec
    return spec.altered({"noise": noise_within(_release(asked, spec), ask.within, ask.confidence)})


def _release(asked: Asked, spec: Spec) -> Release:
    """InputError for more answers at once than are computed: how many of several queries hangs on the labels too."""
    found = spec.altered({"model": asked.public.model}).calibrated()
    if parts_of(asked.ask.query) > 1 and len(found.names) > TOGETHER:
        raise InputError("ask.query", asked.ask.query.kind, too_many(len(found.names)))
    return found
