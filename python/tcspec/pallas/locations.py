"""Where an equation was written: the frames of the user, innermost first.

Frames of JAX, of the standard library and of this package are left out. The kernels that ship with JAX (jax/experimental/pallas/ops) count as the
user's. The pipeline and the loops that JAX emits for the user (its pipeline and helper modules) stand as frames of their own while no frame of the
user is further in. A traceback ends at the function that was traced: the caller of its outermost frame is the equation that holds the traced body.
Functions that are traced once and called from many lines (jax.jit) have no caller; the call has a location of its own.
"""

from __future__ import annotations

import functools
import linecache
import os
import sysconfig
from typing import Any

__all__ = ["Locations"]

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LIBRARY = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
_PACKAGES = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_EMITTING = tuple(os.path.join("_src", "pallas", "mosaic_gpu", name) for name in ("pipeline.py", "helpers.py"))
_SHIPPED = os.path.join("experimental", "pallas", "ops") + os.sep


@functools.cache
def _jax() -> str:
    import jax

    return os.path.dirname(os.path.abspath(str(jax.__file__))) + os.sep


@functools.cache
def _jaxlib() -> str:
    import jaxlib

    return os.path.dirname(os.path.abspath(str(jaxlib.__file__))) + os.sep


@functools.cache
def _kind(file: str) -> str:
    """user, emitted (by JAX for the user), or other."""
    if file.startswith(_jax()):
        within = file[len(_jax()) :]
        return "user" if within.startswith(_SHIPPED) else "emitted" if within in _EMITTING else "other"
    if file.startswith((_OURS, _jaxlib(), "<frozen ")):
        return "other"
    if file.startswith(_LIBRARY) and not any(part in file for part in _PACKAGES):
        return "other"
    return "user"


class Locations:
    """The files and locations of a document, each once."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.entries: list[dict[str, Any]] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._file_numbers: dict[str, int] = {}
        self._lines: dict[tuple[Any, int], int] = {}
        self._of_traceback: dict[tuple[int, int | None], tuple[Any, int | None]] = {}

    def of(self, source_info: Any, enclosing: int | None) -> int | None:
        """The number of an equation's location; ``enclosing`` is that of the equation whose body it is in."""
        traceback = source_info.traceback
        if traceback is None:
            return enclosing
        key = (id(traceback), enclosing)
        found = self._of_traceback.get(key)
        if found is None:
            number = enclosing
            for frame in reversed(self.frames(traceback)):
                number = self._number(*frame, number)
            found = self._of_traceback[key] = (traceback, number)  # the traceback is kept, so that its id stays its own
        return found[1]

    def frames(self, traceback: Any) -> list[tuple[str, int, str]]:
        """(file, line, function) of the frames that are shown, innermost first."""
        codes, instructions = traceback.raw_frames()
        found: list[tuple[str, int, str]] = []
        inner = True
        for code, instruction in zip(codes, instructions):
            kind = _kind(code.co_filename)
            if kind == "user" or (kind == "emitted" and inner):
                found.append((code.co_filename, self._line(traceback, code, instruction), code.co_name))
            if kind == "user":
                inner = False
        return found

    def _line(self, traceback: Any, code: Any, instruction: int) -> int:
        key = (code, instruction)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = type(traceback).code_addr2line(code, instruction)
        return line

    def _number(self, file: str, line: int, function: str, caller: int | None) -> int:
        key = (file, line, function, caller)
        number = self._numbers.get(key)
        if number is None:
            if file not in self._file_numbers:
                self._file_numbers[file] = len(self.files)
                self.files.append(file)
            number = self._numbers[key] = len(self.entries)
            entry = {
                "file": self._file_numbers[file],
                "line": line,
                "function": function,
                "text": linecache.getline(file, line).strip(),
            }
            if caller is not None:
                entry["caller"] = caller
            self.entries.append(entry)
        return number


def place(source_info: Any, jaxpr: Any = None, enclosing: str | None = None) -> str:
    """
    ``file:line`` of the innermost frame that is shown, for a message; where there is none, the ``enclosing`` place, or the function that ``jaxpr`` was
    traced from.
    """
    traceback = source_info.traceback
    frames = Locations().frames(traceback) if traceback is not None else []
    if frames:
        return f"{frames[0][0]}:{frames[0][1]}"
    if enclosing is not None:
        return enclosing
    return str(getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None) or "an unknown line").split(" at ")[
        -1
    ]
