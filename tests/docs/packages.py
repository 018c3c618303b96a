"""What `pip install .` does for a small package of a page: no build backend is needed, and no network."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any


def install(project: Path, target: Path) -> None:
    """The package of that folder's pyproject.toml, of its project's name and of Python files only, with its entry
    points, into the folder `target`: as a wheel, which pip itself unpacks."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(target), str(_wheel(project))], check=True, timeout=120)


def _wheel(project: Path) -> Path:
    about: dict[str, Any] = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = about["name"], about["version"]
    inside = f"{name}-{version}.dist-info"
    path = project / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file in sorted((project / name).rglob("*.py")):
            wheel.write(file, file.relative_to(project))
        wheel.writestr(f"{inside}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{inside}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{inside}/entry_points.txt", _entry_points(about.get("entry-points", {})))
        files = [*wheel.namelist(), f"{inside}/RECORD"]
        wheel.writestr(f"{inside}/RECORD", "".join(f"{file},,\n" for file in files))
    return path


def _entry_points(groups: dict[str, dict[str, str]]) -> str:
    return "".join(
        f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in points.items())
        for group, points in groups.items()
    )
