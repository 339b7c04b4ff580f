"""The interface to the front ends: kernels with their launches, which a front end makes from its users' functions.

A front end is a function ``export(kernel, *arguments, **keywords) -> Export``: ``tcspec.pallas`` for functions of JAX, ``tcspec.triton`` for those of
Triton and Gluon. It is imported at the first question about one of its kernels, and imports its compiler when it is called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Protocol, Sequence

__all__ = ["Export", "Launch", "Perform"]


@dataclass(frozen=True)
class Launch:
    """One launch of one kernel, as the members of a request."""

    #: of the kernel, as its author wrote it
    name: str
    #: what stands for the kernel in a request: a name of the catalogue, a document, or ``{"ttgir": text}``
    document: Mapping[str, Any] | str
    #: what else a request says of it, under the names of a request: ``grid``, ``launch``, ``arg``, ``files``
    params: Mapping[str, Any] = field(default_factory=dict)
    #: tensors that a run is given, in the order in which ``Perform`` has them
    inputs: Sequence[str] = ()
    #: tensors that a run gives back; None for all that the kernel writes
    outputs: Sequence[str] | None = None
    #: what its caller gave of its inputs, by name, for a check that cannot do without; None: nothing, or it is in ``params``
    data: Callable[[], Mapping[str, Any]] | None = None


#: runs a kernel on numpy arrays, and gives its outputs by their names
Perform = Callable[[Launch, Sequence[Any]], Mapping[str, Any]]


class Export(Protocol):
    """The launches of one call of a function."""

    @property
    def launches(self) -> Sequence[Launch]:
        """A launch for each kernel, in the order of execution; a kernel in a loop has one entry."""
        ...

    def evaluate(self, perform: Perform) -> Any:
        """The value that the call returns. The front end evaluates the rest of the function on the CPU, and ``perform`` runs the kernels."""
        ...
