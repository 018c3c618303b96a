"""How close the worst known set is enclosed: δ at ε = ½ of a count without noise, by the fraction that is known.

python examples/known_records/table.py [days ..]
"""

import sys

import dalenius as dl

CHAINS = {
    ".9, .1 and .2, .8": ([2 / 3, 1 / 3], [[0.9, 0.1], [0.2, 0.8]]),
    ".6, .4 and .45, .55": ([9 / 17, 8 / 17], [[0.6, 0.4], [0.45, 0.55]]),
    ".2, .8 and .7, .3": ([7 / 15, 8 / 15], [[0.2, 0.8], [0.7, 0.3]]),
}
FRACTIONS = 0.1, 0.3, 0.5


def enclosed(model: dl.Chain | dl.Households, fraction: float) -> str:
    """One cell of the table."""
    found = dl.noiseless_delta(dl.Release(model, "count", "none"), 0.5, fraction)
    low, high = f"{found.lower:.4f}", f"{found.upper:.4f}"
    return low if low == high else f"[{low}, {high}]"


def main() -> None:
    """Prints the table as Markdown."""
    print("| days, steps | 10 % | 30 % | half |\n|---|---|---|---|", flush=True)
    for n in map(int, sys.argv[1:] or ["12", "20", "40"]):
        for name, (initial, transition) in CHAINS.items():
            model = dl.Chain(n=n, initial=initial, transition=transition)
            cells = (enclosed(model, fraction) for fraction in FRACTIONS)
            print(f"| {n}, {name} | {' | '.join(cells)} |", flush=True)
    for count in (10, 20):
        model = dl.Households(count=count, infected=[0.6, 0.2, 0.1, 0.1])
        cells = (enclosed(model, fraction) for fraction in FRACTIONS)
        print(f"| {count} households of 3, .6, .2, .1, .1 | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
