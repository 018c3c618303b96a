"""The noise of an inquiry and its price, as a process that found them hands them back; and the release made of them.

To find the noise takes long; the model and its laws, from which it is found, are here already. So a process hands back
some kilobytes, and the release is put together from them and from the table's own model.

A count of two households of four gets geometric noise of scale 3.51681108 in another process: here the release is the
same that was found there, with the same certificate, and draws with this noise.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from dalenius.calibration import Calibration
from dalenius.channel import Release
from dalenius.curator.analyst_question import Ask, plain_spec
from dalenius.curator.certificate import ReleaseTerms
from dalenius.curator.cost_of_releases import Convert, Entry
from dalenius.curator.inquiry import Inquiry, ready_of
from dalenius.curator.policy_question import PolicyQuestion
from dalenius.curator.prepared_release import Prepared, Ready
from dalenius.noise import Noise
from dalenius.queries import Query


@final
@dataclass(frozen=True)
class Priced:
    """The part of a prepared release that is computed.

    Attributes:
        calibration: The noise, and what it leaks.
        cost: What it costs, without its conversion, which is made again from the model.
        converts: Whether it has one.
        wanted: The noise that the request names; of one that names a distance, the noise that keeps it.
        advised: Advice on its intervals.
    """

    calibration: Calibration
    cost: Entry
    converts: bool
    wanted: Noise | None
    advised: str | None


def priced_of(inquiry: Inquiry) -> Priced | Ready:
    """Finds the noise of an inquiry. It raises what `ready_of` does.

    A release that has no model's laws is handed over whole.
    """
    found = ready_of(inquiry)
    if not isinstance(found, Prepared):
        return found
    cost, wanted = found.cost, found.terms.spec.noise
    return Priced(found.calibration, replace(cost, convert=None), cost.convert is not None, wanted, found.advised)


def prepared_from(
    priced: Priced | Ready, inquiry: Inquiry, bare: Callable[[Query], Release], convert: Convert
) -> Ready:
    """Returns the release that `ready_of` would have prepared.

    Args:
        priced: What was found of it.
        inquiry: What is asked.
        bare: Any question of the same people, with any noise.
        convert: The conversion of losses under their model.
    """
    if isinstance(priced, Ready):
        return priced
    data, asked = inquiry.data, inquiry.ask
    assert isinstance(asked, Ask)
    ask = asked.in_one_form(inquiry.public)
    spec = plain_spec(data, inquiry.measure, ask)
    if ask.within is not None:
        spec = spec.altered({"noise": priced.wanted})
    question = PolicyQuestion(data, inquiry.measure, ask.query)
    promised = ReleaseTerms(spec.all_promises(), inquiry.public.size, spec, question)
    cost = replace(priced.cost, convert=convert) if priced.converts else priced.cost
    chosen = bare(spec.query or ask.query).with_noise(priced.calibration.noise)
    return Prepared(cost, ask.confidence, priced.advised, priced.calibration, chosen, promised)
