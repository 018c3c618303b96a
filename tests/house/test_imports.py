"""Nobody waits for a library that is not used: the heavy ones are imported in few places, all named here."""

import ast
import importlib
import inspect
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import dalenius
from dalenius import wings
from dalenius.wings import COMMANDS
from tests.house.test_architecture import FOLDERS

HOUSE = Path(dalenius.__file__).parent
ROOMS = {
    "duckdb": {"tables"},
    "fastapi": {"server"},
    "fsspec": {"tables"},
    "ibis": {"tables"},
    "joserfc": {"server"},
    "matplotlib": {"plotting.py"},
    "networkx": set[str](),
    "opendp": {"measurements", "noise"},
    "pandas": {"tabular.py"},
    "pgmpy": set[str](),
    "pyarrow": {"tables"},
    "pyspark": {"tables"},
    "rich": {"cli", "tabular.py"},
    "scipy": {"conversion", "fitting", "gaussian", "knowledge", "optimum", "pairs", "special_functions.py"},
    "sklearn": {"dependent", "fitting", "places"},
    "sqlalchemy": {"curator"},
    "python_calamine": {"tables"},
    "sqlglot": set[str](),
    "starlette": {"server"},
    "uvicorn": {"server"},
}
"""By heavy library, the rooms, or files beside them, that import it."""
HEAVY = set(ROOMS)
LATE = sorted(path.parent.name for path in HOUSE.glob("*/__init__.pyi"))
"""Rooms whose names are each imported where they are first asked for."""
MOST = 175
"""Modules of ours in such an audit, of some four hundred."""


def imported(tree: ast.AST) -> Iterator[str]:
    """The packages that code imports, by `import`, `from` or a call of import_module with a name; types' apart."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str(module)):
                yield module.partition(".")[0]
            case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(module)), *_]):
                yield module.partition(".")[0]


@pytest.mark.lengthy
def test_heavy_libraries_are_imported_in_the_rooms_named_here() -> None:
    found: dict[str, set[str]] = {name: set() for name in HEAVY}
    for path in HOUSE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        tree.body = [node for node in tree.body if not _is_for_types(node)]
        for name in set(imported(tree)) & HEAVY:
            found[name].add(path.relative_to(HOUSE).parts[0])
    assert found == ROOMS


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def loaded_by(code: str) -> set[str]:
    """The modules there are once this has run."""
    code = f"{code}; import sys; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    return set(done.stderr.split())


@pytest.mark.lengthy
def test_nothing_is_loaded_before_it_is_used() -> None:
    assert [name for name in loaded_by("import dalenius") if name.startswith("dalenius.")] == []
    for code in (
        "import dalenius as dl; dl.Release(dl.Independent(probabilities=[0.5]), dl.Count(), dl.Laplace(scale=1.0))",
        "from dalenius.cli.main import _outcome; assert _outcome(['--help'])[0] == 0",
        "from dalenius.cli.main import _outcome; assert _outcome(['audit', '--help'])[0] == 0",
    ):
        assert not {name.partition(".")[0] for name in loaded_by(code)} & HEAVY, code


@pytest.mark.lengthy
def test_an_audit_imports_no_method_figure_or_accountant() -> None:
    pair = Path(__file__).parents[2] / "examples" / "pair.toml"
    loaded = loaded_by(f"from dalenius.cli.main import _outcome; assert _outcome(['audit', {str(pair)!r}])[0] == 0")
    ours = [name for name in loaded if name.startswith("dalenius.")]
    rooms = {".".join(name.split(".")[:2]) for name in ours}
    assert {"dalenius.channel", "dalenius.notions"} <= rooms
    assert not rooms & {f"dalenius.{folder}" for folder in FOLDERS}, "no wing for two records"
    assert "dalenius.calibration.comparison" not in loaded
    assert {"dalenius.models.joint_tables", "dalenius.queries.sums", "dalenius.noise.exponential"} <= loaded
    assert len(ours) <= MOST, "imported for one small table"


@pytest.mark.lengthy
def test_a_release_of_a_count_of_households_imports_no_wing_that_it_does_not_use(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "outbreak"
    shutil.copytree(example, tmp_path / "outbreak")
    spec, table = (str(tmp_path / "outbreak" / name) for name in ("outbreak.toml", "people.csv"))
    if not Path(table).exists():
        subprocess.run(
            [sys.executable, str(tmp_path / "outbreak" / "make_people.py")], cwd=tmp_path / "outbreak", check=True
        )
    loaded = loaded_by(f"from dalenius.cli.main import _outcome; assert _outcome(['release', {spec!r}])[0] == 0")
    rooms = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("dalenius.")}
    assert {"dalenius.curator", "dalenius.tables"} <= rooms
    assert not rooms & {f"dalenius.{room}" for room in ("intervals", "pairs", "absent", "attack", "fitting")}


def test_help_says_what_a_command_says_of_itself() -> None:
    for name, later in COMMANDS.items():
        assert isinstance(later, wings.Command)
        assert later.place.endswith(f":{name.replace('-', '_')}")
        assert later.does == inspect.getdoc(wings.found(later.place))


def test_every_name_of_a_room_is_found_whatever_was_imported_before() -> None:
    for room in LATE:
        for file in (HOUSE / room).glob("[!_]*.py"):
            importlib.import_module(f"dalenius.{room}.{file.stem}")
    for offered in (dalenius, *(importlib.import_module(f"dalenius.{room}") for room in LATE)):
        found = [getattr(offered, name) for name in offered.__all__]
        assert offered is dalenius or not [each for each in found if isinstance(each, ModuleType)]
        assert set(offered.__all__) <= set(dir(offered))
        with pytest.raises(AttributeError, match="nothing_of_that_name"):
            getattr(offered, "nothing_of_that_name")  # noqa: B009


def test_examples_import_names_that_exist() -> None:
    """mypy checks all scripts but these, which import each other from the folder they are run in."""
    for path in sorted((Path(__file__).parents[2] / "examples").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "dalenius":
                module = importlib.import_module(str(node.module))
                assert not [f"{path}: {each.name}" for each in node.names if not hasattr(module, each.name)]
