"""Which cases are quick."""

from collections import Counter
from itertools import product

from tests.pace import covering


def test_every_entry_is_quick_and_few_cases_are() -> None:
    cases = [(model, query) for model, query in product("abcdefghij", "tuvwxyz") if (model, query) != ("a", "z")]
    for times in (1, 2):
        found = covering(cases, times)
        quick = [each for each in found if each in cases]
        assert [each if each in quick else each.values for each in found] == cases
        seen = Counter((place, entry) for case in quick for place, entry in enumerate(case))
        assert all(seen[place, entry] >= times for case in cases for place, entry in enumerate(case))
        assert len(quick) <= 10 * times + 2
