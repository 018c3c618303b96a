"""A pipeline as a file says it, and its privacy profile (Result 13.4)."""

import json
from collections.abc import Mapping
from math import fsum
from pathlib import Path
from typing import Any, Final, Literal, final

from pydantic import ValidationError, model_validator

from dalenius.bounds import UNIT
from dalenius.conversion.events.curve import Curve, Known
from dalenius.conversion.events.kinds import AnyEvent, Event
from dalenius.conversion.events.losses import Losses, profile_rows
from dalenius.conversion.profile import PrivacyProfile, PureProfile
from dalenius.conversion.tabulated import TabulatedProfile
from dalenius.errors import InputError
from dalenius.schema import Frozen, first_problem

ROWS: Final = 300
LEAST: Final = 1e-14
"""The δ at which a table ends."""


@final
class Pipeline(Frozen):
    """neighbours: what the events' guarantees compare; event: what is done. InputError for a sample whose neighbours
    differ in a value: sampling is understood where a record is there or is not."""

    neighbours: Literal["replace", "add_remove"]
    event: AnyEvent

    @model_validator(mode="after")
    def _sampled(self) -> "Pipeline":
        kinds = {answer.kind for answer in self.answers()}
        if self.neighbours == "replace" and "poisson_sampled" in kinds:
            raise ValueError("neighbours add_remove, where a poisson_sampled event is")
        return self

    def answers(self) -> Mapping[Event, int]:
        """How often each answer is given."""
        found: dict[Event, int] = {}
        for answer, count in self.event.answers(1):
            found[answer] = found.get(answer, 0) + count
        return found

    def profile(self) -> PrivacyProfile:
        """From above; exact where all answers are of one kind that adds up, or there is but one."""
        curves = self._curves()
        if not curves:
            return PureProfile(0.0)
        if len(curves) == 1:
            ((curve, count),) = curves
            if count == 1 and (known := curve.known()) is not None:
                return known
        directions = [_composed(curves, removed) for removed in ((True,) if _one(curves) else (True, False))]
        return _table(directions, _pure(curves))

    def _curves(self) -> list[tuple[Curve, int]]:
        curves, amounts, together = [], dict[str, list[float]](), {}
        for answer, count in self.answers().items():
            amount = answer.amount()
            if amount is None:
                curves.append((answer.curve(), count))
            else:
                amounts.setdefault(type(answer).__name__, []).append(amount * count)
                together[type(answer).__name__] = answer.together
        for family, parts in amounts.items():
            curves.append((Known(together[family](fsum(parts) * (1 + 4 * UNIT))), 1))
        return curves


def _one(curves: list[tuple[Curve, int]]) -> bool:
    return all(curve.one for curve, _ in curves)


def _composed(curves: list[tuple[Curve, int]], removed: bool) -> Losses:
    total = sum(count for _, count in curves)
    found: Losses | None = None
    for curve, count in curves:
        part = curve.losses(removed, total).times(count)
        found = part if found is None else found.with_(part)
    assert found is not None
    return found


def _pure(curves: list[tuple[Curve, int]]) -> float | None:
    nats = [(curve.pure, count) for curve, count in curves]
    return None if any(each is None for each, _ in nats) else fsum((e or 0.0) * n for e, n in nats) * (1 + 4 * UNIT)


def _table(directions: list[Losses], pure: float | None) -> TabulatedProfile:
    """Rows up to where δ is next to nothing; and the one from which on it is 0."""
    epsilons, deltas = (each.tolist() for each in profile_rows(directions, ROWS, LEAST))
    if pure is not None:
        kept = sum(each < pure for each in epsilons)
        epsilons, deltas = [*epsilons[:kept], pure], [*deltas[:kept], 0.0]
    return TabulatedProfile(tuple(epsilons), tuple(deltas))


def read_event(path: Path) -> Pipeline:
    """The pipeline in a JSON file. InputError, in one line, for what is none."""
    try:
        given: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("event", str(path), f"a file that can be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError("event", str(path), "text in UTF-8") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError("event", str(path), f"JSON ({error})") from None
    try:
        return Pipeline.model_validate(given)
    except ValidationError as error:
        raise first_problem(error, "", given) from None
