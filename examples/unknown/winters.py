"""The winter's furnace under intervals of two winters: python examples/unknown/winters.py

Prints the intervals of each winter's transitions at 95 %, and for the count of a week's hours with gas, with geometric
noise of scale 1, what leaks under each winter's point and its intervals, and under both. Reads $DALENIUS_DATA.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "gas"))

from season import PAST, RELEASED, winter
from weeks import WEEK, hours

import dalenius as dl
from dalenius.fitting import fit_chain
from dalenius.models import confidence_of

WINTERS = {"2012": PAST, "2013": RELEASED}


def leaked(model: dl.Chain | dl.AnyOf) -> float:
    release = dl.Release(model, dl.Count(), dl.Geometric(scale=1.0))
    return dl.InferentialPrivacy().leakage(release).upper


def models() -> dict[str, dl.Chain]:
    """A week under each winter, as a point and as intervals."""
    used, found = hours(), {}
    for name, first in WINTERS.items():
        past = winter(used, first)
        for kind, confidence in (("points", None), ("intervals", 0.95)):
            chain = fit_chain(past, confidence=confidence).model
            found[f"{name}, {kind}"] = chain.model_copy(update={"n": WEEK})
    return found


def main() -> None:
    every = models()
    for name, model in every.items():
        if model.confidence is not None:
            for value, row in enumerate(model.transition):
                low, high = row[1]
                print(f"{name}: Pr[gas | {'gas' if value else 'none'} before] in [{low:.4f}, {high:.4f}]")
    for name, model in every.items():
        print(f"{name}: leaks {leaked(model):.4f}")
    both = dl.AnyOf(models=[model for model in every.values() if model.confidence is not None])
    print(f"both winters, intervals: leaks {leaked(both):.4f}, confidence {confidence_of(both):.2f}")


if __name__ == "__main__":
    main()
