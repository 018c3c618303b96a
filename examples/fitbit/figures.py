"""The pictures of docs/research/fitbit.md and their numbers: python examples/fitbit/figures.py [FOLDER]

They go to docs/figures by default and take a few minutes. The data are read from $DALENIUS_DATA; days are resampled
with a fixed seed.
"""

import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from days import Day, people
from drawing import draw_days, draw_models, draw_people, draw_scales, write
from order_two import CLASSES, chain_of_pairs, leakages

import dalenius as dl
from dalenius.fitting import ChainFit, fit_chain
from dalenius.joints.chain_joint_law import stationary
from dalenius.laws.extended_range import Masses
from dalenius.queries import Query

ACTIVE = (2, 3)
NOTIONS = {"inferential": dl.InferentialPrivacy, "information": dl.InformationPrivacy}
PEOPLE = {"most regular": "2022484408", "least regular": "5577150313"}
EPSILONS = [2 ** (exponent / 2) for exponent in range(-6, 5)]
RESAMPLES, SEED = 40, 20160512
SHAPES: list[tuple[int, Query]] = [
    (1, dl.Histogram(cells=[[0], [1], [2], [3]])),
    (1, dl.Histogram(cells=[[2], [3]])),
    (1, dl.Count(values=ACTIVE)),
    (15, dl.Histogram(cells=[[1], [2], [3]])),
    (15, dl.Histogram(cells=[[2], [3]])),
    (15, dl.Count(values=ACTIVE)),
    (60, dl.Histogram(cells=[[1], [2], [3]])),
    (60, dl.Count(values=ACTIVE)),
]
Days = Mapping[date, Day]


def fitted(days: Sequence[Day]) -> ChainFit:
    return fit_chain([list(day) for day in days])


def past(days: Days, weekend: bool | None = None) -> list[Day]:
    """All days but the last; of these only weekdays or weekends."""
    return [own for day, own in list(days.items())[:-1] if weekend in (None, day.weekday() >= 5)]


def release_of(model: dl.Chain, scale: float = 1.0) -> dl.Release:
    return dl.Release(model, dl.Count(values=ACTIVE), dl.Geometric(scale=scale))


def told(release: dl.Release) -> dict[str, float]:
    """The upper ends of the enclosures, in nats."""
    found = dl.audit(release, [notion() for notion in NOTIONS.values()])
    return {name: found[name].upper for name in NOTIONS}


def exact_scale(release: dl.Release, notion: str, epsilon: float) -> float:
    """The least scale that keeps the promise; 0 where the exact count does."""
    return dl.calibrate(release, NOTIONS[notion](epsilon=epsilon)).noise.scale or 0.0


def usable(days: Days) -> bool:
    """Enough to fit on: three weeks, and every class on three days or more of both kinds."""
    kinds = [past(days, weekend) for weekend in (False, True)]
    seen = [sum(own in day for day in kind) for kind in kinds for own in CLASSES]
    return len(days) > 21 and min(seen) >= 3


def entropy_rate(model: dl.Chain) -> float:
    """How uncertain the next quarter's class is, given this one's, in nats: low for regular people."""
    step = np.array(model.transition)
    law = stationary(Masses.of(step)).doubles()
    return float(-(law[:, None] * step * np.log(step)).sum())


def of_people(known: Mapping[str, Days]) -> list[dict[str, Any]]:
    rows = []
    for person, days in known.items():
        if usable(days):
            fit = fitted(past(days))
            release = release_of(fit.model)
            row = {"person": person, "days_fitted": len(days) - 1, "entropy_rate_nats": entropy_rate(fit.model)}
            row |= {f"{notion}_nats_at_scale_1": leakage for notion, leakage in told(release).items()}
            row |= {f"{notion}_scale_at_1_nat": exact_scale(release, notion, 1.0) for notion in NOTIONS}
            rows.append(row | {"order_two_p_value": fit.order_two.p_value})
    return sorted(rows, key=lambda row: row["entropy_rate_nats"])


def of_scales(known: Mapping[str, Days]) -> list[dict[str, Any]]:
    releases = {name: release_of(fitted(past(known[who])).model) for name, who in PEOPLE.items()}
    return [
        {"epsilon_nats": epsilon, "independent": 1 / epsilon, "group": 96 / epsilon}
        | {
            f"exact, {notion}, {name}": exact_scale(release, notion, epsilon)
            for name, release in releases.items()
            for notion in NOTIONS
        }
        for epsilon in EPSILONS
    ]


def of_models(known: Mapping[str, Days]) -> list[dict[str, Any]]:
    """What noise that keeps 1 nat under the chain of all past days leaks where another chain is the true one."""
    rows = []
    for name, who in PEOPLE.items():
        for notion in NOTIONS:
            scale = exact_scale(release_of(fitted(past(known[who])).model), notion, 1.0)
            for model, leakage in under_others(known[who], notion, scale):
                rows.append({"person": name, "notion": notion, "scale": scale, "model": model, "leakage_nats": leakage})
    return rows


def under_others(days: Days, notion: str, scale: float) -> list[tuple[str, float]]:
    fits = {
        "all past days": past(days),
        "weekdays": past(days, weekend=False),
        "weekends": past(days, weekend=True),
    }
    found = [(name, told(release_of(fitted(own).model, scale))[notion]) for name, own in fits.items()]
    found.append(("order 2", leakages(chain_of_pairs(past(days)), ACTIVE, dl.Geometric(scale=scale))[notion]))
    chance = np.random.default_rng(SEED)
    for _ in range(RESAMPLES):
        drawn = [past(days)[place] for place in chance.integers(len(days) - 1, size=len(days) - 1)]
        found.append(("days resampled", told(release_of(fitted(drawn).model, scale))[notion]))
    return found


def of_shapes() -> list[dict[str, Any]]:
    """The least regular person's day in other records and other answers, under noise of scale 1."""
    rows: list[dict[str, Any]] = []
    for minutes, query in SHAPES:
        model = fitted(past(people(minutes)[PEOPLE["least regular"]])).model
        row = {"minutes_per_record": minutes, "records": model.n, "answers": len(getattr(query, "cells", "1"))}
        release = dl.Release(model, query, dl.Geometric(scale=1.0), engine="factor")
        try:
            leaked: dict[str, Any] = {**told(release), "refused": ""}
        except dl.TooLarge as error:
            leaked = {**dict.fromkeys(NOTIONS, ""), "refused": str(error)}
        rows.append(row | leaked)
    return rows


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "docs" / "figures"
    known = people()
    last = [{"quarter": place + 1} for place in range(96)]
    for name, who in PEOPLE.items():
        for row, own in zip(last, list(known[who].values())[-1], strict=True):
            row[name] = own
    results = (
        ("fitbit_days", last, draw_days),
        ("fitbit_people", of_people(known), draw_people),
        ("fitbit_scales", of_scales(known), draw_scales),
        ("fitbit_models", of_models(known), draw_models),
    )
    write(folder / "fitbit_shapes.csv", of_shapes())
    for name, rows, draw in results:
        write(folder / f"{name}.csv", rows)
        draw(rows, folder / f"{name}.png")


if __name__ == "__main__":
    main()
