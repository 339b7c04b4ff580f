"""Pallas kernels at both levels: the PTX that Mosaic GPU made of them (conformance/hopper/mosaic) beside the jaxpr, and what the chip returned."""

from __future__ import annotations

import pathlib
import sys
import unittest
from typing import Any

try:
    import jax
    import numpy
    from jax.experimental.pallas import mosaic_gpu  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"needs JAX: {missing}") from None

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURED = ROOT / "conformance" / "hopper" / "mosaic"
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python" / "tests")]

import tcspec  # noqa: E402
from tcspec import Refused  # noqa: E402


def ours(name: str) -> Any:
    import importlib.util

    spec = importlib.util.spec_from_file_location("mosaic_kernels", CAPTURED / "kernels.py")
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module.CASES[name]()


class Levels(unittest.TestCase):
    def test_both_levels_give_the_bits_of_the_chip(self) -> None:
        for name in ("double", "matmul", "cluster_matmul", "attention"):
            with self.subTest(name):
                function, arguments = ours(name)
                chip = numpy.load(CAPTURED / name / "out0.npy")
                for said in ({}, {"level": "ptx", "ptx": CAPTURED / name / f"{name}.ptx"}):
                    if name == "attention" and not said and jax.__version__ != "0.11.2":
                        continue  # what was captured is 0.11.2's, which adds rows up in two partial sums
                    run = tcspec.run(function, *arguments, **said)
                    self.assertTrue(run.ok, str(run))
                    self.assertEqual(chip.tobytes(), numpy.asarray(run.result).tobytes(), f"{name} {said}")

    def test_shapes_are_enough_for_a_check(self) -> None:
        function, arguments = ours("double")
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arguments]
        self.assertTrue(tcspec.check(function, *shapes, level="ptx", ptx=CAPTURED / "double" / "double.ptx").ok)

    def test_a_twin_at_the_line_of_the_source(self) -> None:
        sys.path.insert(0, str(ROOT / "python"))
        from kernels.pairs.stage_out import PAIR

        made = CAPTURED / "stage_out"
        verdict = tcspec.check(PAIR.make(False), *PAIR.inputs(), level="ptx", ptx={"ptx": (made / "broken.ptx").read_text()})
        self.assertEqual("hazard", verdict.verdict)
        self.assertEqual(PAIR.finding, verdict.findings[0].id)
        self.assertEqual(set(PAIR.named), {s.line for s in verdict.findings[0].statements})
        self.assertTrue(tcspec.check(PAIR.make(True), *PAIR.inputs(), level="ptx", ptx=made / "stage_out.ptx").ok)

    def test_one_verdict_of_both_levels(self) -> None:
        sys.path.insert(0, str(ROOT / "python"))
        from kernels.pairs.stage_out import PAIR

        made = CAPTURED / "stage_out"
        texts = {True: made / "stage_out.ptx", False: made / "broken.ptx"}
        for jaxpr in (True, False):
            for ptx in (True, False):
                with self.subTest(jaxpr=jaxpr, ptx=ptx):
                    verdict = tcspec.check(PAIR.make(jaxpr), *PAIR.inputs(), ptx=texts[ptx])
                    came = {True: "ok", False: "hazard"}
                    self.assertEqual([("jaxpr", came[jaxpr]), ("ptx", came[ptx])], [(one.level, one.result) for one in verdict.levels])
                    self.assertEqual(came[jaxpr and ptx], verdict.verdict)
                    self.assertEqual(0 if verdict.ok else 1, len(verdict.findings))
        alone = tcspec.check(PAIR.make(True), *PAIR.inputs())
        self.assertTrue(alone.ok)
        self.assertEqual(["ok", "not-judged"], [one.result for one in alone.levels])
        self.assertIn("PTX was not judged", alone.reason)
        self.assertEqual((), tcspec.check(PAIR.make(True), *PAIR.inputs(), level="jaxpr").levels)

    def test_a_run_of_both_levels(self) -> None:
        function, arguments = ours("double")
        run = tcspec.run(function, *arguments, ptx=CAPTURED / "double" / "double.ptx")
        self.assertEqual(["ok", "ok"], [one.result for one in run.kernels[0].levels])
        self.assertEqual(numpy.load(CAPTURED / "double" / "out0.npy").tobytes(), numpy.asarray(run.result).tobytes())

    def test_what_is_refused(self) -> None:
        function, arguments = ours("double")
        with self.assertRaises(Refused) as refused:
            tcspec.check(function, *arguments, level="ptx")
        self.assertEqual("level", refused.exception.code)
        self.assertIn("MOSAIC_GPU_DUMP_TO", str(refused.exception))
        with self.assertRaises(Refused) as refused:
            tcspec.check(function, *arguments, level="ptx", ptx="nowhere.ptx")
        self.assertEqual("file-missing", refused.exception.code)


if __name__ == "__main__":
    unittest.main()
