"""What the benchmark of pedigrees calls."""

from random import Random

from dalenius import Count, InferentialPrivacy, InformationPrivacy, Laplace, Pedigree, Release

Row = tuple[str, str, str]


def families(count: int, most: int) -> list[Row]:
    """Draws so many families, the last of `most` people and the others mostly of a dozen."""
    random = Random(count)
    sizes = [max(3, min(most, int(random.lognormvariate(2.3, 1.1)))) for _ in range(count - 1)]
    return [row for number, size in enumerate([*sizes, most]) for row in _family(size, f"F{number}", random)]


def _family(size: int, name: str, random: Random) -> list[Row]:
    """Draws a family: half of the children marry, one in twenty of them a relative."""
    rows = [(f"{name}.1", "", ""), (f"{name}.2", "", "")]
    men, women = [rows[0][0]], [rows[1][0]]
    couples = [(men[0], women[0])]
    while len(rows) < size:
        child, is_man = f"{name}.{len(rows) + 1}", random.random() < 0.5
        rows.append((child, *random.choice(couples[-8:])))
        if len(rows) < size and random.random() < 0.5:
            others = women if is_man else men
            if random.random() < 0.05 and len(rows) > 8:
                spouse = random.choice(others[-10:])
            else:
                spouse = f"{name}.{len(rows) + 1}"
                rows.append((spouse, "", ""))
                others.append(spouse)
            couples.append((child, spouse) if is_man else (spouse, child))
        (men if is_man else women).append(child)
    return rows


def leaks(count: int, most: int) -> tuple[float, ...]:
    """How many people there are, and what a count of carriers leaks: inferential and information, both ends."""
    rows = families(count, most)
    release = Release(Pedigree(people=rows, allele_frequency=0.1), Count(values=(1, 2)), Laplace(scale=20.0))
    found = [notion.leakage(release) for notion in (InferentialPrivacy(), InformationPrivacy())]
    return (float(len(rows)), *(end for each in found for end in (each.lower, each.upper)))
