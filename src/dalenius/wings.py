"""The seam between the core and its wings: one table of what a name stands for, and in which file that is.

The core imports no wing. What a spec, a command or a belief of a wing's own kind needs is found here by its name, and
imported when it is first needed. A new model, query, noise, notion, method or command is one file and one line here; a
new capability is one folder, its lines here, and a row of `WINGS`, from which the map of the documentation is made.
"""

import importlib
from collections.abc import Mapping
from typing import Any, Final

MODELS: Final[Mapping[str, str]] = {
    "independent": "dalenius.models.independent:Independent",
    "table": "dalenius.models.table:Table",
    "groups": "dalenius.models.groups:Groups",
    "households": "dalenius.models.households:Households",
    "chain": "dalenius.models.chain:Chain",
    "network": "dalenius.models.network:Network",
    "pairwise": "dalenius.models.pairwise:Pairwise",
    "gaussian": "dalenius.models.gaussian:GaussianRecords",
    "moments": "dalenius.models.moments:Moments",
    "absent": "dalenius.models.absent:Absent",
    "product": "dalenius.models.product:Product",
    "linked": "dalenius.models.linked:Linked",
    "any": "dalenius.models.any:Any",
}
QUERIES: Final[Mapping[str, str]] = {
    "count": "dalenius.queries.count:Count",
    "sum": "dalenius.queries.sum:Sum",
    "mean": "dalenius.queries.mean:Mean",
    "variance": "dalenius.queries.variance:Variance",
    "median": "dalenius.queries.median:Median",
    "max": "dalenius.queries.max:Max",
    "min": "dalenius.queries.min:Min",
    "histogram": "dalenius.queries.histogram:Histogram",
    "several": "dalenius.queries.several:Several",
    "stage": "dalenius.queries.stage:Stage",
}
NOISES: Final[Mapping[str, str]] = {
    "laplace": "dalenius.noise.laplace:Laplace",
    "geometric": "dalenius.noise.geometric:Geometric",
    "gaussian": "dalenius.noise.gaussian:Gaussian",
    "none": "dalenius.noise.none:NoNoise",
    "kernel": "dalenius.noise.kernel:Kernel",
    "clamped": "dalenius.noise.clamped:Clamped",
    "relocation": "dalenius.noise.relocation:Relocation",
}
NOTIONS: Final[Mapping[str, str]] = {
    "differential": "dalenius.notions.differential:DifferentialPrivacy",
    "inferential": "dalenius.notions.inferential:InferentialPrivacy",
    "identity": "dalenius.notions.inferential:InferentialPrivacy",
    "dependent": "dalenius.notions.inferential:InferentialPrivacy",
    "information": "dalenius.notions.information:InformationPrivacy",
    "relative_entropy": "dalenius.notions.relative_entropy:RelativeEntropyPrivacy",
    "mutual_information": "dalenius.notions.mutual_information:MutualInformationPrivacy",
    "min_entropy": "dalenius.notions.min_entropy:MinEntropyPrivacy",
    "g_leakage": "dalenius.notions.g_leakage:GLeakage",
    "bayesian": "dalenius.notions.bayesian:BayesianPrivacy",
    "noiseless": "dalenius.notions.noiseless:NoiselessPrivacy",
    "identifiability": "dalenius.notions.identifiability:DifferentialIdentifiability",
    "rho": "dalenius.notions.rho:RhoIdentifiability",
}
METHODS: Final = (
    "dalenius.calibration.group.independent:IndependentMethod",
    "dalenius.calibration.group.group:GroupMethod",
    "dalenius.calibration.group.gaussian:GaussianMethod",
    "dalenius.calibration.group.weak_dependence:WeakDependenceMethod",
    "dalenius.calibration.group.weak_dependence_sharp:SharpWeakDependenceMethod",
    "dalenius.calibration.pairwise.dependence_coefficient:DependenceCoefficientMethod",
    "dalenius.calibration.pairwise.dependence_coefficient_closed:ClosedCoefficientMethod",
    "dalenius.calibration.pairwise.correlated_sensitivity:CorrelatedSensitivityMethod",
    "dalenius.calibration.pairwise.comonotone:ComonotoneMethod",
    "dalenius.calibration.group.wasserstein:WassersteinMethod",
    "dalenius.calibration.quilts.markov_quilt:MarkovQuiltMethod",
    "dalenius.calibration.quilts.markov_quilt_approximate:ApproximateMarkovQuiltMethod",
    "dalenius.calibration.group.influence_curve:InfluenceCurveMethod",
    "dalenius.calibration.absent.prior_free:PriorFreeMethod",
    "dalenius.calibration.absent.prior_dependent:PriorDependentMethod",
    "dalenius.calibration.absent.lee_clifton:LeeCliftonMethod",
    "dalenius.calibration.noiseless:NoiselessMethod",
    "dalenius.calibration.exact:ExactMethod",
    "dalenius.calibration.optimal.clamped:ClampedMethod",
    "dalenius.calibration.optimal.optimal:OptimalMethod",
)
"""In the order in which a comparison lists them."""

WORLDS: Final[Mapping[str, str]] = {
    "joint law": "dalenius.channel.finite.records:RecordWorld",
    "normal law": "dalenius.channel.gaussian.records:GaussianWorld",
    "absence": "dalenius.channel.absent.records:AbsentWorld",
    "laws of pairs": "dalenius.channel.pairwise.world:PairwiseWorld",
    "chain with intervals": "dalenius.channel.imprecise.chain:CredalChainWorld",
    "network with intervals": "dalenius.channel.imprecise.network:CredalNetworkWorld",
    "groups with intervals": "dalenius.channel.credal.world:CredalWorld",
}
"""By a belief's nature, the class that makes its channels (`channel.world.World`)."""

PARTS: Final[Mapping[str, str]] = {
    "curve of an absence": "dalenius.calibration.absent.curves:worst_curve",
    "translation of an absence": "dalenius.calibration.absent.absent:translated",
    "groups in intervals": "dalenius.joints.credal.groups:set_of",
    "chain in intervals": "dalenius.joints.imprecise.chain:chain_in_intervals",
    "network in intervals": "dalenius.joints.imprecise.network:network_in_intervals",
    "product with intervals": "dalenius.joints.credal.parts:product_with_intervals",
    "product of normal laws": "dalenius.joints.gaussian:product_of_gaussians",
    "bayesian loss": "dalenius.notions.bayesian:bayesian_loss",
    "information given records": "dalenius.knowledge.given:information_given",
    "relations": "dalenius.spec.relations:implied_by",
    "shortcuts": "dalenius.channel.finite.shortcuts:shortcuts",
    "certificates": "dalenius.cli.certificates:print_certificates",
    "tests of an attacker": "dalenius.cli.tradeoff:tests_of",
    "robustness": "dalenius.cli.robust:robust_of",
    "figure of an audit": "dalenius.reports.leakages:audit_figure",
    "figure of a tail": "dalenius.reports.attackers:tail_figure",
    "figure of a calibration": "dalenius.reports.leakages:calibration_figure",
    "figure of an absence": "dalenius.reports.promises:absence_figure",
    "figure of a comparison": "dalenius.reports.promises:comparison_figure",
    "function of a group": "dalenius.joints.collections.functions:function_of",
    "parts that tell of groups": "dalenius.joints.collections.asked:components_of_groups",
}
"""What the core calls where a spec has what only a wing knows."""

ROOMS: Final[Mapping[str, Mapping[str, str]]] = {
    "model": MODELS,
    "query": QUERIES,
    "noise": NOISES,
    "notion": NOTIONS,
}
"""By the section of a spec, its classes by their kinds."""


def found(place: str) -> Any:
    """What is called so: `module:name`, imported now."""
    module, name = place.split(":")
    return getattr(importlib.import_module(module), name)
