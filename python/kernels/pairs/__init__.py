"""
Pairs: Pallas kernels of our own on one screen each, every one right and with a broken twin (`pair.py` says how they are written).

Together they use every operation by which Pallas:MGPU moves data asynchronously or synchronises, on Hopper and on Blackwell. What `tcspec.check` says of
them, and what the interpreter that comes with JAX says, is the table of docs/Python.md (`python/kernels/interpreter_table.py`).
"""

from __future__ import annotations

import importlib
import pkgutil

from .pair import Pair

__all__ = ["Pair", "named", "names"]


def names() -> list[str]:
    """The pairs, by name."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "pair")


def named(name: str) -> Pair:
    """One of them. Importing it needs JAX."""
    return importlib.import_module(f"{__name__}.{name}").PAIR
