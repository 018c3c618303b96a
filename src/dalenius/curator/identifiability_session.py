"""A session of one owner before one table from which somebody is absent: questions one after the other, under (α, β).

Three people gave 1, 2 and 6 euros to one of two funds, the second of them to the other one. The first fund's total is
9 - 2 = 7. With α = ½ and β = 1, and all of the promise for one answer, it goes out with geometric noise of scale
4.9387: without each of the three it would be 8, 7 or 3.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, Final, final

from dalenius.absent.notions import DifferentialIdentifiability
from dalenius.absent.one_absent_model import Absent, candidate_prior
from dalenius.absent.rounded_answers import RoundedAnswers
from dalenius.calibration import CONFIDENCE
from dalenius.composition import AbsenceBelief, Accountant, prior_belief, uniform_belief
from dalenius.curator.absence_answers import AnswersSoFar, answers_so_far, farthest
from dalenius.curator.absence_certificate import AbsenceTerms
from dalenius.curator.absence_table import AbsenceTable
from dalenius.curator.amounts import budget as whole_nanos
from dalenius.curator.budgets import Outdated
from dalenius.curator.cost_of_releases import Budget, Entry
from dalenius.curator.hash_chained_entries import History
from dalenius.curator.ledger import Ledger
from dalenius.curator.recorded_answers import Recorded
from dalenius.errors import InputError, Refused
from dalenius.noise import Geometric
from dalenius.noise.error_law import missed
from dalenius.queries import AnyQuery
from dalenius.spec import Spec, canonical
from dalenius.spec.condition import Condition, Conditions
from dalenius.spec.data_section import Source
from dalenius.tables import TableLike

_ATTEMPTS: Final = 5
"""How often a price is computed again, because other processes paid meanwhile."""


@final
@dataclass(frozen=True)
class _Question:
    """A question: the query, its column, and its share of the promise (None: all that is left)."""

    spec: Spec
    query: AnyQuery
    value: str | Condition | Conditions
    share: float | None

    @cached_property
    def text(self) -> str:
        """The question in one canonical text, without who is absent."""
        return json.dumps({**json.loads(canonical(self.spec)), "share": self.share}, sort_keys=True)


@final
class IdentifiabilitySession:
    """Answers about a table from which somebody is absent, with noise for what the adversary believes by now.

    The adversary knows everybody's record, and not who is absent. All answers together keep (1 - α) prior <= posterior
    <= (1 + β) prior for everybody who may be absent, whatever is asked after which answer. Every answer is paid for in
    a ledger before it is drawn. A later session of the same table goes on where the ledger stands.

    Args:
        people: The table of everybody whom the adversary knows, the absent person included: a path, a URL or a frame.
        alpha: α, above 0 and below 1: a probability may fall to (1 - α) times what it was at first.
        beta: β, above 0: a probability may grow to (1 + β) times what it was at first.
        absent: Who is absent: a column with a yes (1) in one row, or a condition such as `{"column": "name",
            "equals": "Jon"}`. It stays secret.
        prior: The adversary's prior on who is absent: "uniform" (the default), or a probability for each row; with
            `by`, for each household.
        by: The column of households, where a household is absent, or one of its members. None (the default): one
            person is absent.
        whole: With `by`, the probability that then the whole household is absent; None (the default) means 1.
        name: The name of the data set in the ledger; None (the default) for the file's.
        ledger: The path or the URL of the ledger; None (the default) for the one beside the file.

    Raises:
        InputError: For a table, a promise or a prior that is not what was wanted.

    Example:
        >>> import pandas as pd
        >>> from tempfile import TemporaryDirectory
        >>> import dalenius as dl
        >>> gifts = pd.DataFrame({"given": [1, 2, 6], "elsewhere": [0, 1, 0]})
        >>> with TemporaryDirectory() as folder:
        ...     place = Path(folder, "ledger.sqlite")
        ...     session = IdentifiabilitySession(gifts, 0.5, 1.0, absent="elsewhere", name="gifts", ledger=place)
        ...     done = session.ask(dl.Sum(lower=0, upper=10), "given", share=None)
        >>> done.published.certificate["noise"]
        {'kind': 'geometric', 'scale': 4.938680624}

    Notes:
        DI Def 3, 4 and Thm 1, with the exact scale for the present belief (E5, Result 6.3). Noise is drawn by opendp
        on the lattice of the answers, so that the law promised is the law drawn.
    """

    def __init__(
        self,
        people: TableLike,
        alpha: float,
        beta: float,
        *,
        absent: str | Mapping[str, Any],
        prior: str | Sequence[float] = "uniform",
        by: str | None = None,
        whole: float | None = None,
        name: str | None = None,
        ledger: Path | str | None = None,
    ) -> None:
        source = Source(name=name, value=absent, absent=absent)
        promise = DifferentialIdentifiability(alpha=alpha, beta=beta)
        self._sit(Absent(prior=prior, by=by, whole=whole), promise, source, Path(), people, ledger)

    @classmethod
    def of_spec(
        cls, spec: Spec, folder: Path | str, table: TableLike | None = None, ledger: Path | str | None = None
    ) -> "IdentifiabilitySession":
        """Begin the session that a spec describes: its model, its promise and its table.

        Args:
            spec: The spec, with model `absent`, a notion `identifiability` and a `[data]` section that says who is
                absent.
            folder: The folder that paths are relative to.
            table: A table instead of the spec's; None, the default, for the spec's own.
            ledger: The path or the URL of the ledger; None, the default, for the one beside the file.

        Returns:
            The session.
        """
        found, promises = cls.__new__(cls), spec.all_promises()
        if not isinstance(spec.model, Absent):
            raise InputError("model.kind", spec.model.kind, "absent: the secret is who is not in the table")
        if len(promises) > 1 or not isinstance(promises[0], DifferentialIdentifiability):
            kinds = ", ".join(each.kind for each in promises)
            raise InputError("notion.kind", kinds, "identifiability: no other promise about who is absent adds up")
        if spec.data is None:
            raise InputError("data", "missing", "a section [data] that names the columns to read")
        found._sit(spec.model, promises[0], spec.data, Path(folder), table, ledger)
        return found

    def _sit(
        self,
        model: Absent,
        promise: DifferentialIdentifiability,
        source: Source,
        folder: Path,
        table: TableLike | None,
        ledger: Path | str | None,
    ) -> None:
        if model.answers is not None:
            raise InputError("model.answers", "given", "no answers beside [data], whose table and query give them")
        self._model, self._promise = model, promise
        if model.by is not None:
            source = source.altered({"household": model.by})
        self._table = AbsenceTable(source, folder, table, model.share_of_whole)
        self._first = Accountant(promise.alpha, promise.beta, _belief(model, self._table))
        # Because an answer that is the same for everybody else goes out exactly, and would tell that it is this person.
        if not self._first.belief.possible[self._table.absent]:
            raise InputError("model.prior", "0 for who is absent", "a prior above 0 for who is absent")
        self._ledger = self._table.ledger(ledger)

    def ask(
        self,
        query: AnyQuery,
        value: str | Condition | Conditions | Mapping[str, Any],
        share: float | None = 0.1,
        confidence: float = CONFIDENCE,
    ) -> Recorded:
        """Answer a question: the ledger is debited, then the noise is drawn, and then the answer is recorded.

        The same question with the same share again gets the answer that it got before, for nothing.

        Args:
            query: A sum, mean, min, max, median, variance or count.
            value: The column that is asked, or a condition on one, which makes its cells 1 and 0.
            share: The share of the promise that this answer may use, by default a tenth; None for all that is left.
            confidence: The confidence of the answer's interval; 0.95 by default.

        Returns:
            The answer with its certificate, and the budget after it.

        Raises:
            InputError: For a question that the table cannot answer; nothing is paid.
            Refused: Where less of the promise is left than the share; nothing is paid.
        """
        question = self._question(query, value, share)
        for _ in range(_ATTEMPTS):
            with suppress(Outdated):
                return self._paid(question, confidence)
        raise Outdated(self._table.name)

    def ask_spec(self, spec: Spec, share: float | None = 0.1, confidence: float = CONFIDENCE) -> Recorded:
        """Answer the question of a spec.

        Args:
            spec: A spec of this session, with its query and the column that its `[data]` section names as `value`.
            share: As of `ask`.
            confidence: As of `ask`.

        Returns:
            As `ask`.

        Raises:
            InputError: Where `ask` would raise it, and for a noise other than geometric noise of no given scale.
            Refused: Where `ask` would raise it.
        """
        query, value = asked_by(spec)
        return self.ask(query, value, share, confidence)

    def estimate(
        self,
        query: AnyQuery,
        value: str | Condition | Conditions | Mapping[str, Any],
        share: float | None = 0.1,
        confidence: float = CONFIDENCE,
    ) -> AbsenceTerms:
        """Say with what noise a question would be answered; nothing is drawn or written.

        Args:
            query: As of `ask`.
            value: As of `ask`.
            share: As of `ask`.
            confidence: As of `ask`.

        Returns:
            The noise, the shares of the promise before and after, and the precision.

        Raises:
            InputError: Where `ask` would raise it.
            Refused: Where `ask` would raise it.
        """
        return self._terms(self._question(query, value, share), self._so_far(self._ledger.history()), confidence)

    def budget(self) -> Budget:
        """Look up what of the promise all answers were allowed to use, in nats: a share t of it is t ln(1 + β)."""
        found = self._ledger.budget(self._table.name)
        return found if found.initial else Budget(self._promise.epsilon or 0.0, 0.0)

    @property
    def belief(self) -> AbsenceBelief:
        """The adversary's belief about who is absent, after all answers up to now."""
        return self._so_far(self._ledger.history()).accountant.belief

    @property
    def used(self) -> float:
        """The share of the promise that is used by now. It falls where answers contradict each other."""
        return self._so_far(self._ledger.history()).used

    @property
    def ledger(self) -> Ledger:
        """The ledger that the answers are in."""
        return self._ledger

    def _question(
        self, query: AnyQuery, value: str | Condition | Conditions | Mapping[str, Any], share: float | None
    ) -> _Question:
        source = self._table.asked(value)
        spec = Spec(model=self._model, query=query, notion=self._promise, data=source)
        return _Question(spec, query, source.value, share)

    def _terms(self, question: _Question, before: AnswersSoFar, confidence: float) -> AbsenceTerms:
        """Finds the noise of a question. Refused where nothing is left."""
        missed(confidence)
        answers = self._table.answers(question.query, question.value)
        # Because an answer that is the same for everybody uses nothing, and goes out when nothing is left.
        free = before.tells_nothing(answers)
        target = before.used if free else before.target(question.share)
        noise = before.noise(answers, target)
        # So that noise too large to be drawn is refused before it is paid for.
        noise.draw((0,), answers.lattice)
        count = self._table.candidates
        return AbsenceTerms(question.spec, self._promise, answers, noise, before.used, target, confidence, count)

    def _paid(self, question: _Question, confidence: float) -> Recorded:
        """Pays for an answer and draws it. Outdated where another process paid meanwhile."""
        table, whole = self._table, whole_nanos(self._promise.epsilon or 0.0)
        assert isinstance(whole, int)
        history = self._ledger.history()
        request = table.request(question.text, self._promise.epsilon or 0.0, len(history.debited(table.name)))
        table.check_known(history)
        done = self._ledger.earlier(request)
        if done is not None:
            return done
        before = self._so_far(history)
        terms = self._terms(question, before, confidence)
        price = 0.0 if terms.noise.shape.adds_nothing else before.price(terms.target, whole)
        moved = farthest(terms.answers, terms.noise)
        kinds = self._promise.kind
        entry = Entry(question.text, kinds, price, inf, pure=moved, implied_by=("absence",))
        return self._ledger.release(request, entry, lambda: terms.drawn(table.absent))

    def _so_far(self, history: History) -> AnswersSoFar:
        self._table.check_known(history)
        return answers_so_far(history, self._table.name, self._first, self._answers_of)

    def _answers_of(self, body: Mapping[str, Any]) -> RoundedAnswers:
        """Returns the answers that an earlier debit was about; Refused where it was about another promise."""
        own = json.loads(canonical(Spec(model=self._model, notion=self._promise)))
        read = json.loads(str(body["spec"])) if "absence" in body.get("implied_by", ()) else {}
        for key in ("model", "notion"):
            if read.get(key) != own[key]:
                said = f"one {key} for all answers: entries of the ledger have another"
                raise Refused(f'data set "{self._table.name}" has {said}')
        found = Spec.model_validate({key: read[key] for key in ("model", "query", "notion", "data")})
        assert found.query is not None
        assert found.data is not None
        return self._table.answers(found.query, found.data.value)


def asked_by(spec: Spec) -> tuple[AnyQuery, str | Condition | Conditions]:
    """Returns the query of a spec about who is absent, and the column it is about.

    InputError where a part is missing, or where its noise is not that which the session finds and draws.
    """
    if spec.query is None:
        raise InputError("query", "missing", "a section [query], what the table is asked")
    if spec.data is None:
        raise InputError("data", "missing", "a section [data] that names the columns to read")
    if spec.noise is not None and spec.noise != Geometric():
        wanted = "no [noise], or geometric without a scale: the scale follows from the belief, on the answers' lattice"
        raise InputError("noise.kind", spec.noise.kind, wanted)
    return spec.query, spec.data.value


def _belief(model: Absent, table: AbsenceTable) -> AbsenceBelief:
    """Returns the belief before the first answer; InputError for a prior of another number of people, or for bounds."""
    if table.households is not None:
        return prior_belief(candidate_prior(model.prior, table.households))
    people = table.people
    if model.prior == "uniform":
        return uniform_belief(people)
    # Because each prior within bounds would be another belief after the first answer.
    if not isinstance(model.prior, tuple):
        raise InputError("model.prior", "min and max", "uniform or a probability for each person, for several answers")
    if len(model.prior) != people:
        wanted = f"a probability for each of the {people} people"
        raise InputError("model.prior", f"{len(model.prior)} probabilities", wanted)
    return prior_belief(model.prior)
