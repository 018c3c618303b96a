"""The seam between the core and its wings: a table of names, and of the file in which each is defined.

The core imports no wing. A spec, a command or a belief of a wing's own kind is found here by its name, and imported
when it is first needed. A new model, query, noise, notion, method or command is one file and one line here. A new
capability is one folder, its lines here, and a row of the map in ARCHITECTURE.md, which also says what each of them
must have, and where its test stands.

>>> found(MODELS["chain"]).__name__
'Chain'
"""

import importlib
from collections.abc import Mapping
from typing import Any, Final, Generic, NamedTuple, TypeVar, final

F = TypeVar("F")

MODELS: Final[Mapping[str, str]] = {
    "independent": "dalenius.models.independent:Independent",
    "table": "dalenius.models.joint_tables:Table",
    "groups": "dalenius.models.joint_tables:Groups",
    "households": "dalenius.models.households:Households",
    "chain": "dalenius.models.chain:Chain",
    "network": "dalenius.models.bayesian_network:Network",
    "pedigree": "dalenius.models.pedigree:Pedigree",
    "pairwise": "dalenius.pairs.pairwise_model:Pairwise",
    "gaussian": "dalenius.gaussian.model:GaussianRecords",
    "gaussian_mixture": "dalenius.gaussian.mixture_model:GaussianMixture",
    "moments": "dalenius.theorems.moment_model:Moments",
    "absent": "dalenius.absent.one_absent_model:Absent",
    "product": "dalenius.models.model:Product",
    "sampled": "dalenius.models.sampled:Sampled",
    "linked": "dalenius.linked.linked_data_sets:Linked",
    "any": "dalenius.models.model:AnyOf",
}
_QUERIES: Final[Mapping[str, str]] = {
    "count": "dalenius.queries.sums:Count",
    "sum": "dalenius.queries.sums:Sum",
    "mean": "dalenius.queries.sums:Mean",
    "variance": "dalenius.queries.sums:Variance",
    "median": "dalenius.queries.rank:Median",
    "max": "dalenius.queries.rank:Max",
    "min": "dalenius.queries.rank:Min",
    "histogram": "dalenius.queries.sums:Histogram",
    "several": "dalenius.queries.several:Several",
    "stage": "dalenius.queries.stage:Stage",
    "reports": "dalenius.queries.reports:Reports",
}
_NOISES: Final[Mapping[str, str]] = {
    "laplace": "dalenius.noise.exponential:Laplace",
    "geometric": "dalenius.noise.exponential:Geometric",
    "gaussian": "dalenius.noise.gaussian:Gaussian",
    "discrete_gaussian": "dalenius.noise.discrete_gaussian:DiscreteGaussian",
    "none": "dalenius.noise.no_noise:NoNoise",
    "kernel": "dalenius.noise.stochastic_matrix:Kernel",
    "randomized_response": "dalenius.noise.randomized_response:RandomizedResponse",
    "noisy_max": "dalenius.noise.noisy_max:NoisyMax",
    "rounding": "dalenius.noise.rounding:Rounding",
    "suppression": "dalenius.noise.suppression:Suppression",
    "cell_key": "dalenius.noise.cell_key:CellKey",
    "steps": "dalenius.noise.steps:Steps",
    "clamped": "dalenius.optimum.clamped_noise:Clamped",
    "relocation": "dalenius.optimum.relocation_noise:Relocation",
}
NOTIONS: Final[Mapping[str, str]] = {
    "differential": "dalenius.notions.log_ratios:DifferentialPrivacy",
    "inferential": "dalenius.notions.log_ratios:InferentialPrivacy",
    "identity": "dalenius.notions.log_ratios:InferentialPrivacy",
    "dependent": "dalenius.notions.log_ratios:InferentialPrivacy",
    "information": "dalenius.notions.log_ratios:InformationPrivacy",
    "relative_entropy": "dalenius.notions.entropies:RelativeEntropyPrivacy",
    "mutual_information": "dalenius.notions.entropies:MutualInformationPrivacy",
    "min_entropy": "dalenius.notions.guesses:MinEntropyPrivacy",
    "g_leakage": "dalenius.notions.guesses:GLeakage",
    "renyi": "dalenius.notions.renyi:Renyi",
    "bayesian": "dalenius.knowledge.bayesian:BayesianPrivacy",
    "noiseless": "dalenius.knowledge.noiseless:NoiselessPrivacy",
    "identifiability": "dalenius.absent.notions:DifferentialIdentifiability",
    "rho": "dalenius.absent.notions:RhoIdentifiability",
}
METHODS: Final[Mapping[str, str]] = {
    "independent": "dalenius.calibration.methods:IndependentMethod",
    "group": "dalenius.calibration.methods:GroupMethod",
    "amplification": "dalenius.calibration.amplification:AmplificationMethod",
    "gaussian": "dalenius.calibration.methods:GaussianMethod",
    "weak_dependence": "dalenius.theorems.weak_dependence_methods:WeakDependenceMethod",
    "dependence_coefficient": "dalenius.pairs.methods:DependenceCoefficientMethod",
    "comonotone": "dalenius.pairs.methods:ComonotoneMethod",
    "wasserstein": "dalenius.theorems.wasserstein:WassersteinMethod",
    "general_wasserstein": "dalenius.theorems.general_wasserstein:GeneralWassersteinMethod",
    "markov_quilt": "dalenius.theorems.markov_quilt:MarkovQuiltMethod",
    "composable_chain": "dalenius.theorems.composable_chain:ComposableChainMethod",
    "influence_matrix": "dalenius.theorems.influence_matrix:InfluenceMatrixMethod",
    "bdp_markov": "dalenius.theorems.bayesian_chain:BayesianChainMethod",
    "bdp_gaussian": "dalenius.theorems.bayesian_gaussian:BayesianGaussianMethod",
    "shuffling": "dalenius.theorems.shuffled_reports:ShufflingMethod",
    "least_flip": "dalenius.theorems.least_flip:LeastFlipMethod",
    "chain_flips": "dalenius.theorems.chain_flips:ChainFlipsMethod",
    "influence_curve": "dalenius.theorems.weak_dependence_methods:InfluenceCurveMethod",
    "prior_free": "dalenius.absent.methods:PriorFreeMethod",
    "prior_dependent": "dalenius.absent.methods:PriorDependentMethod",
    "lee_clifton": "dalenius.absent.methods:LeeCliftonMethod",
    "noiseless": "dalenius.knowledge.noiseless:NoiselessMethod",
    "exact": "dalenius.calibration.methods:ExactMethod",
    "clamped": "dalenius.optimum.clamped_method:ClampedMethod",
    "optimal": "dalenius.optimum.method:OptimalMethod",
}
"""Calibration methods, in the order in which a comparison lists them."""

WORLDS: Final[Mapping[str, str]] = {
    "joint law": "dalenius.channel.record_world:RecordWorld",
    "reports of a chain": "dalenius.channel.large.ordered_reports:ReportsWorld",
    "normal law": "dalenius.gaussian.channel:GaussianWorld",
    "mixture of normal laws": "dalenius.gaussian.mixture_channel:MixtureWorld",
    "absence": "dalenius.absent.who_is_absent_channel:AbsentWorld",
    "laws of pairs": "dalenius.pairs.pairwise_channel:PairwiseWorld",
    "network with intervals": "dalenius.intervals.credal_network_channel:CredalNetworkWorld",
    "groups with intervals": "dalenius.intervals.credal_group_channel:CredalWorld",
}
"""The class that makes the channels of a belief, by the belief's nature (`channel.record_world.World`)."""

PARTS: Final[Mapping[str, str]] = {
    "translation of an absence": "dalenius.absent.methods:translated",
    "groups in intervals": "dalenius.intervals.groups_with_intervals:set_of",
    "chain in intervals": "dalenius.intervals.credal_network:chain_in_intervals",
    "network in intervals": "dalenius.intervals.credal_network:network_in_intervals",
    "product with intervals": "dalenius.intervals.groups_with_intervals:product_with_intervals",
    "product of normal laws": "dalenius.gaussian.model:product_of_gaussians",
    "bayesian loss": "dalenius.knowledge.bayesian:bayesian_loss",
    "information given records": "dalenius.knowledge.conditional_information:information_given",
    "parts given answers": "dalenius.knowledge.known_answers:given_parts",
    "check of known answers": "dalenius.knowledge.known_answers:check_possible",
    "release of a measurement": "dalenius.measurements.release_of_measurement:release_of",
    "function of a group": "dalenius.linked.functions:function_of",
    "parts that tell of groups": "dalenius.linked.group_secrets:components_of_groups",
}
"""Functions of wings that the core calls where a spec has a part that only a wing knows."""


@final
class Part(Generic[F]):
    """A function of a wing that the core calls, by its name in `PARTS`, with the type that the core calls it by.

    A test holds each type to the function's own signature, so that checkers and readers can cross the seam.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def function(self) -> F:
        """The wing's function, imported now."""
        part: F = found(PARTS[self.name])
        return part


class Command(NamedTuple):
    """A command: the `place` of its function, as `module:name`, and what it `does`, as `--help` says it."""

    place: str
    does: str


COMMANDS: Final[Mapping[str, Command]] = {
    "meaning": Command(
        "dalenius.cli.meaning:meaning",
        "Say what an epsilon means for a person alone, and for a member of a household.",
    ),
    "audit": Command(
        "dalenius.cli.audit:audit",
        "Measure what a release leaks by every notion, and name the person about whom it leaks most.",
    ),
    "calibrate": Command("dalenius.cli.calibrate:calibrate", "Find the least noise that keeps the promise."),
    "compare": Command(
        "dalenius.cli.compare:compare",
        "Compare the noise of all methods, whether each is sound, and what it really achieves.",
    ),
    "compose": Command(
        "dalenius.cli.compose:compose",
        "Bound what several releases of the same records leak together, by the tightest sound route.",
    ),
    "stream": Command(
        "dalenius.cli.compose:stream",
        "Bound what answers about one person's values leak over time, if each answer is private alone.",
    ),
    "convert": Command(
        "dalenius.cli.convert:convert",
        "Convert the guarantee of a differentially private pipeline to a leakage under the model, or back.",
    ),
    "explain": Command(
        "dalenius.cli.explain:explain",
        "Write the sheet of a release before it goes out, with an appendix: what is promised, assumed and leaked.",
    ),
    "release": Command(
        "dalenius.cli.release:release",
        "Answer the query from the table at the promised privacy, and record the cost.",
    ),
    "identify": Command(
        "dalenius.cli.identify:identify",
        "Answer a question about a table from which somebody is absent, within what is left of the promise.",
    ),
    "ledger": Command(
        "dalenius.cli.ledger:ledger",
        "Show what a ledger says was released and spent, and check its chain of entries.",
    ),
    "sheet": Command(
        "dalenius.cli.sheet:sheet",
        "Write one A4 page about a release in a ledger, for the signer: as HTML, or as PDF by a browser.",
    ),
    "policy": Command(
        "dalenius.cli.policy:policy",
        "Check that a policy and its tables fit together, and show who may ask what.",
    ),
    "plan": Command(
        "dalenius.cli.plan:plan",
        "Say how precise a question can be that is asked every month, and how many months a precision lasts.",
    ),
    "serve": Command(
        "dalenius.server.commands:serve", "Answer analysts over HTTP, within a policy: a JSON API and web pages."
    ),
    "token": Command("dalenius.server.commands:token", "Make, list and revoke the tokens of a policy's service."),
    "posterior": Command(
        "dalenius.cli.posterior:posterior", "Show what the given answers of a release say of each class of people."
    ),
    "attack": Command(
        "dalenius.cli.attack:attack",
        "Carry out an attack: show what an adversary infers from a release, and how often they are right.",
    ),
    "test-program": Command(
        "dalenius.cli.test_program:test_program",
        "Run a program on data sets drawn from the model, and bound what it leaks from below.",
    ),
    "check": Command(
        "dalenius.cli.check:check", "List what is wrong or doubtful in a table, before anything is computed or spent."
    ),
    "init": Command("dalenius.cli.init:init", "Write a spec with comments, from a look at the table."),
    "example": Command(
        "dalenius.cli.example:example", "Write an example of the documentation into a folder, or list all examples."
    ),
    "fit": Command("dalenius.cli.fit:fit", "Fit a [model] section to public or past data, and say how well it fits."),
}
"""The commands, in the order in which `--help` lists them."""

ROOMS: Final[Mapping[str, Mapping[str, str]]] = {
    "model": MODELS,
    "query": _QUERIES,
    "noise": _NOISES,
    "notion": NOTIONS,
}
"""The classes of each section of a spec, by their kinds."""


def found(place: str) -> Any:
    """Returns the object at `place`, written `module:name`, and imports the module now."""
    module, name = place.split(":")
    return getattr(importlib.import_module(module), name)
