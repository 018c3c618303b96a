"""Prints the table of households in training: group accounting against converting one person's guarantee.

python examples/conversion/training_households.py

Each step takes a Poisson sample and adds Gaussian noise to the sum of clipped gradients. A household of k joins with
all its members: the number of them in a batch is binomial. Needs dp-accounting.
"""

import dp_accounting as accounting

from dalenius.conversion import PrivacyProfile, event_profile
from dalenius.conversion.mixture_of_gaussians import members_in_batch
from dalenius.conversion.one_record import OneRecord

DELTA = 1e-6
TRAININGS = ((0.002, 0.8, 5000), (0.01, 1.0, 1000), (0.01, 2.0, 1000), (0.05, 4.0, 400))
"""The chance of being in a batch, the noise over the clipping norm, and the steps."""


def own(profile: PrivacyProfile, changes: int) -> float:
    """The ε at DELTA, from above, of so many changes of one neighbour each."""
    return OneRecord(profile, changes, 0.0).epsilon(DELTA).upper


def main() -> None:
    print("| rate | noise | steps | members | one person | as k members in a batch | one person's, k-fold |")
    print("|---|---|---|---|---|---|---|")
    for rate, sigma, steps in TRAININGS:
        step = accounting.PoissonSampledDpEvent(rate, accounting.GaussianDpEvent(sigma))
        single = event_profile(accounting.SelfComposedDpEvent(step, steps), "add_remove")
        for members in (2, 4):
            batch = accounting.dp_event.MixtureOfGaussiansDpEvent(sigma, *members_in_batch(members, rate))
            whole = event_profile(accounting.SelfComposedDpEvent(batch, steps), "add_remove")
            numbers = " | ".join(f"{each:.2f}" for each in (own(single, 1), own(whole, 1), own(single, members)))
            print(f"| {rate} | {sigma} | {steps} | {members} | {numbers} |")


if __name__ == "__main__":
    main()
