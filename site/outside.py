"""For mkdocs: what pages link to outside docs/ becomes part of the site, and nothing is loaded from elsewhere."""

import posixpath
import re
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

REPOSITORY: Final = Path(__file__).resolve().parents[1]
DOCS: Final = "docs/"
KEPT: Final = "repository/"
"""Where in the site those files are."""
LINK: Final = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)\s#]+)(#[^)\s]*)?(?=\))")
FETCHED: Final = "https://unpkg.com/iframe-worker/shim"
SHIM: Final = "assets/iframe-worker.js"
SHOWN: Final = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "RELEASING.md", "CHANGELOG.md")
"""Pages outside docs/ that the site has as pages."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    for path in sorted({*SHOWN, *_linked()}):
        if (REPOSITORY / path).is_file():
            files.append(File.generated(config, KEPT + path, abs_src_path=str(REPOSITORY / path)))
    files.append(
        File.generated(config, SHIM, abs_src_path=str(Path(__file__).with_name("offline") / "iframe-worker.js"))
    )
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    here = _in_repository(page.file.src_uri)

    def moved(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(here), found[1]))
        if not (REPOSITORY / target).is_file():
            return str(found[0])
        relative = posixpath.relpath(_in_site(target), posixpath.dirname(page.file.src_uri) or ".")
        return relative + (found[2] or "")

    return LINK.sub(moved, markdown)


def _linked() -> set[str]:
    """What is linked to from pages, and is no page of docs/ itself."""
    found = set()
    for page in [*(REPOSITORY / DOCS).rglob("*.md"), *(REPOSITORY / name for name in SHOWN)]:
        here = page.relative_to(REPOSITORY).parent.as_posix()
        for link in LINK.finditer(page.read_text(encoding="utf-8")):
            found.add(posixpath.normpath(posixpath.join(here, link[1])))
    return {path for path in found if not path.startswith((DOCS, "../"))}


def _in_site(path: str) -> str:
    return path.removeprefix(DOCS) if path.startswith(DOCS) else KEPT + path


def _in_repository(uri: str) -> str:
    return uri.removeprefix(KEPT) if uri.startswith(KEPT) else DOCS + uri


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """What lets a page on disk be searched is at hand, not fetched."""
    here = posixpath.relpath(SHIM, posixpath.dirname(page.file.dest_uri) or ".")
    found = output.replace(FETCHED, here)
    if '<script src="http' in found or '<link rel="stylesheet" href="http' in found:
        raise PluginError(f"{page.file.src_uri} loads something from elsewhere")
    return found
