"""Every advice of a refusal is followed: it leads to an answer, or to another message that is true.

A case is what was asked, what its message advises, and what somebody types who follows it. The refusals of networks
that are too wide are followed in tests/large/test_wide_networks.py, those of budgets in tests/curator.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tests.cli.command import Done, Run
from tests.pace import slow

CHAIN: Final = (
    'model = { kind = "chain", n = 40, transition = [[0.9, 0.1], [0.2, 0.8]], initial = "stationary" }\n'
    'query = { kind = "count" }\nnotion = { kind = "inferential", epsilon = 1.0 }\n'
)
LAPLACE: Final = 'noise = { kind = "laplace", scale = 2.0 }\n'
GAUSSIAN: Final = 'noise = { kind = "gaussian", scale = 2.0 }\n'
THREE: Final = 'model = { kind = "independent", n = 3, probabilities = [0.3] }\n'
COUNT: Final = 'query = { kind = "count" }\n'
PROMISE: Final = 'notion = { kind = "inferential", epsilon = 1.0 }\n'
BONUSES: Final = (
    'model = { kind = "independent", n = 16, values = [0.1, 1.3, 2.1, 97.7], probabilities = [0.1, 0.2, 0.3, 0.4] }\n'
    'query = { kind = "sum" }\nnotion = { kind = "inferential", epsilon = 1.0 }\n'
)
INCOMES: Final = (
    'model = { kind = "independent", n = 60, values = [0.001, 1.37, 2.113, 977.77], '
    "probabilities = [0.1, 0.2, 0.3, 0.4] }\n"
    'query = { kind = "sum" }\nnotion = { kind = "inferential", epsilon = 1.0 }\n'
)
FRIENDS: Final = (
    'model = {{ kind = "pairwise", n = 4, values = [0, 1], given = [[0.9, 0.1], [0.1, 0.9]], '  # edges come last
    "edges = {edges}{others} }}\n"
)
ROW: Final = "[[1, 2], [2, 3], [3, 4]]"
RING: Final = "[[1, 2], [2, 3], [3, 4], [4, 1]]"
HOMES: Final = (
    'model = { kind = "households", by = "home", epidemic = { community = 0.1, household = 0.3 } }\n'
    'query = { kind = "count" }\nnotion = { kind = "inferential", epsilon = 1.0 }\n'
    'data = { file = "p.csv", value = "ill", household = "home"%s }\n'
)
WEAK: Final = (HOMES % "").replace('"inferential", epsilon = 1.0', '"information", epsilon = 9.0')
TABLE: Final = "home,ill,pay\n" + "".join(f"{home},{place % 2},1\n" for home in range(8) for place in range(2))


@dataclass(frozen=True)
class Followed:
    """spec: where it is edited; more: arguments after the command's own, in whose place `instead` stands where it is
    given. says: of a refusal that is true, instead of an answer; finds: in what is answered."""

    spec: str | None = None
    more: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    says: str = ""
    finds: str = ""
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Advice:
    """asked: the command's words, in which SPEC is the spec's file; said: what the message advises."""

    spec: str
    asked: tuple[str, ...]
    said: str
    followed: tuple[Followed, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    code: int = 2


CASES: Final[dict[str, Advice]] = {
    "a scale that is missing": Advice(
        CHAIN + 'noise = { kind = "laplace" }\n',
        ("audit", "SPEC"),
        r"noise.scale: missing, .*\(dalenius calibrate finds it\)",
        (Followed(instead=("calibrate", "SPEC"), finds="laplace"),),
    ),
    "noise that is missing": Advice(
        CHAIN,
        ("audit", "SPEC"),
        r"a section \[noise\] with kind and scale \(dalenius calibrate finds the scale\)",
        (Followed(instead=("calibrate", "SPEC"), finds="geometric"), Followed(spec=CHAIN + LAPLACE)),
    ),
    "an engine that lists too much": Advice(
        CHAIN + LAPLACE,
        ("audit", "SPEC", "--engine", "enumeration"),
        "use the factor engine",
        (Followed(instead=("audit", "SPEC", "--engine", "factor"), finds="inferential"),),
    ),
    "a law that does not fit": Advice(
        BONUSES + LAPLACE,
        ("posterior", "SPEC", "--answers", "50", "--memory", "1M"),
        "ask fewer answers at once or coarser values, or use calibrate --method group, which needs no law; or allow "
        "--memory",
        (
            Followed(more=("--memory", "NAMED"), finds="person 1"),
            Followed(spec=BONUSES.replace("0.1, 1.3, 2.1, 97.7", "0, 1, 2, 10") + LAPLACE, finds="person 1"),
            Followed(
                spec=BONUSES + 'noise = { kind = "laplace" }\n',
                instead=("calibrate", "SPEC", "--method", "group", "--memory", "1M"),
                finds="group",
            ),
        ),
    ),
    "a guarantee without an epsilon at delta 0": Advice(
        THREE,
        ("convert", "SPEC", "--neighbours", "replace", "--gdp", "1"),
        "a delta above 0, or --at-epsilon: no epsilon has delta 0 here",
        (Followed(more=("--at-delta", "1e-6")), Followed(more=("--at-epsilon", "1"))),
    ),
    "what neighbours are": Advice(
        THREE,
        ("convert", "SPEC", "--epsilon", "1"),
        "wanted replace or add_remove",
        (Followed(more=("--neighbours", "replace")), Followed(more=("--neighbours", "add_remove"))),
    ),
    "rows that name nobody": Advice(
        FRIENDS.format(edges='{ file = "e.csv", first = "a", second = "b" }', others=', others = "anything"')
        + COUNT
        + LAPLACE,
        ("audit", "SPEC"),
        'or unknown = "leave_out" beside the file',
        (
            Followed(
                spec=FRIENDS.format(
                    edges='{ file = "e.csv", first = "a", second = "b", unknown = "leave_out" }',
                    others=', others = "anything"',
                )
                + COUNT
                + LAPLACE,
                finds="left out",
            ),
            Followed(files={"e.csv": b"a,b\n1,2\n2,3\n3,4\n"}),
        ),
        {"e.csv": b"a,b\n0,1\n1,2\n2,3\n"},
    ),
    "pairs that contradict what is supposed": Advice(
        FRIENDS.format(edges=ROW, others="") + COUNT + LAPLACE,
        ("audit", "SPEC"),
        'others = "anything" counts all who are connected, and "markov" has a law for them',
        tuple(
            Followed(spec=FRIENDS.format(edges=ROW, others=f', others = "{each}"') + COUNT + LAPLACE)
            for each in ("anything", "markov")
        ),
        code=0,
    ),
    "pairs with a cycle, for which there is no law": Advice(
        FRIENDS.format(edges=RING, others="") + COUNT + LAPLACE,
        ("audit", "SPEC"),
        'others = "anything" counts all who are connected$',
        (Followed(spec=FRIENDS.format(edges=RING, others=', others = "anything"') + COUNT + LAPLACE),),
        code=0,
    ),
    "a table that is not there": Advice(
        HOMES.replace("p.csv", "q.csv") % "" + LAPLACE,
        ("audit", "SPEC"),
        "a file that is there, or --data with where it is",
        (Followed(more=("--data", "p.csv")), Followed(files={"q.csv": TABLE.encode()})),
        {"p.csv": TABLE.encode()},
    ),
    "decimals with a comma": Advice(
        HOMES.replace('value = "ill"', 'value = "pay", lower = 0, upper = 2, step = 0.5') % "" + LAPLACE,
        ("audit", "SPEC"),
        r'numbers with a decimal comma, which decimal = "," in \[data\] reads',
        (
            Followed(
                spec=HOMES.replace('value = "ill"', 'value = "pay", lower = 0, upper = 2, step = 0.5')
                % ', decimal = ","'
                + LAPLACE,
                finds="inferential",
            ),
        ),
        {"p.csv": TABLE.replace(",1\n", ';"1,5"\n').replace(",", ";", 0).replace(";", ",").encode()},
    ),
    "another encoding": Advice(
        HOMES % "" + LAPLACE,
        ("audit", "SPEC"),
        r'it looks like cp1252; encoding = "cp1252" in \[data\] or --encoding cp1252 reads it',
        (
            Followed(more=("--encoding", "cp1252"), finds="inferential"),
            Followed(spec=HOMES % ', encoding = "cp1252"' + LAPLACE, finds="inferential"),
        ),
        {"p.csv": TABLE.replace("\n0,", "\nMüllerstraße,").encode("cp1252")},
    ),
    "names that are likely one": Advice(
        HOMES % "" + LAPLACE,
        ("audit", "SPEC"),
        "dalenius check says in which rows",
        (Followed(instead=("check", "SPEC"), finds=r"\(rows? "),),
        {"p.csv": TABLE.replace("\n7,", "\nx 7,").replace("\n6,", "\nX 7,").encode()},
        0,
    ),
    "an answer that would go out exactly": Advice(
        WEAK,
        ("release", "SPEC", "--budget", "99"),
        r'to release it nevertheless, write kind = "none" in \[noise\] or pass --allow-exact',
        (
            Followed(more=("--allow-exact",)),
            Followed(spec=WEAK + 'noise = { kind = "none" }\n', more=("--ledger", "another.sqlite")),
        ),
        {"p.csv": TABLE.encode()},
        1,
    ),
    "methods that do not apply": Advice(
        CHAIN,
        ("compare", "SPEC"),
        "more do not apply: --all says why, and why each is sound",
        (Followed(more=("--all",), finds="does not apply|wanted"),),
        code=0,
    ),
    "an optimum that is too large": Advice(
        INCOMES.replace("n = 60", "n = 120") + 'noise = { kind = "laplace" }\n',
        ("calibrate", "SPEC", "--method", "optimal", "--objective", "squared"),
        "use method exact",
        (Followed(instead=("calibrate", "SPEC", "--method", "exact"), finds="exact"),),
    ),
}


def place(folder: Path, spec: str, files: dict[str, bytes]) -> None:
    (folder / "spec.toml").write_text(spec, encoding="utf-8")
    for name, content in files.items():
        (folder / name).write_bytes(content)


def spoken(words: Sequence[str], named: str) -> list[str]:
    """The arguments: SPEC is the spec's file, NAMED the amount that the message named."""
    return [{"SPEC": "spec.toml", "NAMED": named}.get(word, word) for word in words]


def all_of(done: Done) -> str:
    """In one line, so that no word is broken by a terminal's width."""
    return " ".join((done.out + done.err).split())


@pytest.mark.parametrize(
    "name",
    [slow(name) if name in ("an optimum that is too large", "methods that do not apply") else name for name in CASES],
)
def test_advice_leads_on(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    case = CASES[name]
    monkeypatch.chdir(tmp_path)
    place(tmp_path, case.spec, case.files)
    refused = run(*spoken(case.asked, ""))
    lines = [line.strip() for line in (refused.out + refused.err).splitlines()]
    assert refused.code == case.code, all_of(refused)
    assert any(re.search(case.said, line) for line in (*lines, all_of(refused))), all_of(refused)
    named = re.search(r"or allow --memory (\S+)", all_of(refused))
    for each in case.followed:
        place(tmp_path, each.spec or case.spec, {**case.files, **each.files})
        done = run(*spoken((*(each.instead or case.asked), *each.more), named[1] if named else ""))
        if done.code:
            assert each.says, all_of(done)
            assert re.search(each.says, all_of(done)), all_of(done)
            assert all_of(done) != all_of(refused)
        else:
            assert re.search(each.finds, all_of(done)), all_of(done)


LEFT_TO_OTHERS: Final = {
    "or_more": "tests/large/test_wide_networks.py",
    "[[derived]]": "tests/curator/test_finer_tables.py",
    "kind several": "tests/curator/test_saving_together.py",
}


def test_advice_that_is_followed_elsewhere_is_there() -> None:
    root = Path(__file__).parents[2]
    for path in LEFT_TO_OTHERS.values():
        assert "advice" in (root / path).read_text(encoding="utf-8").lower()
