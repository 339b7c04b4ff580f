"""Checks asynchronous tensor-core GPU kernels where they are written: Pallas (Mosaic GPU), Triton and Gluon, without a GPU.

    import tcspec

    tcspec.check(kernel, a, b, grid=(16,)).raise_if_bad()

docs/Python.md begins there. This module imports only the standard library. JAX or Triton is imported when you ask about one of its kernels.
"""

from __future__ import annotations

from . import layouts
from .asking import check, mutate, run, time
from .client import Client
from .errors import Busy, Cancelled, Refused, ServerDied, TcspecError, TimedOut, TooLarge
from .numerics import Comparison, compare, mma
from .tensors import Array, Tensor, pointers
from .verified import verified
from .verdict import AtLevel, BadVerdict, Between, Finding, Mutation, Place, ProgramVerdict, Proof, Run, Statement, Verdict, Verdicts
from .warm import close, version

__version__ = "0.2.0"

__all__ = [
    "Array",
    "AtLevel",
    "BadVerdict",
    "Between",
    "Busy",
    "Cancelled",
    "Client",
    "Comparison",
    "Finding",
    "Mutation",
    "Place",
    "ProgramVerdict",
    "Proof",
    "Refused",
    "Run",
    "ServerDied",
    "Statement",
    "TcspecError",
    "Tensor",
    "TimedOut",
    "TooLarge",
    "Verdict",
    "Verdicts",
    "check",
    "close",
    "compare",
    "layouts",
    "mma",
    "mutate",
    "pointers",
    "run",
    "time",
    "verified",
    "version",
]
