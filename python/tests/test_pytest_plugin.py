"""The plugin: what is collected, and what a failure shows. Needs pytest, and JAX or Triton."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PYTHON = pathlib.Path(__file__).resolve().parent.parent

if importlib.util.find_spec("pytest") is None:
    raise unittest.SkipTest("needs pytest")

OF_JAX = '''
import jax, jax.numpy as jnp, pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
import tcspec as t

SHAPE = jax.ShapeDtypeStruct((64, 64), jnp.float32)

def doubling(waits):
    def body(a, out, smem, full):
        plgpu.copy_gmem_to_smem(a, smem, full)
        if waits:
            plgpu.barrier_wait(full)
        smem[...] = smem[...] * 2
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(smem, out)
        plgpu.wait_smem_to_gmem(0)
    return plgpu.kernel(body, out_type=SHAPE, scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])

@t.verified(SHAPE)
def right(a):
    return doubling(True)(a)

@t.verified(SHAPE)
def wrong(a):
    return doubling(False)(a)

@pytest.mark.xfail(strict=True)
@t.verified(SHAPE)
def known(a):
    return doubling(False)(a)

@t.verified(SHAPE)
@t.verified(SHAPE)
def test_twice(a):
    return doubling(True)(doubling(True)(a))

@t.verified(SHAPE)
def test_of_its_own(a):
    raise ZeroDivisionError("mine")

def test_fixture(tcspec):
    assert tcspec.check(wrong, SHAPE).ok

def test_raises(tcspec):
    tcspec.check(wrong, SHAPE).raise_if_bad()
'''
#: the two statements of the race, and what pytest shows of them
JAX_LINES = ("plgpu.copy_gmem_to_smem(a, smem, full)", "smem[...] = smem[...] * 2")

OF_TRITON = '''
import pytest, triton, triton.language as tl
import tcspec as t

A, B = t.Array("f32", (128,)), t.Array("f32", (128,))

@t.verified(A, B, BLOCK=64, grid=(2,))
@triton.jit
def right(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)

@t.verified(A, BLOCK=64, grid=(2,))
@triton.jit
def wrong(x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + tl.arange(0, BLOCK))
    tl.store(x + i, value * 2)

@pytest.mark.xfail(strict=True)
@t.verified(A, BLOCK=64, grid=(2,))
@triton.jit
def known(x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + tl.arange(0, BLOCK))
    tl.store(x + i, value * 2)

@t.verified(A, B, BLOCK=128, grid=(1,))
@t.verified(A, B, BLOCK=64, grid=(2,))
@triton.jit
def test_twice(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)

def test_of_its_own(tcspec):
    raise ZeroDivisionError("mine")

def test_fixture(tcspec):
    assert tcspec.check(wrong, A, BLOCK=64, grid=(2,)).ok

def test_raises(tcspec):
    tcspec.check(wrong, A, BLOCK=64, grid=(2,)).raise_if_bad()
'''
TRITON_LINES = ("value = tl.load(x + tl.arange(0, BLOCK))", "tl.store(x + i, value * 2)")


ACCEPTED = '''
import json, tcspec as t

made = json.loads(t.Client().check("zoo/R1", acceptWrite="accept.json")["files"]["accept.json"])
baseline = {**made, "accepted": [{**row, "reason": "it is known"} for row in made["accepted"]]}

def test_of_its_own():
    t.check("zoo/R1", accept=baseline).raise_if_bad()

class Named(str):
    """A kernel of the catalogue as a test."""

kernel = t.verified(accept=baseline)(Named("zoo/R1"))
'''


class Plugin(unittest.TestCase):
    def _run(self, source: str, *options: str) -> "subprocess.CompletedProcess[str]":
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        file = pathlib.Path(held.name) / "test_kernels.py"
        file.write_text(source)
        search = os.pathsep.join(filter(None, [str(PYTHON), os.environ.get("PYTHONPATH", "")]))
        environment = {**os.environ, "PYTHONPATH": search, "EXTRA_PYTHONPATH": search, "COLUMNS": "200"}
        words = [sys.executable, "-m", "pytest", "-p", "tcspec.pytest_plugin", "-p", "no:cacheprovider", "-q", *options, str(file)]
        return subprocess.run(words, capture_output=True, text=True, env=environment, cwd=held.name)

    def _holds(self, source: str, lines: "tuple[str, str]") -> None:
        """Both lines of the finding stand in every failure, where their author wrote them, and no frame of the package does."""
        first, second = (f"test_kernels.py:{source[: source.index(text)].count(chr(10)) + 1}: {text}" for text in lines)
        for options in ((), ("-n", "2")) if importlib.util.find_spec("xdist") is not None else ((),):
            said = self._run(source, *options).stdout
            self.assertRegex(said, r"4 failed, 3 passed, 1 xfailed")
            for test in ("wrong", "test_fixture", "test_raises", "test_of_its_own"):
                self.assertRegex(said, rf"(?m)^FAILED .*test_kernels.py::{test}\b")
            shown = said[: said.index("short test summary")]
            for text in (first, second):
                self.assertGreaterEqual(shown.count(text), 3, said)
            self.assertIn('raise ZeroDivisionError("mine")', shown)
            self.assertNotIn("python/tcspec/", _without_names(shown))

    def test_kernels_of_jax(self) -> None:
        if importlib.util.find_spec("jax") is None:
            self.skipTest("needs JAX")
        self._holds(OF_JAX, JAX_LINES)

    def test_kernels_of_triton(self) -> None:
        if importlib.util.find_spec("triton") is None:
            self.skipTest("needs Triton")
        self._holds(OF_TRITON, TRITON_LINES)

    def test_accepted_findings_pass_and_are_listed(self) -> None:
        said = self._run(ACCEPTED).stdout
        self.assertIn("2 passed", said)
        listed = said[said.index("tcspec: accepted findings") :]
        for test in ("test_of_its_own", "kernel"):
            self.assertRegex(listed, rf"test_kernels.py::{test}: R1 \(1 finding\) at producer / load s, consumer / read s: it is known")

    def test_strict(self) -> None:
        said = self._run("def test_nothing(): pass", "--tcspec-strict").stdout
        self.assertIn("1 passed", said)


def _without_names(shown: str) -> str:
    """Without the value of the fixture, which pytest prints as it prints every value."""
    return re.sub(r"<module 'tcspec' from '[^']*'>", "", shown)


if __name__ == "__main__":
    unittest.main()
