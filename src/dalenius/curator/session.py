"""A session: one analyst before one data set.

An ask goes through five steps. The policy allows it. The table is open, with the people that it had. The noise is found
and priced from public facts alone. The ledger has room, and is debited. Only then the table's values are read, and
noise is drawn. An analyst who is refused in the first four steps has paid nothing and learned nothing of the values.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from logging import getLogger
from pathlib import Path
from typing import Final, final

from dalenius.curator.accounts import Paid, answers_learned
from dalenius.curator.analyst_question import Inquiry, PolicyAsk
from dalenius.curator.budgets import Request
from dalenius.curator.cost_of_releases import Budget
from dalenius.curator.curator import Curator
from dalenius.curator.data_set_policy import Measure
from dalenius.curator.group_commit import Attempt
from dalenius.curator.ledger import Stored
from dalenius.curator.opened_table import Opened, TableChanged
from dalenius.curator.policy import Policy, read_policy
from dalenius.curator.prepared_release import Ready
from dalenius.curator.purchases import Purchase, pay, reading_table
from dalenius.curator.recorded_answers import Recorded
from dalenius.curator.release_from_spec import Quote, free_quote, interruptible, quote_of
from dalenius.errors import InputError, Unreachable
from dalenius.tables import TableLike

_LOG: Final = getLogger("dalenius")
_COMPUTABLE: Final = "numbers that are neither too large nor too small to compute with"
STILL: Final = "a table whose people stay the same while it is asked: ask of a materialized view, or of a copy"


@final
@dataclass(frozen=True)
class Budgets:
    """The budgets that an ask is paid from, in nats.

    Attributes:
        own: What this analyst may be told. It starts with their cap, or without one with the data set's budget.
        data: The data set's budget, of all analysts together.
    """

    own: Budget
    data: Budget


@final
class Session:
    """One analyst before one data set, under a policy; many threads may use it at once.

    Paths are relative to the policy's file, or to the current folder where the policy is an object.

    Args:
        people: The table that you hold, or tables by the data set's name. None means the place that the policy says.
        policy: The policy, or the path of its file.
        analyst: The analyst's name. None, the default, where the data set has one analyst.
        data: The data set's name. None, the default, where the policy has one data set.
        ledger: The path or the URL of the ledger. None, the default, means the policy's.

    Raises:
        InputError: Where the tables are not what the policy says, or a name is missing.
        NotAllowed: For an analyst who may not ask about the data set.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from dalenius.curator import Ask
        >>> from dalenius.queries import Count
        >>> homes = {"kind": "households", "by": "home", "epidemic": {"community": 0.06, "household": 0.35}}
        >>> ill = {"name": "ill", "value": {"column": "ill", "equals": 1}, "model": homes}
        >>> town = {"name": "town", "source": {"file": "people.csv"}, "measures": [ill], "analysts": [{"name": "ana"}]}
        >>> policy = Policy(data=[{**town, "notion": {"kind": "inferential", "epsilon": 1.0}}])
        >>> with TemporaryDirectory() as folder:
        ...     people = Path(folder, "people.csv")
        ...     _ = people.write_text("home,ill\\n1,0\\n1,1\\n2,0\\n2,0\\n")
        ...     session = Session(people, policy, ledger=str(Path(folder, "ledger.sqlite")))
        ...     round(session.estimate(Ask(measure="ill", query=Count(), epsilon=0.5)).cost.leakage, 6)
        0.5

    Notes:
        Everything that is decided before an answer is paid for depends on the policy, the ask, the ledger, and public
        facts of the table alone. The table's values are read afterwards (Theory, Result 9.13).
    """

    def __init__(
        self,
        people: TableLike | Mapping[str, TableLike] | None,
        policy: Policy | Path | str,
        analyst: str | None = None,
        data: str | None = None,
        ledger: str | None = None,
    ) -> None:
        folder = Path() if isinstance(policy, Policy) else Path(policy).parent
        if not isinstance(policy, Policy):
            policy = read_policy(Path(policy))
        data = _only("data", data, [each.name for each in policy.data])
        tables = people if isinstance(people, Mapping) else {} if people is None else {data: people}
        self._sit(Curator(policy, folder, tables, ledger), analyst, data)
        self._curator.check_data(self.data)
        if self._curator.ledger.history().last is None:
            _LOG.warning("ledger %s is new: nothing was ever spent in it", self._curator.ledger.shown)
        for advice in self._curator.advice_on_new_names((data,)):
            _LOG.warning("%s", advice)

    @classmethod
    def at(cls, curator: Curator, analyst: str, data: str) -> "Session":
        """Begin one of several sessions of a curator.

        Args:
            curator: The curator, whose tables and ledger are used.
            analyst: The analyst's name in the policy.
            data: The data set's name in the policy.

        Returns:
            The session.
        """
        found = cls.__new__(cls)
        found._sit(curator, analyst, data)
        return found

    def _sit(self, curator: Curator, analyst: str | None, data: str) -> None:
        self._curator = curator
        self.data = curator.policy.data_set(data)
        self.analyst = self.data.analyst(_only("analyst", analyst, [each.name for each in self.data.analysts]))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that this analyst may ask about."""
        return self.data.measures_of(self.analyst)

    @interruptible()
    def estimate(self, ask: PolicyAsk) -> Quote:
        """Say what asking would cost, and how precise the answer would be.

        Nothing is written, and no value is read. For an answer that the ledger has, no table is opened and nothing is
        computed.

        Args:
            ask: The ask.

        Returns:
            The price in nats, the budgets as they would be afterwards, and the precision.

        Raises:
            InputError: Where `ask` would raise it; likewise NotAllowed and Refused.
        """
        done = self.repeated(ask)
        return self.quote(self._ready(ask)[1]) if done is None else free_quote(done)

    def quote(self, ready: Ready) -> Quote:
        """Say what a prepared release would cost, and how precise its answer would be.

        Args:
            ready: The release, prepared by the curator.

        Returns:
            The price in nats, the budgets as they would be afterwards, and the precision.
        """
        request = self.request(ready.cost.spec)
        done = self._curator.ledger.earlier(request)
        if done is not None:  # somebody who looks at the price of what they were told already
            return free_quote(replace(done, published=ready.restated(done.published)))
        own, budget = self._curator.ledger.afterwards(request, ready.cost)
        # As if asked without a name, to see whether another analyst was answered this, and the data set pays nothing.
        anyone = replace(request, analyst=None, cap=None)
        return quote_of(ready, False, budget, own, shared=self._curator.ledger.earlier(anyone) is not None)

    @interruptible()
    def ask(self, ask: PolicyAsk) -> Recorded:
        """Answer an ask: the ledger is debited first, and only then the table is read, in the state that it had before.

        The same question again gets the answer that it got before, for nothing.

        Args:
            ask: The ask.

        Returns:
            The answer with its certificate, and the budgets after it.

        Raises:
            InputError: For what cannot be asked; nothing is paid.
            NotAllowed: For what the policy does not allow; nothing is paid.
            Overspent: Where a budget or a cap would be overspent; nothing is paid.
            Unreachable: Where the table cannot be read now; nothing is paid.
            Failed: Where an answer could not be drawn, which is paid for.
        """
        for _ in range(3):
            with suppress(TableChanged):
                return self._paid(ask)
        # The table is written to all the time, and its people are never the same for long enough.
        raise Unreachable("data", self.data.name, STILL)

    def repeated(self, ask: PolicyAsk) -> Recorded | None:
        """Look up the answer that `ask` would give for nothing, in the ledger alone: nothing else is read or computed.

        Args:
            ask: The ask.

        Returns:
            The answer; None where more than the ledger is needed. It raises what `ask` does.
        """
        request = self.plain_request(ask)
        found = None if request is None else self._curator.ledger.earlier(request)
        # Because intervals of another confidence are computed from the noise.
        return found if found is not None and found.states(ask.certainty) else None

    def plain_request(self, ask: PolicyAsk) -> Request | None:
        """Make the ledger's request of an ask, where it depends on the ask and the policy alone.

        Args:
            ask: The ask.

        Returns:
            The request; None for an ask with `within`, whose noise is part of the request and depends on the people.

        Raises:
            NotAllowed: For what the policy does not allow.
        """
        text = ask.ledger_text(self.data, self.analyst)
        return None if text is None else self.request(text)

    def may_be_answered(self, request: Request) -> bool:
        """Say whether the ledger may have an answer, as far as this process knows without a look at it.

        Args:
            request: The ledger's request.

        Returns:
            False where it has none for certain.
        """
        return self._curator.ledger.may_have(request)

    def glanced(self, request: Request, confidence: float) -> Stored | None:
        """Look up an earlier answer without waiting for anybody.

        Args:
            request: The ledger's request.
            confidence: The confidence that the answer's intervals must have.

        Returns:
            The answer as it is stored; None where it has no such answer, or somebody would have to be waited for.
        """
        found = self._curator.ledger.glanced(request)
        return found if found is not None and found.states(confidence) else None

    def budget(self) -> Budgets:
        """Look up this analyst's and the data set's budgets: what there was, what is spent, and what is left."""
        budget = self._curator.budget(self.data.name)
        return Budgets(self._curator.ledger.budget(self.data.name, self.analyst.name, self._cap), budget)

    def history(self) -> tuple[Paid, ...]:
        """List the answers that this analyst got, with their certificates."""
        return answers_learned(self._curator.ledger.history(), self.data.name, self.analyst.name)

    @property
    def _cap(self) -> float:
        """The analyst's cap in nats; without one an analyst may be told all that the data set has."""
        return self.data.epsilon if self.analyst.epsilon is None else self.analyst.epsilon

    def inquiry(self, ask: PolicyAsk) -> tuple[Opened, Inquiry]:
        """Open the table of an ask, and collect everything that its noise depends on.

        Args:
            ask: The ask.

        Returns:
            The open table and the inquiry. It raises what `ask` does before anything is computed; a refusal depends on
            public facts alone.
        """
        measure = self._served(ask)
        with reading_table(self.data.name):
            opened = self._curator.opened(self.data, measure)
        return opened, Inquiry(self.data, measure, opened.public, ask, self.analyst.name)

    def inquiry_now(self, ask: PolicyAsk) -> tuple[Opened, Inquiry] | None:
        """Collect everything that the noise of an ask depends on, without waiting for anybody.

        Args:
            ask: The ask.

        Returns:
            The open table and the inquiry; None where the table would have to be asked.
        """
        measure = self._served(ask)
        opened = self._curator.opened_now(self.data, measure)
        return None if opened is None else (opened, Inquiry(self.data, measure, opened.public, ask, self.analyst.name))

    def _served(self, ask: PolicyAsk) -> Measure:
        """Look up the measure that is asked about. NotAllowed and InputError for what may not be asked."""
        return ask.measure_in(self.data, self.analyst)

    def _ready(self, ask: PolicyAsk) -> tuple[Opened, Ready]:
        """Prepare an ask: everything that can be refused is refused here, before anything is paid for."""
        opened, _ = self.inquiry(ask)
        try:
            return opened, self._curator.ready(opened, ask, self.analyst.name)
        except (OverflowError, ZeroDivisionError):  # before anything is paid for, whatever is in the table
            raise not_computable(ask) from None

    def _paid(self, ask: PolicyAsk) -> Recorded:
        """Pay for an answer. TableChanged where the table's public facts change meanwhile: then nothing is paid."""
        opened, ready = self._ready(ask)
        attempts: list[Attempt[Recorded]] = []
        purchase = Purchase(self.request(ready.cost.spec), ready)
        pay(self._curator.ledger, opened, [purchase], lambda _, found: attempts.append(found))
        return attempts[0].result()

    def request(self, spec: str) -> Request:
        """Make the ledger's request of a spec, without the table's bytes: nothing may depend on them before it is paid.

        Args:
            spec: The spec in its canonical text.

        Returns:
            The request, with this analyst's cap and the data set's budget.
        """
        # Because the budget is the name's, the same people saved again are asked on the same one.
        return Request(
            self.data.name,
            "",
            spec,
            self.data.epsilon,
            insisted=True,
            new_data=True,
            delta=self.data.notion.promised_delta or 0.0,
            insisted_delta=True,
            analyst=self.analyst.name,
            cap=self._cap,
            version=self.data.version,
            frozen=self.data.frozen,
            goes_on=None if self.data.schedule is None else self.data.schedule.goes_on,
            times=None if self.data.schedule is None else self.data.schedule.times,
            renewing=None if self.data.schedule is None else self.data.schedule.renewing,
        )


def not_computable(ask: PolicyAsk) -> InputError:
    """Make the refusal of an ask whose numbers are beyond doubles."""
    return InputError("ask", ask.model_dump_json(exclude_none=True), _COMPUTABLE)


def _only(key: str, name: str | None, names: Sequence[str]) -> str:
    """Take the name, or the only one there is. InputError where it is left out and there are several."""
    if name is None and len(names) > 1:
        raise InputError(key, "missing", f"one of {', '.join(names)}")
    return names[0] if name is None else name
