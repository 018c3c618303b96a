"""Nobody waits for a library that is not used: the heavy ones are imported in few places, all named here."""

import ast
import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

import dalenius
from dalenius import wings
from dalenius.cli.main import COMMANDS, Later

HOUSE = Path(dalenius.__file__).parent
HEAVY = {
    "scipy",
    "matplotlib",
    "opendp",
    "sqlalchemy",
    "rich",
    "ibis",
    "duckdb",
    "pandas",
    "pyarrow",
    "sqlglot",
    "pyspark",
    "networkx",
    "pgmpy",
    "sklearn",
    "fastapi",
    "prometheus_client",
    "starlette",
    "uvicorn",
}
INSIDE = {
    "calibration/group/largest_influence.py": {"scipy"},
    "channel/gaussian/records.py": {"scipy"},
    "cli/output.py": {"rich"},
    "conversion/solver.py": {"scipy"},
    "curator/publication.py": {"matplotlib"},
    "drawing.py": {"matplotlib"},
    "fitting/regions.py": {"scipy"},
    "joints/pairwise/law.py": {"scipy"},
    "learning/degree_statistics.py": {"scipy"},
    "noise/sampling.py": {"opendp"},
    "server/logs.py": {"prometheus_client"},
    "roots.py": {"scipy"},
    "special.py": {"scipy"},
    "tables/engine.py": {"duckdb", "ibis", "pyarrow", "sqlglot"},
    "tables/held.py": {"pyarrow"},
    "tables/servers.py": {"ibis", "pyspark"},
    "tabular.py": {"pandas", "rich"},
}
"""Where a function imports a heavy library."""
AT_THE_TOP = {
    "calibration/optimal/solver.py": {"scipy"},
    "curator/database.py": {"sqlalchemy"},
    "curator/postgres.py": {"sqlalchemy"},
    "curator/sqlite.py": {"sqlalchemy"},
    "fitting/chain.py": {"scipy"},
    "fitting/contingency.py": {"scipy"},
    "fitting/epidemic.py": {"scipy"},
    "fitting/fit.py": {"scipy"},
    "fitting/friends.py": {"scipy"},
    "fitting/network.py": {"scipy"},
    "learning/estimator.py": {"sklearn"},
    "server/api.py": {"fastapi"},
    "server/app.py": {"fastapi", "starlette"},
    "server/serving.py": {"fastapi", "starlette"},
    "server/problems.py": {"starlette"},
    "server/running.py": {"uvicorn"},
    "server/web/analyst.py": {"fastapi"},
    "server/web/routes.py": {"fastapi"},
    "server/web/owner.py": {"fastapi"},
    "server/web/site.py": {"fastapi", "starlette"},
}
"""Files that are themselves imported late: by a function, or with their command."""
LATE = sorted(path.parent.name for path in HOUSE.glob("*/__init__.pyi"))
"""Rooms whose names are each imported where they are first asked for."""
NOT_OF_A_PAIR = (
    *(f"channel.{family}" for family in ("absent", "credal", "gaussian", "imprecise", "pairwise")),
    *(f"joints.{family}" for family in ("imprecise", "network", "pairwise")),
    *(f"laws.{family}" for family in ("absence", "coupled", "imprecise")),
    "knowledge.chain",
    "knowledge.groups",
)
"""Families that an audit of one small table has nothing of."""
MOST = 290
"""Modules of ours in such an audit, of more than eight hundred."""


def imported(tree: ast.AST) -> Iterator[str]:
    """The packages that code imports, by `import`, `from` or a call of import_module with a name."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str(module)):
                yield module.partition(".")[0]
            case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(module)), *_]):
                yield module.partition(".")[0]


def importing() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """By file, the heavy libraries that functions import, and those that are imported with the file."""
    inside: dict[str, set[str]] = {}
    top: dict[str, set[str]] = {}
    for path in HOUSE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        late = {name for function in functions for name in imported(function)} & HEAVY
        rest = ast.Module([node for node in tree.body if not _is_later(node)], [])
        name = path.relative_to(HOUSE).as_posix()
        if late:
            inside[name] = late
        if early := set(imported(rest)) & HEAVY:
            top[name] = early
    return inside, top


def _is_later(node: ast.stmt) -> bool:
    """What is not run with the file, or by a type checker only."""
    typed = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return typed or isinstance(node, ast.FunctionDef | ast.ClassDef)


def test_heavy_libraries_are_imported_in_the_places_named_here() -> None:
    assert importing() == (INSIDE, AT_THE_TOP)


@pytest.mark.parametrize(
    "code",
    [
        "import dalenius",
        "import dalenius as dl; dl.Release(dl.Independent(probabilities=[0.5]), dl.Count(), dl.Laplace(scale=1.0))",
        "from dalenius.cli.main import _outcome; assert _outcome(['--help'])[0] == 0",
        "from dalenius.cli.main import _outcome; assert _outcome(['audit', '--help'])[0] == 0",
    ],
)
def test_no_heavy_library_is_loaded_before_it_is_used(code: str) -> None:
    told = "import sys; print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; {told}"], capture_output=True, text=True, timeout=300, check=True
    )
    loaded = set(done.stderr.split())
    assert "dalenius" in loaded
    assert not loaded & HEAVY


def test_help_says_what_a_command_says_of_itself() -> None:
    for name, later in COMMANDS.items():
        assert isinstance(later, Later)
        assert later.name == name
        assert later.does == inspect.getdoc(later.found())


def test_every_name_of_the_package_is_found() -> None:
    assert all(getattr(dalenius, name) is not None for name in dalenius.__all__)
    assert {"Release", "audit", "calibrate"} <= set(dir(dalenius))
    with pytest.raises(AttributeError, match="Relaese"):
        getattr(dalenius, "Relaese")  # noqa: B009


def test_no_room_is_loaded_before_a_name_of_it_is_used() -> None:
    code = "import sys, dalenius; print(*(name for name in sys.modules if name.startswith('dalenius.')))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []


def test_an_audit_imports_no_method_figure_or_accountant() -> None:
    pair = Path(__file__).parents[2] / "examples" / "pair.toml"
    code = (
        f"from dalenius.cli.main import _outcome; assert _outcome(['audit', {str(pair)!r}])[0] == 0; "
        "import sys; print(*sys.modules, file=sys.stderr)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr.split()
    ours = [name for name in loaded if name.startswith("dalenius.")]
    rooms = {".".join(name.split(".")[:2]) for name in ours}
    assert {"dalenius.channel", "dalenius.notions"} <= rooms
    assert not rooms & {f"dalenius.{room}" for room in ("reports", "conversion", "composition", "attacks", "curator")}
    assert not {"dalenius.certificates.certify", "dalenius.calibration.chosen"} & set(loaded)
    assert {"dalenius.models.table", "dalenius.queries.sum", "dalenius.noise.geometric"} <= set(loaded)
    assert not [name for name in ours if name.startswith(tuple(f"dalenius.{each}." for each in NOT_OF_A_PAIR))]
    assert len(ours) <= MOST, "imported for one small table"


def test_a_calibration_of_one_method_imports_no_study_ledger_or_conversion() -> None:
    code = (
        "import sys, dalenius as dl; "
        "release = dl.Release(dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1]), dl.Sum(), dl.Geometric()); "
        "dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0)); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"dalenius.curator", "dalenius.conversion"} & set(loaded)


@pytest.mark.parametrize("section", wings.ROOMS)
def test_each_kind_is_that_of_the_class_listed_for_it(section: str) -> None:
    for kind, place in wings.ROOMS[section].items():
        assert kind in get_args(wings.found(place).model_fields["kind"].annotation)


@pytest.mark.parametrize("room", LATE)
def test_every_name_of_a_room_is_found_whatever_was_imported_before(room: str) -> None:
    offered = importlib.import_module(f"dalenius.{room}")
    for file in (HOUSE / room).glob("[!_]*.py"):
        importlib.import_module(f"dalenius.{room}.{file.stem}")
    assert not [name for name in offered.__all__ if isinstance(getattr(offered, name), ModuleType)]
    assert set(offered.__all__) <= set(dir(offered))
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        getattr(offered, "nothing_of_that_name")  # noqa: B009


def test_every_name_of_calibration_is_found() -> None:
    offered = importlib.import_module("dalenius.calibration")
    assert all(getattr(offered, name) is not None for name in offered.__all__)
    assert {"METHODS", "calibrate", "compare"} <= set(dir(offered))
    assert callable(offered.accuracy), "not the file of that name"
    assert callable(offered.precision), "nor this one"
    with pytest.raises(AttributeError, match="calibarte"):
        getattr(offered, "calibarte")  # noqa: B009
