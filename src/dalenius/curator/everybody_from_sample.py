"""The estimate of everybody's answer from that of a sample: the answer over the rate (Horvitz and Thompson 1952).

A tenth of the people are asked, and 6 are counted, with an interval of 2 to 10 for the sample's exact count:

>>> from dalenius.bounds import Enclosure
>>> from dalenius.models import Independent, Sample, Sampled
>>> survey = Sampled(population=Independent(n=1000, probabilities=[0.3]), sample=Sample(rate=0.1))
>>> everybody_json(survey, Precision(0.95, (Enclosure(2.0, 10.0),), None), [Fraction(6)])
{'rate': 0.1, 'estimate': [60.0], 'interval': [[20.0, 100.0]]}
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dalenius.calibration import Precision
from dalenius.models import Model, finite_joints
from dalenius.models.sample import SAMPLING_ERROR, Sample
from dalenius.spec.results_as_json import number


def sampling_json(model: Model, precision: Precision, answers: Sequence[Fraction | str]) -> dict[str, Any]:
    """Returns what a certificate says where a sample is asked, ready for JSON; nothing where everybody is.

    Args:
        model: The model.
        precision: The intervals of the answers.
        answers: The answers.
    """
    if model.drawn() is None:
        return {}
    return {"sampling_error": SAMPLING_ERROR, "everybody": everybody_json(model, precision, answers)}


def sampling_rows(model: Model, precision: Precision, answers: Sequence[Fraction | str]) -> list[list[str]]:
    """Returns what a certificate says where a sample is asked, in words, as rows of two.

    Args:
        model: The model.
        precision: The intervals of the answers.
        answers: The answers.
    """
    if model.drawn() is None:
        return []
    found = everybody_json(model, precision, answers)
    rows = [["sampling error", SAMPLING_ERROR]]
    if found is None or len(answers) > 1 or found["estimate"][0] is None:
        return rows
    estimate, interval = found["estimate"][0], found["interval"][0]
    ends = [] if interval is None else [end if isinstance(end, str) else f"{end:.6g}" for end in interval]
    of_noise = f"; {' to '.join(ends)} by the noise alone" if ends else ""
    said = f"about {estimate:.6g}, the answer over the rate of {found['rate']:.6g}, without bias{of_noise}"
    return [*rows, ["everybody", said]]


def everybody_json(model: Model, precision: Precision, answers: Sequence[Fraction | str]) -> dict[str, Any] | None:
    """Returns the rate, the estimates, and the intervals over the rate; None where people have several rates.

    An estimate is null for an answer that is a word, and an interval where there is none.

    Args:
        model: The model of a sample.
        precision: The intervals of the answers.
        answers: The answers.
    """
    sample = model.drawn()
    rate = None if sample is None else _rate(model, sample)
    if rate is None:
        return None
    return {
        "rate": rate,
        "estimate": [None if isinstance(answer, str) else _over(float(answer), rate) for answer in answers],
        "interval": [
            None if each is None else [number(_over(end, rate)) for end in (each.lower, each.upper)]
            for each in precision.intervals
        ],
    }


def _rate(model: Model, sample: Sample) -> float | None:
    """Returns the one rate of a sample of the model; None where there are several, or the people are not known yet."""
    if sample.size is None:
        return next(iter(sample.rates)) if len(sample.rates) == 1 else None
    # Because a table of everybody says how many there are, and the spec of a release has no table's people.
    return finite_joints(model)[0].sampling_rate if sample.drawn == "already" else None


def _over(value: float, rate: float) -> float:
    """Returns the value over the rate, to ten digits."""
    return float(f"{value / rate:.10g}")
