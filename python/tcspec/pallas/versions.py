"""The versions of JAX that are known, and everything in which they differ: the one table.

The forms of what JAX traces are private to it and change without notice, so a version that is not in the table is refused, never guessed at.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import Refused

__all__ = ["TABLE", "Version", "known"]


@dataclass(frozen=True)
class Version:
    """What of a traced program is told apart by the version."""

    name: str
    counts_are_operands: bool
    """n of wait_smem_to_gmem, wgmma_wait and set_max_registers is an operand (else a parameter)"""
    scan_counts_are_trees: bool
    """how many operands of a scan are constants and carried stands in a flat tree (else in two counts)"""
    barrier_is_optional: bool
    """copy_gmem_to_smem says whether it has a barrier (else it always has one)"""
    predicates: bool
    """copies into shared memory, prefetches and arrivals may have a predicate"""
    load_reduces: bool
    """async_load_tmem may reduce, so it returns a list"""
    cancel_is_collective: bool
    """try_cluster_cancel has collective axes"""
    pipelines_pallas_call: bool
    """pl.pallas_call is lowered to Mosaic GPU, through emit_pipeline"""
    primitives: frozenset[str]
    """primitives of lax that this version alone lowers"""


TABLE: dict[str, Version] = {
    "0.10.2": Version(
        name="0.10.2",
        counts_are_operands=True,
        scan_counts_are_trees=False,
        barrier_is_optional=False,
        predicates=False,
        load_reduces=False,
        cancel_is_collective=False,
        pipelines_pallas_call=True,
        primitives=frozenset(),
    ),
    "0.11.2": Version(
        name="0.11.2",
        counts_are_operands=False,
        scan_counts_are_trees=True,
        barrier_is_optional=True,
        predicates=True,
        load_reduces=True,
        cancel_is_collective=True,
        pipelines_pallas_call=False,
        primitives=frozenset(
            {"concatenate", "log2", "mma", "one_minus_square", "relayout", "sqrt", "wait_gmem_to_smem"}
        ),
    ),
}


def known() -> Version:
    """The entry of the JAX that is installed."""
    try:
        import jax
    except ImportError as error:
        raise Refused(
            "jax-version", f"expected JAX {' or '.join(TABLE)}, found none that can be imported ({error})"
        ) from error
    version = TABLE.get(jax.__version__)
    if version is None:
        raise Refused("jax-version", f"expected JAX {' or '.join(TABLE)}, found {jax.__version__}")
    return version
