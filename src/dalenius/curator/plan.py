"""A plan of a schedule: how precise one question can be in every period, and for how many periods a precision lasts.

Nothing is spent. A plan counts as the ledger does: the answers that it has, and one answer more in each period. Let
twenty people live in households of up to four, and be counted every month for a budget of 1 nat. If values stay with
0.9, the count is within ± 112 for 12 months (in 95 % of cases). It is within ± 144 if nothing is known of how values go
on.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, Final, Literal, final

from dalenius.bisection import bisected
from dalenius.calibration import expected, half_widths
from dalenius.curator import amounts
from dalenius.curator.amounts import DebitSums
from dalenius.curator.analyst_question import Ask
from dalenius.curator.budgets import Request
from dalenius.curator.cost_of_releases import Entry, Spent, spent_after
from dalenius.curator.curator import Curator
from dalenius.curator.data_set_policy import DataSet, Measure
from dalenius.curator.learned_ask import read_ask
from dalenius.curator.limits import MOST_PERIODS
from dalenius.curator.prepared_release import Prepared
from dalenius.errors import InputError
from dalenius.noise.noise import ScaledNoise
from dalenius.tabular import Cell, Tabular

Supposed = Literal["policy", "unknown"]
"""How values go on: as the policy says, or in the worst case."""
_FAR: Final = 1e9
"""The scale, in scales of an answer for all of the budget, beyond which nothing is left."""
_SHOWN: Final = (1, 2, 3, 4, 6, 9, 12, 18, 24, 36, 48, 60, 120, 240, 365, 500, 730, 1000)


@final
@dataclass(frozen=True)
class Planned:
    """One answer in each of so many periods.

    Attributes:
        periods: How many periods.
        half_width: How far each answer may be from the exact one, with the confidence, in the query's unit.
        scale: The scale of the noise.
        loss: What one answer loses between two values of a group, in nats.
        spent: What all answers spend of the budget, with those that the ledger has, in nats.
        route: The rule by which that is counted.
    """

    periods: int
    half_width: float
    scale: float
    loss: float
    spent: float
    route: str


@final
class Plan(Tabular):
    """A question that is asked once in each period of a schedule.

    Args:
        curator: The policy, its tables and its ledger.
        data: A data set with a schedule.
        measure: The measure that is asked about; None for the first.
        query: The kind of the query; None for the first that may be asked, a count if it may.
        confidence: That of the intervals.
        per_label: Whether each label has an answer of its own.

    Raises:
        InputError: For a data set without a schedule, or a question that no analyst may ask.
        Refused: Where the ledger knows the table as another data set's.
    """

    def __init__(
        self,
        curator: Curator,
        data: DataSet,
        measure: str | None,
        query: str | None,
        confidence: float,
        per_label: bool = False,
    ) -> None:
        if data.schedule is None:
            raise InputError("data.schedule", "missing", 'a schedule, as { every = "month", times = 36, .. }')
        self.data, self.schedule = data, data.schedule
        self._curator, self.measure = curator, _measure(data, measure)
        self.query, self.confidence, self.per_label = query or _kind(self.measure), confidence, per_label
        self._analyst = self._who_may_ask()
        history = curator.ledger.history()
        self._before = history.sums(data.name)
        self._opened = curator.opened(data, self.measure)
        curator.check_owner(self._opened)

    def _who_may_ask(self) -> str:
        """Returns the first analyst who may ask the question; InputError, as for the first of all, where nobody may."""
        refused = []
        for analyst in self.data.analysts:
            try:
                asked = read_ask(self._section() | {"epsilon": self.data.epsilon})
                assert isinstance(asked, Ask)
                self.data.allowed(analyst, self.measure.name, asked.query)
            except InputError as error:
                refused.append(error)
            else:
                return analyst.name
        raise refused[0]

    @property
    def cap(self) -> float:
        """The most that one analyst may spend, in nats: the largest cap, or the budget."""
        return max(each.epsilon or self.data.epsilon for each in self.data.analysts)

    @cached_property
    def expected(self) -> tuple[float, float] | None:
        """The range of the widest answer of one period under the model, with the confidence; None if not known."""
        ranges = [(float(each.low), float(each.high)) for each in expected(self._only.chosen, self.confidence)]
        return max(ranges, key=lambda each: each[1] - each[0], default=None)

    @property
    def remaining(self) -> int:
        """How many periods of the schedule are left, the policy's own version among them."""
        return max(0, self.schedule.times - len(set(self._before.periods) - {self.data.version}))

    @property
    def half_width(self) -> Mapping[int, tuple[float, float]]:
        """By numbers of periods up to those that are left: the precision, as supposed and in the worst case."""
        shown = sorted(
            {*(each for each in _SHOWN if each <= self.remaining), *([self.remaining] * (self.remaining > 0))}
        )
        return {
            number: (_width(self.for_periods(number)), _width(self.for_periods(number, "unknown"))) for number in shown
        }

    @property
    def caption(self) -> str:
        """The title of the table."""
        return f"How precise a {self.query} of {self.measure.name} can be each {self.schedule.every}"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each number of periods: half-widths in the query's unit, as supposed and in the worst case.

        They are infinite where nothing is left for so many.
        """
        return [
            {"periods": number, "half_width": supposed, "worst_case": worst}
            for number, (supposed, worst) in self.half_width.items()
        ]

    def for_periods(self, number: int, supposed: Supposed = "policy") -> Planned | None:
        """Returns the most precise answers that so many periods can have, or None where nothing is left for them.

        Args:
            number: How many periods, from the policy's version on.
            supposed: How values go on.
        """
        if number < 1:
            return None
        if number == 1 and not self._before.count and self._fits(self._only.cost, 1, supposed):
            return self._planned(self._only, 1, supposed)
        cost, noise = self._only.cost, self._only.calibration.noise
        if not isinstance(noise, ScaledNoise):
            return None

        def fits(scale: float) -> bool:
            # Because all losses of such noise are inverse to its scale, no leakage has to be computed for each.
            return self._fits(_scaled(cost, own / scale), number, supposed)

        own = noise.known_scale()
        low, high = 1e-9 * own, own
        while not fits(high):
            low, high = high, 2 * high
            if high > _FAR * own:
                return None
        found, _ = bisected(fits, high, low, relative=1e-7)
        return self._planned(self._ready(noise=noise.with_scale(found * (1 + 1e-9))), number, supposed)

    def within(self, distance: float, supposed: Supposed = "policy") -> Planned | None:
        """Returns for how many periods answers can be within a distance; None for not even one.

        Periods beyond the schedule count too.

        Args:
            distance: How far an answer may be from the exact one, with the confidence, in the query's unit.
            supposed: How values go on.
        """
        ready, most = self._ready(within=distance), int(MOST_PERIODS)
        if not self._fits(ready.cost, 1, supposed):
            return None
        if self._fits(ready.cost, most, supposed):
            return self._planned(ready, most, supposed)
        low, high = 1, most
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._fits(ready.cost, middle, supposed) else (low, middle)
        return self._planned(ready, low, supposed)

    def renewed(self, supposed: Supposed = "policy") -> tuple[int, float, float] | None:
        """Returns what a year of renewing budgets leaks; None where no budget renews.

        It is the number of periods in a year, what is lost of the values of the worst period, and of all of them.

        Args:
            supposed: How values go on.
        """
        if self.schedule.renewing is None:
            return None
        number, each = self.schedule.a_year, self.schedule.renewing
        whole = self._only.cost
        body = self._body(replace(whole, group_loss=each, differential=each / (whole.records or 1)), supposed)
        sums = DebitSums()
        for period in range(number):
            sums = sums.with_debit(body | {"version": f"{period:04}"})
        return number, spent_after(sums, body).nats, number * each

    @cached_property
    def _only(self) -> Prepared:
        """The answer that takes all of the budget: its noise is that of the policy's method."""
        return self._ready(epsilon=self.data.epsilon)

    def _ready(self, **terms: Any) -> Prepared:
        given = {
            key: each.model_dump(mode="json") if hasattr(each, "model_dump") else each for key, each in terms.items()
        }
        found = self._curator.ready(self._opened, read_ask(self._section() | given), self._analyst)
        assert isinstance(found, Prepared)
        return found

    def _section(self) -> dict[str, Any]:
        """Returns the ask as a section, without its price."""
        query = {"kind": self.query, **({"per_label": True} if self.per_label else {})}
        return {"measure": self.measure.name, "query": query, "confidence": self.confidence}

    def _body(self, cost: Entry, supposed: Supposed) -> dict[str, Any]:
        goes_on = None if supposed == "unknown" else self.schedule.goes_on
        request = Request(
            self.data.name,
            "",
            cost.spec,
            self.data.epsilon,
            version=self.data.version,
            frozen=self.data.frozen,
            goes_on=goes_on,
        )
        return request.as_body() | cost.as_body()

    def _spent(self, cost: Entry, number: int, supposed: Supposed) -> Spent:
        """Returns what so many answers spend after those that the ledger has."""
        body, sums = self._body(cost, supposed), self._before
        if supposed == "unknown":
            sums = replace(sums, goes_on=None)
        for version in self._versions(number):
            sums = sums.with_debit(body | {"version": version})
        return spent_after(sums, body, self.data.notion.promised_delta or 0.0, cost.convert)

    def _versions(self, number: int) -> Iterator[str]:
        """Yields the version of the policy, and then names that come after it as texts."""
        yield self.data.version
        for later in range(1, number):
            yield f"~{later:06}"

    def _fits(self, cost: Entry, number: int, supposed: Supposed) -> bool:
        renewing = self.schedule.renewing
        if renewing is not None and not cost.group_loss <= renewing:
            return False
        spent = self._spent(cost, number, supposed)
        return spent.amount <= amounts.budget(self.data.epsilon) or (
            spent.route == "alone" and cost.leakage <= self.data.epsilon
        )

    def _planned(self, ready: Prepared, number: int, supposed: Supposed) -> Planned | None:
        noise = ready.calibration.noise
        if not self._fits(ready.cost, number, supposed) or not isinstance(noise, ScaledNoise):
            return None
        widths = half_widths(ready.chosen, noise, self.confidence).values()
        widest = max((inf if each is None else each for each in widths), default=inf)
        spent = self._spent(ready.cost, number, supposed)
        return Planned(number, widest, noise.known_scale(), ready.cost.group_loss, spent.nats, spent.route)


def _width(found: Planned | None) -> float:
    return inf if found is None else found.half_width


def _scaled(cost: Entry, times: float) -> Entry:
    """Returns the cost of the same answer with losses so many times as large."""
    return replace(
        cost,
        leakage=cost.group_loss * times,
        group_loss=cost.group_loss * times,
        differential=cost.differential * times,
        pure=cost.pure * times,
    )


def _measure(data: DataSet, name: str | None) -> Measure:
    known = {each.name: each for each in data.measures}
    if name is not None and name not in known:
        raise InputError("--measure", name, f"one of {', '.join(known)}")
    return data.measures[0] if name is None else known[name]


def _kind(measure: Measure) -> str:
    return "count" if measure.queries is None or "count" in measure.queries else measure.queries[0]
