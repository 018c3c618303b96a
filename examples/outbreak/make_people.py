"""Make people.csv: a small town after an outbreak. Invented; the same seed gives the same file.

python examples/outbreak/make_people.py > examples/outbreak/people.csv
"""

import csv
import random
import sys

SEED = 1977
DISTRICTS = {"Harbour": 150, "Hill": 120, "Mill": 130, "Old Town": 100}  # households
SIZES, SHARES = (1, 2, 3, 4, 5, 6), (0.34, 0.30, 0.15, 0.14, 0.05, 0.02)
COMMUNITY, HOUSEHOLD = 0.06, 0.35  # chances to be infected from outside, and by an infected member of the household


def infected(size: int, chance: random.Random) -> list[int]:
    """Who falls ill: outside infections first, then along the household's contacts."""
    ill = {member for member in range(size) if chance.random() < COMMUNITY}
    waiting = list(ill)
    while waiting:
        waiting.pop()
        for other in range(size):
            if other not in ill and chance.random() < HOUSEHOLD:
                ill.add(other)
                waiting.append(other)
    return [int(member in ill) for member in range(size)]


def main() -> None:
    chance = random.Random(SEED)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["person", "household", "district", "ill"])
    person = household = 0
    for district, households in DISTRICTS.items():
        for _ in range(households):
            household += 1
            for ill in infected(chance.choices(SIZES, SHARES)[0], chance):
                person += 1
                writer.writerow([person, f"H{household:04d}", district, ill])


if __name__ == "__main__":
    main()
