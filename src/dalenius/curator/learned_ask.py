"""An analyst's ask for what is learned under a policy, and the release as far as it may go before it is paid for.

`{"learned": "groups", "epsilon": 0.5}` has the centres of the policy's clusters learned for half a nat. The price
depends on the policy and on the number of people alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from pydantic import ValidationError

from dalenius.calibration import CONFIDENCE
from dalenius.curator.analyst_question import Ask, Share
from dalenius.curator.data_set_policy import Analyst, DataSet, Measure, NotAllowed
from dalenius.curator.inquiry import Inquiry, PolicyAsk
from dalenius.curator.learned_release import cost_of_learned, estimator_of, published, question_text
from dalenius.curator.learned_spec import LearnedSpec
from dalenius.curator.policy_names import Name
from dalenius.curator.policy_question import hypotheses
from dalenius.curator.prepared_release import ReadTable, Ready
from dalenius.curator.recorded_answers import Publication, risk_json
from dalenius.errors import Refused
from dalenius.frozen_section import first_problem
from dalenius.sentences.sentence import said, value_phrase

_PRACTISED: Final = "a question about a measure: a practice table has no columns to learn from"


@final
class LearnedAsk(PolicyAsk):
    """A question of an analyst for what the policy lets them learn.

    Args:
        learned: The name of the policy's learned measure.
        epsilon: The most that the answer alone may leak, in nats, from 1e-6 to 1000.

    Raises:
        InputError: For numbers out of range.

    Example:
        >>> LearnedAsk(learned="groups", epsilon=0.5).words
        'what is learned as groups'
    """

    learned: Name
    epsilon: Share

    @property
    def certainty(self) -> float:
        """The confidence of intervals. What is learned has no intervals."""
        return CONFIDENCE

    @property
    def share(self) -> float | None:
        """The epsilon of the ask, in nats."""
        return self.epsilon

    @property
    def words(self) -> str:
        """The question in words."""
        return said("learned_as", name=value_phrase(self.learned))

    @property
    def asked(self) -> tuple[str, str]:
        """The key that says what is asked, and its value."""
        return "ask.learned", self.learned

    def measure_in(self, data: DataSet, analyst: Analyst) -> Measure:
        """Look up the measure whose table is read to learn from.

        Args:
            data: The data set.
            analyst: The analyst who asks.

        Returns:
            The measure.

        Raises:
            NotAllowed: For what this analyst may not ask.
        """
        data.allowed_to_learn(analyst, self.learned)
        return data.whole_measure

    def check_practised(self, data: DataSet, analyst: Analyst) -> None:
        """Refuse to practise: a table drawn from a model has one value of each person, and no columns to learn from.

        Args:
            data: The data set.
            analyst: The analyst who asks.

        Raises:
            NotAllowed: Always.
        """
        raise NotAllowed("learned", data.allowed_to_learn(analyst, self.learned).name, _PRACTISED)

    def ledger_text(self, data: DataSet, analyst: Analyst) -> str | None:
        """Write what is learned, and for how much: names and descriptions are no part of it.

        Args:
            data: The data set.
            analyst: The analyst who asks.

        Returns:
            The text by which the ledger knows it; None where that depends on the people.

        Raises:
            NotAllowed: For what this analyst may not ask.
        """
        return question_text(self._spec(data, data.allowed_to_learn(analyst, self.learned).name))

    def ready(self, inquiry: Inquiry) -> Ready:
        """Find the price, and learn once from rows that say nothing of anybody, so that bad settings are refused.

        Args:
            inquiry: This ask, with everything that decides its noise.

        Returns:
            The prepared release.

        Raises:
            Refused: Where no noise keeps the promise.
        """
        data, people = inquiry.data, inquiry.public.size
        spec = self._spec(data, self.learned)
        estimator = estimator_of(spec)
        said = estimator.guarantee
        if not said.sound and not data.accept_unsound:
            raise Refused(f"method {said.method} promises nothing: {said.why}")
        cost = cost_of_learned(spec, estimator, people, data.notion.properties.keeps_delta)
        estimator_of(spec).fit(*spec.query.blank(people))
        shown = {"asked": self.learned} | ({"measure_in_words": words} if (words := _words(data, self.learned)) else {})
        return LearnedReady(cost, CONFIDENCE, None, None, spec, shown, tuple(hypotheses(data, True)))

    def _spec(self, data: DataSet, name: str) -> LearnedSpec:
        found = next(each for each in data.learned if each.name == name)
        return found.spec(data.notion, self.epsilon, data.accept_unsound)


def _words(data: DataSet, name: str) -> str:
    return next(each.description for each in data.learned if each.name == name)


@final
@dataclass(frozen=True)
class LearnedReady(Ready):
    """A release of what is learned, as far as it may go before it is paid for.

    Attributes:
        spec: What is learned, and what is promised.
        shown: The question, as the certificate shows it beside the spec.
        hypotheses: What the promise rests on beside the guarantee's own hypotheses.
    """

    spec: LearnedSpec
    shown: Mapping[str, str]
    hypotheses: tuple[str, ...]

    def drawn_from(self, table: ReadTable) -> Publication:
        """Learns from the table's rows, with noise, and certifies."""
        arguments = self.spec.query.arguments(table.cells(self.spec.query.read))
        return published(self.spec, estimator_of(self.spec), arguments, self.cost, self.hypotheses, self.shown)

    def restated(self, published: Publication) -> Publication:
        """Returns what is `published`: it has no intervals."""
        return published

    def widths(self) -> Mapping[str, float | None]:
        """Returns nothing: what is learned has no intervals."""
        return {}

    def risk(self) -> Mapping[str, Any] | None:
        """Returns what the promise means for chances."""
        return risk_json(self.spec.promise, self.cost.leakage)


def read_ask(section: Any) -> PolicyAsk:
    """Reads an ask from a dictionary, the `section`, as JSON has it: of what is learned, or of a measure.

    InputError names the key, the value and what was wanted.
    """
    sort = LearnedAsk if isinstance(section, dict) and "learned" in section else Ask
    try:
        return sort.model_validate(section)
    except ValidationError as error:
        raise first_problem(error, "ask", section) from None
