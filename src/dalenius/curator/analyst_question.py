"""An analyst's question, with its price or its precision, and everything that is known before it is paid for.

What is known before depends on public facts alone, so any process may compute it.

`{"measure": "ill", "query": {"kind": "count"}, "within": 10}` wants a count that is within 10 of the exact one in 95 %
of cases. For two households of four, with geometric noise, the scale may be 3.51681108 at most. The leakage at that
scale is the price. With `{"epsilon": 0.2}` in place of `within` the price is given and the distance is found.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, TypeAlias, final

from pydantic import Field, field_validator, model_validator

from dalenius.calibration import CONFIDENCE, default_noise
from dalenius.channel import Release
from dalenius.curator.certificate import ReleaseTerms
from dalenius.curator.data_set_policy import Analyst, DataSet, Measure
from dalenius.curator.inquiry import Inquiry, PolicyAsk, Public
from dalenius.curator.limits import LARGEST_SHARE, MOST_TOGETHER
from dalenius.curator.policy_names import Name
from dalenius.curator.policy_question import PolicyQuestion
from dalenius.curator.practice import check_practised
from dalenius.curator.prepared_release import Ready, noise_within, prepared
from dalenius.curator.query_parts import parts_of, settings
from dalenius.errors import InputError
from dalenius.fields import Finite, Positive
from dalenius.noise import AnyNoise, Noise, is_complete
from dalenius.noise.error_law import missed
from dalenius.queries import AnyQuery, Query
from dalenius.spec import Spec, canonical
from dalenius.spec.data_section import Source
from dalenius.spec.listed_labels import with_listed_labels

# In nats. The least is a thousand of the units in which the ledger counts: a million such answers cost one nat, and
# tell less. The odds that an answer of more than the most may change, e to the power of it, are no double.
Share: TypeAlias = Annotated[Finite, Field(ge=1e-6, le=float(LARGEST_SHARE))]


@final
class Ask(PolicyAsk):
    """A question of an analyst under a policy.

    Give exactly one of `epsilon`, `within`, and a `noise` with its scale.

    Args:
        measure: The name of the policy's measure that is asked about.
        query: The query about the measure, of at most 64 answers.
        epsilon: The most that the answer alone may leak, in nats, from 1e-6 to 1000; the least noise that keeps it is
            chosen. None, the default, where the noise is chosen otherwise.
        noise: The noise. With its scale, in the query's own unit, the answer costs what it leaks. Without a scale it is
            the kind that is wanted beside `epsilon` or `within`. None, the default, takes the default kind.
        within: The most that the answer may be away from the exact one, with the given confidence, in the query's own
            unit; the most noise that keeps it is chosen. None, the default, where the noise is chosen otherwise.
        confidence: The confidence of intervals and of `within`, above 0 and below 1; 0.95 by default.

    Raises:
        InputError: For none or several of the three, for noise that adds nothing, for more than 64 answers, and for
            numbers out of range.

    Example:
        >>> from dalenius import Count, Geometric
        >>> Ask(measure="ill", query=Count(), epsilon=0.2).gives_noise
        False
        >>> Ask(measure="ill", query=Count(), noise=Geometric(scale=8)).gives_noise
        True
    """

    measure: Name
    query: AnyQuery
    epsilon: Share | None = None
    noise: AnyNoise | None = None
    within: Positive | None = None
    confidence: Finite = CONFIDENCE

    @field_validator("query")
    @classmethod
    def _few(cls, query: Query) -> Query:
        """Write the query in the form that equal questions have.

        ValueError for a thousand counts in one ask, which would be computed together, for hours.
        """
        if parts_of(query) > MOST_TOGETHER:
            raise ValueError(_too_many(parts_of(query)))
        return query.in_one_form()

    @field_validator("noise")
    @classmethod
    def _noised(cls, noise: Noise | None) -> Noise | None:
        """Refuse noise that adds nothing: under a policy no answer goes out exactly, whatever the model says."""
        if noise is not None and noise.shape.adds_nothing:
            raise ValueError(
                "noise that adds something: from an exact answer, an adversary who knows all other records would learn "
                "the last one"
            )
        # Because files of the server are none of an analyst's.
        if noise is not None and any(settings(noise.model_dump(mode="json"), ("table",))):
            raise ValueError("noise that reads no file: cell_key with d and v, or with rows")
        return noise

    @model_validator(mode="after")
    def _checked(self) -> "Ask":
        missed(self.confidence)  # InputError where no interval holds with it
        given = (self.epsilon is not None) + (self.within is not None) + self.gives_noise
        if given != 1:
            raise ValueError("exactly one of epsilon, within, and noise with its scale")
        return self

    @property
    def gives_noise(self) -> bool:
        """Whether the noise is given with its scale, so that nothing is left to choose."""
        return self.noise is not None and is_complete(self.noise)

    @property
    def certainty(self) -> float:
        """The confidence that intervals of the answer must have."""
        return self.confidence

    @property
    def share(self) -> float | None:
        """The epsilon of the ask, in nats; None where the noise is chosen otherwise."""
        return self.epsilon

    @property
    def words(self) -> str:
        """The question in words."""
        return f"{self.measure}: {self.query.words}"

    @property
    def asked(self) -> tuple[str, str]:
        """The key that says what is asked, and its value."""
        return "ask.query", self.query.kind

    def measure_in(self, data: DataSet, analyst: Analyst) -> Measure:
        """Look up the measure that is asked about.

        Args:
            data: The data set.
            analyst: The analyst who asks.

        Returns:
            The measure.

        Raises:
            NotAllowed: For what this analyst may not ask.
        """
        measure = data.allowed(analyst, self.measure, self.query)
        check_served(data, measure, self)
        return measure

    def check_practised(self, data: DataSet, analyst: Analyst) -> None:
        """Refuse an ask for which there is no table to practise on.

        Args:
            data: The data set.
            analyst: The analyst who asks.

        Raises:
            NotAllowed: For what this analyst may not ask, or where such a table would tell what is not public.
        """
        check_practised(data, self.measure_in(data, analyst))

    def ledger_text(self, data: DataSet, analyst: Analyst) -> str | None:
        """Write the spec of the ask, unless its noise depends on the people.

        Args:
            data: The data set.
            analyst: The analyst who asks.

        Returns:
            The text by which the ledger knows it; None where that depends on the people.

        Raises:
            NotAllowed: For what this analyst may not ask.
        """
        measure = data.allowed(analyst, self.measure, self.query)
        return None if self.within is not None else canonical(plain_spec(data, measure, self))

    def in_one_form(self, public: Public) -> "Ask":
        """Write the query in the form that everybody has who asks for the same answers of this table.

        Args:
            public: The public facts of the table.

        Returns:
            The ask in that form.
        """
        # Because only the table's own labels say that all of them were listed, which is to ask everybody.
        return self.altered({"query": self.query.in_one_form(public.labels)})

    def ready(self, inquiry: Inquiry) -> Ready:
        """Find the noise of an inquiry and its price.

        Args:
            inquiry: This ask, with everything that decides its noise.

        Returns:
            The prepared release.

        Raises:
            Refused: Where no noise keeps the promise.
        """
        ask, data = self.in_one_form(inquiry.public), inquiry.data
        spec = plain_spec(data, inquiry.measure, ask)
        _check_moved(ask, _release(inquiry, ask, spec))
        if ask.within is not None:  # only now, of the table's own people, is it known which noise keeps to the distance
            noise = noise_within(_release(inquiry, ask, spec), ask.within, ask.confidence)
            spec = spec.altered({"noise": noise})
        promises, question = spec.all_promises(), PolicyQuestion(data, inquiry.measure, ask.query)
        promised = ReleaseTerms(promises, inquiry.public.size, spec, question)
        terms = (data.accept_unsound, data.method)
        release = _release(inquiry, ask, spec)
        # Because the kind of noise that is taken where none is named is one question with it, whether it is named or
        # not.
        named = (
            spec if ask.gives_noise or ask.noise != default_noise(release.lattice) else spec.altered({"noise": None})
        )
        text = canonical(spec if ask.within is not None else named)
        return prepared(release, promises, text, promised, False, ask.confidence, *terms)


def _too_many(answers: int) -> str:
    """Say what is wanted instead of so many answers."""
    return f"at most {MOST_TOGETHER} answers of several queries (there are {answers}; limit {MOST_TOGETHER.name})"


def check_served(data: DataSet, measure: Measure, ask: Ask) -> None:
    """Refuse an ask whose noise cannot serve its measure.

    InputError where the noise or the distance is finer or wider than answers of the measure can be. Also where the
    noise is Gaussian and the data set has no delta: without one its losses have no bound.
    """
    if ask.within is not None:
        _check_length("ask.within", ask.within, measure)
    noise = {} if ask.noise is None else ask.noise.model_dump(mode="json")
    for scale in settings(noise, ("scale",)):
        if isinstance(scale, float):
            _check_length("ask.noise.scale", scale, measure)
    if not data.notion.promised_delta and "gaussian" in settings(noise, ("kind",)):
        wanted = "laplace or geometric: without a delta Gaussian noise has no bound, and this data set has none"
        raise InputError("ask.noise", "gaussian", wanted)


def _check_length(key: str, length: float, measure: Measure) -> None:
    """Refuse a noise, or a distance, that is next to nothing or beyond everything, in the measure's unit."""
    # Because answers are counts where a measure says no bounds, as for a condition.
    step = 1.0 if measure.step is None else measure.step
    bounds = None if measure.lower is None or measure.upper is None else measure.upper - measure.lower
    # Because a mean over a billion people moves by so small a share of a step when one of them does; and beside noise
    # of so many ranges no sum over that many people is seen.
    least, most = 1e-9 * step, 1e9 * max(step, bounds or 1.0)
    if not least <= length <= most:
        raise InputError(key, length, f"a number from {least:g} to {most:g}, in units of the answers")


def source_of(data: DataSet, measure: Measure) -> Source:
    """The source of the data set, with the measure as its value."""
    source = measure.source_in(data.source)
    household = next(iter(measure.model.household_columns), source.household)
    return source.altered({"name": data.name, "household": household})


def _check_moved(ask: Ask, release: Release) -> None:
    """Refuse a question whose answer no record can move.

    It would go out exactly, for nothing, and say how many people there are where that is not public.
    """
    if release.sensitivity == 0:
        wanted = "a question whose answer some record can change: this one has the same answer whatever the records are"
        raise InputError("ask.query", ask.query.kind, wanted)


def plain_spec(data: DataSet, measure: Measure, ask: Ask) -> Spec:
    """Writes an `ask` about a `measure` of data set `data` as a spec; for a distance the noise is still to find."""
    share = data.epsilon if ask.epsilon is None else ask.epsilon
    source, notion = source_of(data, measure), data.promised(share)
    asked = Spec(model=measure.model, query=ask.query, noise=ask.noise, notion=notion, data=source)
    return with_listed_labels(asked)


@final
@dataclass(frozen=True)
class _ModelQuestion:
    """A question of one model, equal to another where their texts are, as some queries and models have no hash.

    The model is held here so that no other one takes its place in memory.
    """

    place: int
    texts: tuple[str, str]
    spec: Spec = field(compare=False)


# Two: the one that is asked for next is most likely the last one, with another share. Its laws may fill the memory.
@lru_cache(2)
def _bare(question: _ModelQuestion) -> Release:
    """Make the release whose scale is to be found; the last ones are kept, with what was computed of them."""
    return question.spec.calibrated().with_groups_first()


def _release(inquiry: Inquiry, ask: Ask, spec: Spec) -> Release:
    """Make the release of an inquiry. InputError for too many answers: their number depends on the labels too."""
    model, noise = inquiry.public.model, spec.noise
    texts = ask.query.model_dump_json(), "" if noise is None else noise.model_dump_json()
    found = _bare(_ModelQuestion(id(model), texts, spec.altered({"model": model})))
    if parts_of(ask.query) > 1 and len(found.names) > MOST_TOGETHER:
        raise InputError("ask.query", ask.query.kind, _too_many(len(found.names)))
    return found
