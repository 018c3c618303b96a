"""The kinds of event that a pipeline may have, as sections of a JSON file, named as dp-accounting names them."""

from typing import Annotated, Literal, TypeAlias, final

from pydantic import Field

from dalenius.conversion.limits import MOST_EVENT_COUNT, MOST_EVENT_RECORDS, MOST_EVENT_SENSITIVITY, MOST_MOVES
from dalenius.fields import AtMost
from dalenius.frozen_section import Frozen

_Above: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@final
class NoOp(Frozen):
    """Nothing that depends on the records."""

    kind: Literal["no_op"]


@final
class Laplace(Frozen):
    """Laplace noise; its scale over the answer's L1-sensitivity between neighbours."""

    kind: Literal["laplace"]
    noise_multiplier: _Above


@final
class DiscreteLaplace(Frozen):
    """Two-sided geometric noise, mass ∝ e^{−noise_parameter·|z|}, on an integer answer of that sensitivity."""

    kind: Literal["discrete_laplace"]
    noise_parameter: _Above
    sensitivity: Annotated[int, Field(ge=1, strict=True), AtMost(MOST_EVENT_SENSITIVITY)] = 1


@final
class Gaussian(Frozen):
    """Gaussian noise; its deviation over the answer's L2-sensitivity between neighbours."""

    kind: Literal["gaussian"]
    noise_multiplier: _Above


@final
class Concentrated(Frozen):
    """Anything that is (xi, rho)-zero-concentrated: its Rényi divergence of order α is at most xi + rho·α."""

    kind: Literal["zcdp"]
    rho: _Above
    xi: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0


@final
class Guarantee(Frozen):
    """Anything that is (epsilon, delta)-differentially private."""

    kind: Literal["epsilon_delta"]
    epsilon: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    delta: Annotated[float, Field(ge=0, lt=1)] = 0.0


@final
class RandomizedResponse(Frozen):
    """One of num_buckets values: the true one, or with the probability noise_parameter any of all."""

    kind: Literal["randomized_response"]
    noise_parameter: Annotated[float, Field(gt=0, le=1)]
    num_buckets: Annotated[int, Field(ge=2, strict=True), AtMost(MOST_EVENT_COUNT)]


@final
class TreeAggregation(Frozen):
    """Sums over the nodes of binary trees, with Gaussian noise, where each record is in one step of one tree."""

    kind: Literal["single_epoch_tree_aggregation"]
    noise_multiplier: _Above
    step_counts: (
        Annotated[int, Field(ge=1, strict=True), AtMost(MOST_EVENT_RECORDS)]
        | tuple[Annotated[int, Field(ge=1, strict=True), AtMost(MOST_EVENT_RECORDS)], ...]
    )


@final
class MixtureOfGaussians(Frozen):
    """Gaussian noise on an answer that a record, or a whole group of them, moves by a random amount.

    It moves it by one of the sensitivities, with the probability that stands in the same place of sampling_probs.
    """

    kind: Literal["mixture_of_gaussians"]
    standard_deviation: _Above
    sensitivities: Annotated[
        tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...], Field(min_length=1), AtMost(MOST_MOVES)
    ]
    sampling_probs: tuple[Annotated[float, Field(ge=0, le=1)], ...]

    @property
    def members(self) -> float:
        """The largest possible move over the least one above 0: how many records it is, where each moves as far."""
        possible = [move for move, chance in zip(self.sensitivities, self.sampling_probs, strict=True) if move * chance]
        return max(possible) / min(possible) if possible else 1.0


@final
class PoissonSampled(Frozen):
    """Answers about a sample in which each record is, independently, with that probability.

    It is one answer with Laplace noise, or Gaussian ones about the same sample.
    """

    kind: Literal["poisson_sampled"]
    sampling_probability: Annotated[float, Field(gt=0, le=1)]
    event: Annotated["Laplace | Gaussian | ComposedEvents | SelfComposed", Field(discriminator="kind")]


@final
class SampledWithoutReplacement(Frozen):
    """Gaussian answers about sample_size records drawn without replacement from source_dataset_size."""

    kind: Literal["sampled_without_replacement"]
    source_dataset_size: Annotated[int, Field(ge=1, strict=True), AtMost(MOST_EVENT_RECORDS)]
    sample_size: Annotated[int, Field(ge=1, strict=True), AtMost(MOST_EVENT_RECORDS)]
    event: Annotated["Gaussian | ComposedEvents | SelfComposed", Field(discriminator="kind")]


@final
class ComposedEvents(Frozen):
    """All of these, each chosen in the knowledge of the outcomes before."""

    kind: Literal["composed"]
    events: tuple["AnyEvent", ...]


@final
class SelfComposed(Frozen):
    """An event that is repeated so many times, each chosen in the knowledge of the outcomes before."""

    kind: Literal["self_composed"]
    event: "AnyEvent"
    count: Annotated[int, Field(ge=1, strict=True), AtMost(MOST_EVENT_COUNT)]


Noisy: TypeAlias = (
    Laplace
    | DiscreteLaplace
    | Gaussian
    | Concentrated
    | RandomizedResponse
    | TreeAggregation
    | MixtureOfGaussians
    | PoissonSampled
    | SampledWithoutReplacement
)
"""A single answer."""
AnyEvent: TypeAlias = Annotated[Noisy | NoOp | Guarantee | ComposedEvents | SelfComposed, Field(discriminator="kind")]
"""The events that one section of a file may have."""
