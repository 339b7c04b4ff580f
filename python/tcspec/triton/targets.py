"""Chips by the words that people have for them."""

from __future__ import annotations

import re
from typing import Any

from ..errors import Refused

__all__ = ["capability"]

_NAMED = {"hopper": 90, "h100": 90, "h200": 90, "gh200": 90, "blackwell": 100, "b200": 100, "gb200": 100}
_KNOWN = (90, 100)


def capability(target: Any) -> int:
    """``sm_90``, ``sm_90a``, ``90``, ``cuda:90``, ``hopper``, ``h100`` or Triton's own ``GPUTarget``: 90."""
    if target is None:
        return 90
    said = getattr(target, "arch", target)
    word = str(said).lower()
    number = re.fullmatch(r"(?:cuda:|sm_?)?(\d+)[af]?", word)
    found = int(number[1]) if number else _NAMED.get(word)
    if found not in _KNOWN or getattr(target, "backend", "cuda") != "cuda" or isinstance(said, bool):
        raise Refused(f"target: expected 'sm_90' or 'sm_100', found {target!r}", "triton.target")
    return found
