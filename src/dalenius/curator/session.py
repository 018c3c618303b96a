"""A session: one analyst before one data set.

An ask goes through five steps. The policy allows it. The table is open, with the people that it had. The noise is found
and priced from public facts alone. The ledger has room, and is debited. Only then the table's values are read, and
noise is drawn. An analyst who is refused in the first four steps has paid nothing and learned nothing of the values.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from logging import getLogger
from pathlib import Path
from typing import Final, TypeVar, final

from dalenius.curator.accounts import Paid, answers_learned
from dalenius.curator.answers_told import AnswersTold
from dalenius.curator.budgets import Request
from dalenius.curator.curator import Curator
from dalenius.curator.data_set_policy import Measure
from dalenius.curator.group_commit import Attempt
from dalenius.curator.inquiry import Inquiry, PolicyAsk, not_computable
from dalenius.curator.largest_share import largest_of, shares
from dalenius.curator.ledger import Stored
from dalenius.curator.opened_table import Opened, TableChanged
from dalenius.curator.policy import Policy, read_policy
from dalenius.curator.policy_request import cap_of, policy_request
from dalenius.curator.practice import Practised
from dalenius.curator.prepared_release import Ready
from dalenius.curator.price_quote import Quote, free_quote, quote_of
from dalenius.curator.purchases import Purchase, pay, reading_table
from dalenius.curator.recorded_answers import Recorded
from dalenius.curator.release_from_spec import interruptible
from dalenius.curator.request_key import RequestKey, request_key
from dalenius.curator.session_budgets import Budgets
from dalenius.errors import InputError, Unreachable
from dalenius.tables import TableLike

_Asked = TypeVar("_Asked", bound=PolicyAsk)
_LOG: Final = getLogger("dalenius")
_NO_SPEC: Final = ""  # no question has it
STILL: Final = "a table whose people stay the same while it is asked: ask of a materialized view, or of a copy"


@final
class Session:
    """One analyst before one data set, under a policy; many threads may use it at once.

    Paths are relative to the policy's file, or to the current folder where the policy is an object.

    Args:
        people: The table that you hold, or tables by the data set's name. A table takes the place of the one that the
            data set's source names, and spends the same budget. A frame is the table, whatever `table` the source
            names. None means the place that the policy says.
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
    def ask(self, ask: PolicyAsk, key: str | None = None) -> Recorded:
        """Answer an ask: the ledger is debited first, and only then the table is read, in the state that it had before.

        The same question again gets the answer that it got before, for nothing. But about another version of the table
        it is another question, and an ask with `within` may be another one once people have moved. A key decides: under
        the same key you never pay twice.

        Args:
            ask: The ask.
            key: A text of yours for this question, of 1 to 200 visible characters of ASCII. The ledger keeps its hash,
                where something is paid. None, the default, for no key.

        Returns:
            The answer with its certificate, and the budgets after it.

        Raises:
            InputError: For what cannot be asked; nothing is paid.
            NotAllowed: For what the policy does not allow; nothing is paid.
            Overspent: Where a budget or a cap would be overspent; nothing is paid.
            Unreachable: Where the table cannot be read now; nothing is paid.
            Failed: Where an answer could not be drawn, which is paid for.
            Lost: Where the key paid for an answer that was lost when its process ended.
        """
        sent = self.key(ask, key)
        for _ in range(3):
            with suppress(TableChanged):
                return self._paid(ask, sent)
        # The table is written to all the time, and its people are never the same for long enough.
        raise Unreachable("data", self.data.name, STILL)

    @interruptible()
    def largest(self, ask: _Asked) -> tuple[_Asked, Quote] | None:
        """Find the largest epsilon that the budgets still allow for a question, to within 2 %.

        It depends on what is public and on the ledger alone.

        Args:
            ask: The question; its own epsilon does not matter.

        Returns:
            The question with that epsilon, and what it would cost; None where nothing fits any more.

        Raises:
            InputError: Where `estimate` would raise it for the smallest epsilon.
        """
        largest = largest_of(shares(*self.budget().room), lambda share: self.estimate(ask.altered({"epsilon": share})))
        if largest is None:
            return None
        return (found := ask.altered({"epsilon": largest})), self.estimate(found)

    def practise(self, ask: PolicyAsk) -> Practised:
        """Answer an ask from a table drawn from the model: free, as often as wanted, and in no ledger.

        Args:
            ask: The ask.

        Returns:
            An answer that is marked as practice, and the exact one. Each call draws another answer.

        Raises:
            InputError: Where `ask` would raise it, and where no table can be drawn, or would tell what is not public.
            NotAllowed: For what is learned, for which there is no such table.
        """
        ask.check_practised(self.data, self.analyst)
        opened, ready = self._ready(ask)
        return opened.practice.answer(ready)

    @property
    def curator(self) -> Curator:
        """The curator, whose tables and ledger are used."""
        return self._curator

    def key(self, ask: PolicyAsk, text: str | None) -> RequestKey | None:
        """Make the ledger's key of an ask.

        Args:
            ask: The ask.
            text: The text of the key; None without one.

        Returns:
            The key; None without one. InputError for a text that is no key.
        """
        return None if text is None else request_key(text, ask.model_dump_json())

    def repeated(self, ask: PolicyAsk, key: RequestKey | None = None) -> Recorded | None:
        """Look up the answer that `ask` would give for nothing, in the ledger alone: nothing else is read or computed.

        Args:
            ask: The ask.
            key: The key under which it was sent; None without one.

        Returns:
            The answer; None where more than the ledger is needed. It raises what `ask` does.
        """
        request = self.plain_request(ask, key)
        found = None if request is None else self._curator.ledger.earlier(request)
        # Because intervals of another confidence are computed from the noise.
        return found if found is not None and found.states(ask.certainty) else None

    def plain_request(self, ask: PolicyAsk, key: RequestKey | None = None) -> Request | None:
        """Make the ledger's request of an ask, where it depends on the ask and the policy alone.

        Args:
            ask: The ask.
            key: The key under which it was sent; None without one.

        Returns:
            The request. The noise of an ask with `within` is part of the request and depends on the people, so that
            the ledger knows it here by its key alone; None where it has no key.

        Raises:
            NotAllowed: For what the policy does not allow.
        """
        text = ask.ledger_text(self.data, self.analyst)
        if text is None:
            return None if key is None else self.request(_NO_SPEC, key)
        return self.request(text, key)

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
        return Budgets(
            self._curator.ledger.budget(self.data.name, self.analyst.name, cap_of(self.data, self.analyst)), budget
        )

    def history(self) -> AnswersTold[Paid]:
        """List the answers that this analyst got, with their certificates."""
        return AnswersTold(answers_learned(self._curator.ledger.history(), self.data.name, self.analyst.name))

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

    def _paid(self, ask: PolicyAsk, key: RequestKey | None) -> Recorded:
        """Pay for an answer. TableChanged where the table's public facts change meanwhile: then nothing is paid."""
        if key is not None and (done := self.repeated(ask, key)) is not None:
            return done
        opened, ready = self._ready(ask)
        attempts: list[Attempt[Recorded]] = []
        purchase = Purchase(self.request(ready.cost.spec, key), ready)
        pay(self._curator.ledger, opened, [purchase], lambda _, found: attempts.append(found))
        return attempts[0].result()

    def request(self, spec: str, key: RequestKey | None = None) -> Request:
        """Make the ledger's request of a spec, without the table's bytes: nothing may depend on them before it is paid.

        Args:
            spec: The spec in its canonical text.
            key: The key under which it was sent; None without one.

        Returns:
            The request, with this analyst's cap and the data set's budget.
        """
        return policy_request(self.data, self.analyst, spec, key)


def _only(key: str, name: str | None, names: Sequence[str]) -> str:
    """Take the name, or the only one there is. InputError where it is left out and there are several."""
    if name is None and len(names) > 1:
        raise InputError(key, "missing", f"one of {', '.join(names)}")
    return names[0] if name is None else name
