"""Advice for analysts: the precision that a question would have without the few people in the largest households.

121 people in households of eleven may set the noise for all. The same question is priced for the others, by a model of
them alone: what is public decides it, and no value of the table.
"""

from dataclasses import replace

from dalenius.calibration import group_words, widest
from dalenius.channel import Release
from dalenius.curator.analyst_question import Ask
from dalenius.curator.inquiry import Inquiry, Public
from dalenius.curator.prepared_release import Prepared, Ready
from dalenius.curator.priced_noise import Priced
from dalenius.models.largest_groups import Smaller


def of_fewer(inquiry: Inquiry) -> tuple[Inquiry, Smaller] | None:
    """Returns the same inquiry about the people outside the largest households, and who is left out.

    None where there is no such advice: who lives with whom is not public, the noise is given, a distance is wanted, or
    the question is not about a measure.
    """
    public, ask = inquiry.public, inquiry.ask
    if not isinstance(ask, Ask) or ask.epsilon is None or not {"people", "households"} <= set(inquiry.data.public):
        return None
    smaller = public.model.without_largest()
    if smaller is None:
        return None
    homes = {home: count for home, count in public.homes.items() if sum(each for _, each in home) <= smaller.most}
    labels: dict[str, int] = {}
    for home, count in homes.items():
        for label, members in home:
            labels[label] = labels.get(label, 0) + members * count
    fewer = Public(sum(labels.values()), labels, homes, smaller.model)
    return replace(inquiry, public=fewer), smaller


def advice_on_fewer(ready: Ready, fewer: Inquiry, priced: Priced | Ready, smaller: Smaller) -> str | None:
    """Returns the advice in words; None where the noise would hardly be less.

    Args:
        ready: The release of everybody.
        fewer: The inquiry about the others.
        priced: The noise that it would have.
        smaller: Who is left out.
    """
    ask = fewer.ask
    assert isinstance(ask, Ask) and isinstance(ready, Prepared) and isinstance(priced, Priced)
    others = Release(fewer.public.model, ask.in_one_form(fewer.public).query, priced.calibration.noise)
    before = widest(ready.chosen, ready.calibration, ready.confidence)
    after = widest(others, priced.calibration, ready.confidence)
    return group_words(smaller, ready.calibration, before, after)
