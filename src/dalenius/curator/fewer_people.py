"""Advice for analysts: the precision that a question would have without the few people in the largest households.

121 people in households of eleven may set the noise for all. The same question is priced for the others, by a model of
them alone: what is public decides it, and no value of the table.
"""

from dataclasses import replace

from dalenius.calibration import group_words, widest
from dalenius.channel import Release
from dalenius.curator.analyst_question import Inquiry, Public
from dalenius.curator.prepared_release import Prepared
from dalenius.curator.priced_noise import Priced
from dalenius.models.largest_groups import Smaller


def of_fewer(inquiry: Inquiry) -> tuple[Inquiry, Smaller] | None:
    """Returns the same inquiry about the people outside the largest households, and who is left out.

    None where there is no such advice: who lives with whom is not public, the noise is given, or a distance is wanted.
    """
    public, ask = inquiry.public, inquiry.ask
    if not {"people", "households"} <= set(inquiry.data.public) or ask.epsilon is None:
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


def advice_on_fewer(ready: Prepared, fewer: Inquiry, priced: Priced, smaller: Smaller) -> str | None:
    """Returns the advice in words; None where the noise would hardly be less.

    Args:
        ready: The release of everybody.
        fewer: The inquiry about the others.
        priced: The noise that it would have.
        smaller: Who is left out.
    """
    noise = priced.calibration.noise
    others = Release(fewer.public.model, fewer.in_one_form().ask.query, noise)
    before = widest(ready.chosen, ready.calibration, ready.confidence)
    after = widest(others, priced.calibration, ready.confidence)
    return group_words(smaller, ready.calibration, before, after)
