"""The pairs of `python/kernels/pairs`: each right kernel is found right, each twin is found out at the lines that it marks, and together they use
every operation by which Pallas:MGPU synchronises."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="needs JAX")
numpy = pytest.importorskip("numpy", reason="needs numpy")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import tcspec  # noqa: E402
from kernels import pairs  # noqa: E402
from tcspec import pallas  # noqa: E402

import jax  # noqa: E402


def known(pair: pairs.Pair) -> bool:
    """Whether this version of JAX has what it uses."""
    return pair.until is None or not jax.__version__.startswith(pair.until)


NAMES = [name for name in pairs.names() if known(pairs.named(name))]

#: Operations of the reference page that move data asynchronously, or that order such movements.
SYNCHRONISATION = """
    copy_gmem_to_smem copy_smem_to_gmem commit_group wait_smem_to_gmem commit_smem async_prefetch async_store_smem
    barrier_arrive barrier_wait barrier_test
    wgmma wgmma_wait wgmma_accumulator_load
    tcgen05_mma tcgen05_commit_arrive async_load_tmem wait_load_tmem async_store_tmem commit_tmem
    async_copy_smem_to_tmem async_copy_scales_to_tmem async_copy_sparse_metadata_to_tmem
    semaphore_signal semaphore_signal_parallel semaphore_wait
    try_cluster_cancel query_cluster_cancel atomic_store set_max_registers core_map run_scoped run_state
""".split()


def shapes(pair: pairs.Pair) -> list:
    """The operands without data."""
    return [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in pair.inputs()]


def test_there_are_twenty_at_least() -> None:
    assert len(NAMES) >= 20


def test_every_way_to_synchronise_is_used() -> None:
    used = set()
    kinds = set()
    for name in NAMES:
        pair = pairs.named(name)
        for export in pallas.trace(pair.make(True), *shapes(pair)).exports:
            for jaxpr in export.document["jaxprs"]:
                used.update(eqn["op"] for eqn in jaxpr["eqns"])
                for eqn in jaxpr["eqns"]:
                    if eqn.get("params", {}).get("leaderTracked") is not None:
                        kinds.add("leader-tracked copy")
                    if eqn.get("params", {}).get("collectiveAxes"):
                        kinds.add("collective copy")
                    if eqn.get("params", {}).get("collectiveAxis") is not None:
                        kinds.add("collective product")
                for variable in jaxpr["in"]:
                    barrier = variable["type"].get("barrier")
                    if barrier is not None:
                        kinds.add("cluster barrier" if barrier.get("cluster") else "barrier")
                    if variable["type"].get("semaphore") is not None:
                        kinds.add("semaphore")
    assert sorted(set(SYNCHRONISATION) - used) == []
    assert kinds >= {
        "barrier",
        "cluster barrier",
        "semaphore",
        "collective copy",
        "leader-tracked copy",
        "collective product",
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_right_kernel_is_right(name: str) -> None:
    pair = pairs.named(name)
    inputs = pair.inputs()
    verdict = tcspec.check(pair.make(True), *inputs, explore=pair.explore)
    assert verdict.ok, verdict
    expected = pair.expected(*inputs)
    found = tcspec.run(pair.make(True), *inputs).result
    for one, wanted in zip(
        found if isinstance(found, (list, tuple)) else [found],
        expected if isinstance(expected, list) else [expected],
        strict=True,
    ):
        numpy.testing.assert_array_equal(one, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_the_twin_is_found_out_at_its_lines(name: str) -> None:
    pair = pairs.named(name)
    verdict = tcspec.check(pair.make(False), *pair.inputs(), explore=pair.explore)
    assert not verdict.ok
    assert pair.finding in (verdict.verdict, *(finding.id for finding in verdict.findings)), verdict
    told = [finding for finding in verdict.findings if finding.id == pair.finding] or verdict.findings
    named = [
        [s.line for s in finding.statements if s.file is not None and s.file.endswith(f"{name}.py")] for finding in told
    ]
    assert pair.named in [sorted(set(lines)) for lines in named], verdict
