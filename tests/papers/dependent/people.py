"""A small made-up city: people around a few meeting points, friends of those who meet at the same one."""

import numpy as np

from papers.dependent.gowalla import CENTRES, KEPT, City


def made_up_city(people: int, points: int = 4, seed: int = 1, name: str = "new_york") -> City:
    """Friends meet at the same point and at no other."""
    draws = np.random.default_rng(seed)
    centre = np.array(CENTRES[name])
    meeting = centre + draws.uniform(-0.12, 0.12, (points, 2))
    group = draws.integers(points, size=people)
    places = meeting[group][:, None] + draws.normal(0, 0.01, (people, KEPT, 2))
    first, second = np.triu_indices(people, 1)
    friends = (group[first] == group[second]) & (draws.random(len(first)) < 0.3)
    pairs = np.column_stack([first[friends], second[friends]])
    return City(name, np.arange(people), places, pairs, 0, 10 * people, cells=8)
