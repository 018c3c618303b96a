"""Half of Hagelloch's families under what the other half says: python examples/unknown/hagelloch.py

Prints, for the count of children who fell ill early among the families that are published, what Laplace noise of scale
1 leaks and the least scale that keeps 1 nat, under laws learned from the other families: as points, as intervals, and
as nothing but the households. Writes learned.csv and published.csv as halves.py does. Reads $DALENIUS_DATA.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from halves import Family, families, halves, write

import dalenius as dl
from dalenius.fitting import HouseholdsFit, fit_households

PROMISE = dl.InferentialPrivacy(epsilon=1.0)
Sizes = Mapping[int, int]


def counts(half: list[Family]) -> Counter[tuple[int, int]]:
    """How many families there are of each size with so many early cases."""
    return Counter((len(children), sum(children)) for _, children in half)


def of_sizes(fit: HouseholdsFit, sizes: Sizes) -> dl.Households:
    """The learned laws, for so many families of each size."""
    types = [each.model_copy(update={"count": sizes[each.size]}) for each in fit.model.types or () if sizes[each.size]]
    return dl.Households(types=types, confidence=fit.model.confidence)


def models() -> dict[str, dl.Households]:
    """Of the published half."""
    learned, published = halves(families())
    sizes = Counter(len(children) for _, children in published)
    past = counts(learned)
    return {
        "points": of_sizes(fit_households(past), sizes),
        "confidence 50 %": of_sizes(fit_households(past, confidence=0.5), sizes),
        "confidence 95 %": of_sizes(fit_households(past, confidence=0.95), sizes),
    }


def main() -> None:
    learned, published = halves(families())
    write(Path("learned.csv"), learned)
    write(Path("published.csv"), published)
    print(f"{len(learned)} families learned from, {len(published)} published")
    for name, model in models().items():
        release = dl.Release(model, dl.Count(), dl.Laplace(scale=1.0))
        leaked = PROMISE.leakage(release).upper
        print(f"{name}: leaks {leaked:.4f}, needs a scale of {dl.calibrate(release, PROMISE).noise.scale:.4f}")


if __name__ == "__main__":
    main()
