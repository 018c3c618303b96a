"""Limits of noise, and of how far off it is."""

from typing import Final

from dalenius.limits import Limit

MOST_DECAY: Final = Limit(
    "noise.decay",
    10**6,
    "scales",
    "Scales of the noise in one step of the lattice. Noise with less scale changes no answer in practice.",
)
MOST_DEVIATIONS: Final = Limit(
    "noise.deviations",
    100,
    "deviations",
    "Deviations of Gaussian noise in one step of the lattice. Noise with less deviation hides nothing.",
)
LARGEST_DRAW: Final = Limit(
    "noise.largest_draw",
    1 << 62,
    "steps",
    "The largest answer with its noise, in steps of the lattice. Samplers have 64 bits.",
)
MOST_DECIMALS: Final = Limit(
    "noise.decimals",
    300,
    "digits",
    "Digits of a given output before its point, or zeros after the point. Doubles end there.",
)
MOST_PAIRED_VALUES: Final = Limit(
    "noise.paired_values",
    2000,
    "values",
    "Values of a record that are compared in pairs for the worst loss. Beyond, a bound is reported.",
)
MOST_RATIOS: Final = Limit(
    "noise.ratios",
    1 << 27,
    "ratios",
    "Pairs of rows of a matrix times its columns. They take 1 GB. Beyond, there is no bound.",
    memory=True,
)
MOST_ERROR_TERMS: Final = Limit(
    "noise.error_terms",
    1 << 24,
    "terms",
    "Terms of the tail of all errors of a histogram together. Each array takes 128 MB.",
)
MOST_CHOICES: Final = Limit(
    "noise.choices",
    10_000,
    "outputs",
    "Orders of the largest answers whose probabilities are computed for `noisy_max`, one for every answer.",
)
MOST_COMPARED_ANSWERS: Final = Limit(
    "noise.compared_answers",
    4_000,
    "answers",
    "Answers of the other records at which `noisy_max` is compared for the worst loss. Beyond, a bound is reported.",
)
MOST_JOINT_SCALES: Final = Limit(
    "noise.joint_scales",
    24,
    "deviations",
    "Answers with Gaussian noise beside others. Beyond, doubles hold no likelihoods. Laplace noise: 20 times as many.",
)
MOST_JOINT_OUTPUTS: Final = Limit(
    "noise.joint_outputs",
    1 << 18,
    "outputs",
    "Outputs of several answers with Gaussian noise among them. Fewer nodes for each would say next to nothing.",
)
MOST_SHARED_DRAWS: Final = Limit(
    "noise.shared_draws",
    1 << 22,
    "draws",
    "Ways to draw the keys of the sets of people behind several answers. Arrays take 300 MB.",
    memory=True,
)
MOST_RULE_OUTPUTS: Final = Limit(
    "noise.rule_outputs",
    1 << 27,
    "numbers",
    "Likelihoods of all numbers from the least to the largest output of a rule. They take 1 GB.",
    memory=True,
)
