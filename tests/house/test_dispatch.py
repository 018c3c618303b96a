"""Nobody asks of what class a noise, a notion, a model, a joint law or a query is: it says itself what it can."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import dalenius
from dalenius.joints import Belief, Factor
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.queries import Query

HOUSE = Path(dalenius.__file__).parent
BASES = (Noise, Notion, Model, Belief, Factor, Query)
ALLOWED: dict[str, set[str]] = {
    "conversion": {"Exchangeable"},
    "knowledge": {"Exchangeable"},
    "models": {"Joint"},
    "theorems": {"Exchangeable", "MarkovChain", "Moments"},
    "ratios": {"Exchangeable", "MarkovChain"},
}
"""By room, the classes and kinds that are asked for elsewhere than at home: what is left, and no more. Which factors
have a closed form, where any other is listed; whether a spec has moments for a law."""


@cache
def classes() -> tuple[type[Any], ...]:
    """The bases and all that derive from them within the package."""
    for module in pkgutil.walk_packages(dalenius.__path__, "dalenius."):
        importlib.import_module(module.name)
    found, waiting = list[type[Any]](), list[type[Any]](BASES)
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1].__subclasses__()
    return tuple(each for each in found if each.__module__.startswith("dalenius."))


def homes(found: type[Any]) -> set[str]:
    """Where a class may be asked for: its own file, and its room's face."""
    _, room, *_ = found.__module__.split(".")
    return {
        Path(str(importlib.import_module(found.__module__).__file__)).as_posix(),
        f"{HOUSE.as_posix()}/{room}/__init__.py",
    }


@cache
def kinds() -> dict[str, set[str]]:
    """The homes of each kind's class."""
    found: dict[str, set[str]] = {}
    for each in classes():
        for name in get_args(each.model_fields["kind"].annotation) if hasattr(each, "model_fields") else ():
            found[name] = found.get(name, set()) | homes(each)
    return found


ASKING = (ast.ImportFrom, ast.Call, ast.MatchClass, ast.Compare, ast.Match)


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """What may import a class or ask for one, found in one walk."""
    return tuple(node for node in ast.walk(tree) if isinstance(node, ASKING))


def imported(tree: ast.Module) -> dict[str, type[Any]]:
    """The classes that go by a name in a file, whatever it calls them."""
    found = {}
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dalenius"):
            module = importlib.import_module(node.module)
            for name in node.names:
                there = getattr(module, name.name, None)
                if isinstance(there, type) and there in classes():
                    found[name.asname or name.name] = there
    return found


def compared(node: ast.AST) -> Iterator[ast.expr]:
    """What names the classes in a question after something's class."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, asked]):
            yield asked
        case ast.MatchClass(cls=asked):
            yield asked
        case ast.Compare() if any(_is_type(side) for side in (node.left, *node.comparators)):
            yield from (node.left, *node.comparators)


def _is_type(side: ast.expr) -> bool:
    return isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id == "type"


def _is_kind(side: ast.expr) -> bool:
    return isinstance(side, ast.Attribute) and side.attr == "kind"


def named(node: ast.AST) -> Iterator[str]:
    """The kinds something's `kind` is compared with."""
    match node:
        case ast.Compare() if any(_is_kind(side) for side in (node.left, *node.comparators)):
            asked: list[ast.AST] = [node.left, *node.comparators]
        case ast.Match() if _is_kind(node.subject):
            asked = [case.pattern for case in node.cases]
        case _:
            return
    inner = (each for side in asked for each in ast.walk(side))
    yield from (each.value for each in inner if isinstance(each, ast.Constant) and isinstance(each.value, str))


@cache
def trees() -> dict[Path, ast.Module]:
    """Every file of the package, read and parsed once."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in HOUSE.rglob("*.py")}


def dispatched(tree: ast.Module, path: str) -> set[str]:
    """The classes and kinds that code asks for, and is not the home of."""
    local = imported(tree)
    names = {each.__name__: each for each in classes()}
    found = set()
    for node in nodes(tree):
        for inner in (each for asked in compared(node) for each in ast.walk(asked)):
            match inner:
                case ast.Name(id=name) if name in local:
                    there = local[name]
                case ast.Attribute(attr=name) if name in names:
                    there = names[name]
                case _:
                    continue
            found |= {there.__name__} if path not in homes(there) else set()
        found |= {name for name in named(node) if path not in kinds().get(name, {path})}
    return found


def test_classes_are_asked_for_at_home_only() -> None:
    found: dict[str, set[str]] = {}
    for path, tree in trees().items():
        if asked := dispatched(tree, path.as_posix()):
            found.setdefault(path.relative_to(HOUSE).parts[0], set()).update(asked)
    assert found == ALLOWED


HEAD = "from dalenius.noise import Gaussian, Laplace as Normal\nimport dalenius.queries as q\n"


QUESTIONS = {
    "isinstance(noise, Gaussian)": {"Gaussian"},
    "isinstance(noise, (Normal, int)) or isinstance(noise, Gaussian | Normal)": {"Laplace", "Gaussian"},
    "isinstance(query, q.Sum)": {"Sum"},
    "type(noise) is Gaussian": {"Gaussian"},
    "match noise:\n    case Gaussian(scale=b):\n        pass": {"Gaussian"},
    "match noise.kind:\n    case 'laplace' | 'none':\n        pass": {"laplace", "none"},
    "noise.kind not in ('gaussian', 'any')": {"gaussian", "any"},
    "values.dtype.kind in 'bif'": set[str](),
}


def test_a_question_after_a_class_is_seen() -> None:
    found = {code: dispatched(ast.parse(HEAD + code), "calibration/somewhere.py") for code in QUESTIONS}
    assert found == QUESTIONS
    at_home = (HOUSE / "noise/gaussian.py").as_posix()
    assert dispatched(ast.parse(HEAD + "isinstance(noise, Gaussian)"), at_home) == set()


def test_no_two_files_import_each_other() -> None:
    """Not even for their types' sake: a file is read after those it names."""
    waiting = {name: set(needed) for name, needed in imports().items()}
    while ready := [name for name, needed in waiting.items() if not needed & set(waiting)]:
        for name in ready:
            del waiting[name]
    assert not waiting


def imports() -> dict[str, set[str]]:
    """By module of the package, the modules of it that it imports; of a room's face the files it shows."""
    modules = {}
    for path, tree in trees().items():
        parts = path.relative_to(HOUSE.parent).with_suffix("").parts
        modules[".".join(parts).removesuffix(".__init__")] = tree
    found: dict[str, set[str]] = {name: set() for name in modules}
    for name, tree in modules.items():
        for node in nodes(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                asked = {f"{node.module}.{each.name}" for each in node.names}
                found[name] |= {each if each in modules else node.module for each in asked} & set(modules)
    return found
