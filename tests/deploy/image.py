"""The Containerfile, whose steps run in an empty folder that stands for the image's root.

`COPY` copies from the repository, `RUN` and `CMD` are commands with the image's environment. Their absolute paths get
the folder before them. A new virtual environment stands for the Python of the base image.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.docs.page import REPOSITORY

DEPLOY: Final = REPOSITORY / "examples" / "deploy"
PATHS: Final = re.compile(r"(?<![\w./:])/(?=(?:src|srv|opt)\b)")
OFFLINE: Final = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
"""The packages of these tests stand for the package index: what is built and installed is Dalenius alone."""


def steps() -> list[tuple[str, str]]:
    """The instructions in their order, each with what it says."""
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    read = (line.strip() for line in lines)
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in read if line and not line.startswith("#")]


@dataclass
class Image:
    """root: the folder that stands for `/`; entry and command: what starts a container, with the image's own paths."""

    root: Path
    online: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = ""
    ports: list[str] = field(default_factory=list)
    entry: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    @property
    def python(self) -> Path:
        return self.root / "python"

    def build(self) -> None:
        """Runs every step."""
        for name, said in steps():
            match name:
                case "FROM":
                    subprocess.run([sys.executable, "-m", "venv", str(self.python)], check=True)
                    if not self.online:
                        self._lend()
                case "COPY":
                    self._copy(*shlex.split(said))
                case "RUN":
                    self.run(["sh", "-ec", said])
                case "WORKDIR":
                    self.folder = said
                    self.path(said).mkdir(parents=True, exist_ok=True)
                case "ENV":
                    self.environment |= dict(pair.split("=", 1) for pair in shlex.split(said))
                case "USER":
                    self.user = said
                case "EXPOSE":
                    self.ports += said.split()
                case "ENTRYPOINT":
                    self.entry = json.loads(said)
                case "CMD":
                    self.command = json.loads(said)
                case _:
                    raise AssertionError(f"no test runs the step {name} {said}")

    def _lend(self) -> None:
        """Lets the new environment find the packages of this one, after its own."""
        (own,) = self.python.glob("lib/python*/site-packages")
        there = [place for place in sys.path if Path(place).name == "site-packages"]
        (own / "lent.pth").write_text("".join(f"{place}\n" for place in there), encoding="utf-8")

    def path(self, inside: str) -> Path:
        """Where an absolute path of the image is."""
        return self.root / inside.lstrip("/")

    def at(self, text: str) -> str:
        """The text with the image's paths as they are here."""
        return PATHS.sub(f"{self.root}/", text)

    def variables(self) -> dict[str, str]:
        """The environment of a step, and of a container: nothing of this process's own, but for where packages are."""
        own = {"PATH": f"{self.python / 'bin'}:/usr/bin:/bin", "LANG": "C.UTF-8"} | self.environment
        asked = {name: value for name, value in os.environ.items() if name.startswith("PIP_")} if self.online else {}
        return own | (asked if self.online else OFFLINE)

    def run(self, words: list[str]) -> str:
        """Standard output of a command; it must succeed."""
        done = subprocess.run(
            [self.at(word) for word in words],
            env=self.variables(),
            cwd=self.path(self.folder),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def _copy(self, *places: str) -> None:
        *sources, into = places
        for source in map(REPOSITORY.joinpath, sources):
            if source.is_dir():
                caches = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, self.path(into), ignore=caches, dirs_exist_ok=True)
            else:
                target = self.path(into) / source.name if into.endswith("/") else self.path(into)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
