"""The Python files that a text's locations name, for findings to quote their lines."""

from __future__ import annotations

import linecache
import os
import re
from typing import Mapping

from .versions import parts

__all__ = ["files_of"]

_LOCATION = re.compile(r'loc\("((?:[^"\\]|\\.)*)":\d+:\d+(?: to \d*:\d+)?\)')


def files_of(text: str) -> Mapping[str, str]:
    """By the name that findings have for a file, its last: one of Triton's library, or one that shares its name with another, is not there."""
    library = parts().package + os.sep
    paths = {re.sub(r"\\(.)", r"\1", path) for path in _LOCATION.findall(text)}
    own = [path for path in paths if not path.startswith(library)]
    names = [re.split(r"[/\\]", path)[-1] for path in own]
    found = {}
    for path, name in zip(own, names):
        lines = linecache.getlines(path)
        if lines and names.count(name) == 1:
            found[name] = "".join(lines)
    return found
