"""The build backend of the package (PEP 517), and a script: ``python3 build_wheel.py [DIRECTORY]``. Standard library only, no network.

A wheel is ``tcspec/`` with, under ``tcspec/library/``, what ``tcspec`` needs to run: package.json, ``bundle/``, and the packages of node that the bundle
leaves outside. They come from the checkout around this folder (``npm ci && npm run build`` makes them), or lie in ``tcspec/library/`` already, as in
a source distribution.

Law 1. Equal files make equal wheels: names in order, one time stamp (``SOURCE_DATE_EPOCH``, or the oldest that a zip can say), one mode.
"""

from __future__ import annotations

import ast
import base64
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Any, Iterator, Mapping

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

Files = dict[str, bytes]

#: what a package of node has beside what runs
_IDLE_FOLDERS = {"benchmark", "coverage", "docs", "example", "examples", "node_modules", "patches", "scripts", "test", "test-jest"}
_IDLE_ENDINGS = {".map", ".md", ".ts", ".yml"}


# ---------------------------------------------------------------- what pyproject.toml says


def _project() -> dict[str, dict[str, Any]]:
    """Tables of strings and lists of strings, which TOML writes as Python does."""
    tables: dict[str, dict[str, Any]] = {}
    table: dict[str, Any] = {}
    open_key, open_value = "", ""
    for line in (HERE / "pyproject.toml").read_text(encoding="utf-8").splitlines():
        if open_key:
            open_value += line
        elif line.startswith("["):
            table = tables.setdefault(line.strip("[] "), {})
            continue
        elif "=" in line:
            open_key, open_value = (part.strip() for part in line.split("=", 1))
        else:
            continue
        if open_value.count("[") == open_value.count("]"):
            table[open_key] = ast.literal_eval(open_value.replace("true", "True"))
            open_key = ""
    return tables


def version() -> str:
    """Of the package: it says so itself."""
    said = re.search(r'^__version__ = "([^"]+)"$', (HERE / "tcspec" / "__init__.py").read_text(encoding="utf-8"), re.M)
    assert said is not None
    return said.group(1)


def _metadata() -> str:
    tables = _project()
    project = tables["project"]
    extras = tables.get("project.optional-dependencies", {})
    head = [
        ("Metadata-Version", "2.4"),
        ("Name", project["name"]),
        ("Version", version()),
        ("Summary", project["description"]),
        ("License-Expression", project["license"]),
        ("License-File", "LICENSE"),
        ("Requires-Python", project["requires-python"]),
        ("Keywords", ",".join(project["keywords"])),
        *(("Classifier", each) for each in project["classifiers"]),
        *(("Requires-Dist", each) for each in project["dependencies"]),
        *(
            pair
            for extra, needs in extras.items()
            for pair in [("Provides-Extra", extra), *(("Requires-Dist", f'{need}; extra == "{extra}"') for need in needs)]
        ),
        ("Description-Content-Type", "text/markdown"),
    ]
    return "".join(f"{name}: {value}\n" for name, value in head) + "\n" + (HERE / "README.md").read_text(encoding="utf-8")


def _entry_points() -> str:
    tables = _project()
    groups = {"console_scripts": tables.get("project.scripts", {})} | {
        name.removeprefix("project.entry-points."): entries
        for name, entries in tables.items()
        if name.startswith("project.entry-points.")
    }
    return "\n".join(
        "".join([f"[{group}]\n", *(f"{name} = {place}\n" for name, place in entries.items())])
        for group, entries in groups.items()
    )


# ---------------------------------------------------------------- the files


def _below(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix(), path


def _package() -> Files:
    return {
        f"tcspec/{name}": path.read_bytes()
        for name, path in _below(HERE / "tcspec")
        if path.suffix in (".py", ".typed") and not name.startswith("library/")
    }


def _outside(bundle: Files) -> list[str]:
    """Packages that the bundle imports by their names, and what those need."""
    text = b"\n".join(bundle.values()).decode("utf-8", "replace")
    found = set(re.findall(r"""(?:from|import)\s*\(?["'`]((?:@[\w-]+/)?[a-z][\w.-]*)["'`]""", text))
    waiting = sorted(name for name in found if (ROOT / "node_modules" / name / "package.json").is_file())
    needed: list[str] = []
    while waiting:
        name = waiting.pop(0)
        if name not in needed:
            needed.append(name)
            said = json.loads((ROOT / "node_modules" / name / "package.json").read_text(encoding="utf-8"))
            waiting += sorted(said.get("dependencies", {}))
    return needed


def _node_package(name: str) -> Files:
    folder = ROOT / "node_modules" / name
    # what is made of sources needs them no more
    idle = _IDLE_FOLDERS | ({"src"} if (folder / "dist").is_dir() else set())
    return {
        f"tcspec/library/node_modules/{name}/{inner}": path.read_bytes()
        for inner, path in _below(folder)
        if path.suffix not in _IDLE_ENDINGS and not path.name.startswith(".") and not idle & set(Path(inner).parts[:-1])
    }


def _library() -> Files:
    built = ROOT / "bundle"
    if (built / "oracle" / "cli" / "main.js").is_file() and (ROOT / "package.json").is_file():
        bundle = {f"tcspec/library/bundle/{name}": path.read_bytes() for name, path in _below(built)}
        files = bundle | {"tcspec/library/package.json": (ROOT / "package.json").read_bytes()}
        for name in _outside(bundle):
            files |= _node_package(name)
        return files
    there = HERE / "tcspec" / "library"
    if there.is_dir():
        return {f"tcspec/library/{name}": path.read_bytes() for name, path in _below(there)}
    raise SystemExit(f"tcspec: expected the library in {built}, found none; make it: npm ci && npm run build (in {ROOT})")


def _licenses() -> Files:
    """Ours, and those of the packages that the bundle is made of."""
    ours = HERE / "LICENSE" if (HERE / "LICENSE").is_file() else ROOT / "LICENSE"
    files = {"LICENSE": ours.read_bytes()}
    if (HERE / "licenses").is_dir():
        return files | {name: path.read_bytes() for name, path in _below(HERE / "licenses")}
    waiting = sorted(json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"])
    for name in waiting:
        folder = ROOT / "node_modules" / name
        if not (folder / "package.json").is_file():
            continue
        for path in sorted(folder.iterdir()):
            if re.match(r"(?i)licen[cs]e|notice", path.name):
                files[f"node/{name}/{path.name}"] = path.read_bytes()
        needs = json.loads((folder / "package.json").read_text(encoding="utf-8")).get("dependencies", {})
        waiting += [need for need in sorted(needs) if need not in waiting]
    return files


# ---------------------------------------------------------------- archives


def _stamp() -> int:
    # the oldest time that a zip can say: 1980-01-01
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)


def _zip(path: Path, files: Mapping[str, bytes]) -> None:
    date = time.gmtime(_stamp())[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, date)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = 0o100644 << 16
            out.writestr(info, data)


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _wheel(directory: str, files: Files) -> str:
    info = f"tcspec-{version()}.dist-info"
    told = {
        f"{info}/METADATA": _metadata().encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tcspec\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": _entry_points().encode(),
        **{f"{info}/licenses/{name}": data for name, data in _licenses().items()},
    }
    ordered = dict(sorted(files.items())) | dict(sorted(told.items()))
    record = f"{info}/RECORD"
    lines = [f"{name},{_digest(data)},{len(data)}\n" for name, data in ordered.items()] + [f"{record},,\n"]
    ordered[record] = "".join(lines).encode()
    name = f"tcspec-{version()}-py3-none-any.whl"
    target = Path(directory)
    target.mkdir(parents=True, exist_ok=True)
    _zip(target / name, ordered)
    return name


# ---------------------------------------------------------------- the hooks


def build_wheel(
    wheel_directory: str, config_settings: Mapping[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    return _wheel(wheel_directory, _package() | _library())


def build_editable(
    wheel_directory: str, config_settings: Mapping[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """A wheel that points here: the library is that of the checkout."""
    return _wheel(wheel_directory, {"tcspec.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Mapping[str, Any] | None = None) -> str:
    base = f"tcspec-{version()}"
    own = {name: (HERE / name).read_bytes() for name in ("README.md", "build_wheel.py", "pyproject.toml")}
    licenses = {("licenses/" if "/" in name else "") + name: data for name, data in _licenses().items()}
    files = own | _package() | _library() | licenses | {"PKG-INFO": _metadata().encode()}
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as out:
        for name, data in sorted(files.items()):
            info = tarfile.TarInfo(f"{base}/{name}")
            info.size, info.mtime, info.mode = len(data), _stamp(), 0o644
            out.addfile(info, io.BytesIO(data))
    target = Path(sdist_directory)
    target.mkdir(parents=True, exist_ok=True)
    (target / f"{base}.tar.gz").write_bytes(gzip.compress(plain.getvalue(), 9, mtime=_stamp()))
    return f"{base}.tar.gz"


def main() -> None:
    directory = sys.argv[1] if len(sys.argv) > 1 else str(HERE / "dist")
    print(os.path.join(directory, build_wheel(directory)))


if __name__ == "__main__":
    main()
