"""A table to practise on under a policy: drawn from a measure's model, never from the data, and in no ledger.

Ana asks for a count of the practice table. It has as many people as the data set, in households of the same sizes, as
both are public; who is ill is drawn from the model. Noise of the same law is added as to a real answer, as often as she
likes, and she is shown the exact answer too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, final

import numpy as np

from dalenius.curator.data_set_policy import DataSet, Measure, NotAllowed
from dalenius.curator.limits import PRACTICE_PEOPLE
from dalenius.curator.prepared_release import Prepared, Ready
from dalenius.curator.recorded_answers import Publication
from dalenius.errors import InputError
from dalenius.joints.drawn_records import DrawnRecords
from dalenius.joints.joint import finite_law
from dalenius.models import Model
from dalenius.noise import NoNoise
from dalenius.spec.practice import PRACTICE, as_practice
from dalenius.spec.precision_shown import KEYS
from dalenius.spec.results_as_json import answer_json
from dalenius.tables import answer_in_slots, plain_answer


@final
@dataclass(frozen=True)
class Practised:
    """An answer of a table to practise on.

    Attributes:
        published: What would have gone out, marked as practice.
        exact: The exact answers, which are known as nobody's data are behind them.
    """

    published: Publication
    exact: tuple[Any, ...]

    def as_json(self) -> dict[str, Any]:
        """Returns the answer ready for JSON, beginning with its mark."""
        certificate = dict(self.published.certificate)
        return {
            "practice": PRACTICE,
            "answers": [answer_json(each) for each in self.published.answers],
            "exact": [answer_json(each) for each in self.exact],
            "labels": list(self.published.labels),
            **{key: certificate[key] for key in KEYS if key in certificate},
            "certificate": certificate,
        }


@final
class PracticeTable:
    """The records of a table to practise on, as numbers of people. The same arguments give the same table.

    Args:
        model: The model, of the people that there are; it says nothing that is not public.
        name: A text that decides which table is drawn.
    """

    def __init__(self, model: Model, name: str) -> None:
        drawn = DrawnRecords(_first_law(model))
        if drawn.people > PRACTICE_PEOPLE:
            wanted = f"a model of at most {PRACTICE_PEOPLE:,} people to practise on (limit {PRACTICE_PEOPLE.name})"
            raise InputError("ask.measure", f"{drawn.people:,} people", wanted)
        random = np.random.default_rng(int.from_bytes(sha256(name.encode()).digest()[:8], "big"))
        (slots,) = next(drawn.slots(1, random))
        self._counts = np.bincount(slots, minlength=sum(len(each.values) for each in drawn.strata)).tolist()

    def answer(self, ready: Ready) -> Practised:
        """Draws an answer, with the noise of the data's; the next call draws another one.

        Args:
            ready: The release of the data, of which nothing is drawn: of a query about a measure (`check_practised`).
        """
        assert isinstance(ready, Prepared)
        spec = ready.terms.spec
        assert spec.data is not None
        marked = replace(ready.terms, spec=spec.altered({"data": as_practice(spec.data)}))
        published = replace(ready, terms=marked).drawn(answer_in_slots(ready.chosen, self._counts))
        exact = plain_answer(ready.chosen.scores, self._counts)
        return Practised(published, NoNoise().draw(exact, ready.chosen.lattice))


def _first_law(model: Model) -> Any:
    """Returns the first law of a model. InputError where it is none of finitely many values."""
    law = finite_law(model.joints()[0])
    if law is None:
        wanted = "a model of numbers, not of intervals, and of finitely many values, to draw a practice table from"
        raise InputError("ask.measure", model.kind, wanted)
    return law


def why_no_practice(data: DataSet, measure: Measure) -> str | None:
    """Returns why there is no table of a measure to practise on; None where there is one.

    Such a table would tell how many people, households or labels there are, where that is not public.

    Args:
        data: The data set, with what is public about it.
        measure: The measure of it.
    """
    needed: Mapping[str, tuple[bool, str]] = {
        "people": (True, "how many people there are is not public"),
        "households": (bool(measure.model.household_columns), "who lives with whom is not public"),
        "labels": (measure.source_in(data.source).label is not None, "how many people have each label is not public"),
    }
    missing = [why for key, (used, why) in needed.items() if used and key not in data.public]
    return missing[0] if missing else None


def check_practised(data: DataSet, measure: Measure) -> None:
    """Refuses a measure without a table to practise on.

    Args:
        data: The data set, with what is public about it.
        measure: The measure of it.

    Raises:
        NotAllowed: For a measure without such a table, with the reason.
    """
    if (why := why_no_practice(data, measure)) is not None:
        raise NotAllowed("measure", measure.name, f"a measure to practise on: of this one {why}")
