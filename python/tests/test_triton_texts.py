"""The texts that ``tcspec.triton`` makes are those that Triton made: of launches on a chip, and of modules that it compiled, letter by letter."""

import importlib
import json
import os
import re
import sys
import unittest
from pathlib import Path
from typing import Any, Iterator, Mapping

try:
    import numpy
    import triton  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"needs Triton and numpy: {missing}") from None

import tcspec
from tcspec import Array
from tcspec.triton import compilation, descriptor, export
from triton.experimental.gluon.language import NVMMASharedLayout, float16, float32

HERE = Path(__file__).resolve().parents[2] / "conformance" / "triton"
_ELEMENTS = {"fp16": "f16", "fp32": "f32", "fp8e4nv": "e4m3", "u8": "u8"}


def loaded(folder: Path, name: str) -> Any:
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


def plain(text: str) -> str:
    """A text without the folders of its locations."""
    return re.sub(r'loc\("[^"]*/([^/"]+\.py)"', r'loc("\1"', text)


def makes(wanted: str, kernel: Any, *arguments: Any, **keywords: Any) -> bool:
    """Whether this is the text. Triton's specialisation of warps on sm_90 puts arrives on two barriers in either order, as the addresses of its own
    objects fall, so it is asked more than once."""
    for _ in range(40 if "ttg.warp_specialize" in wanted else 1):
        compilation._texts.clear()
        (launch,) = export(kernel, *arguments, **keywords).launches
        if plain(launch.document["ttgir"]) == plain(wanted):
            return True
    return False


class Captures(unittest.TestCase):
    """Launches on an H100: its text, made again from what the launch says."""

    @staticmethod
    def constants(name: str, launch: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """What the name of a capture says of constants; of attention it does not say the stages."""
        kernel, words = launch["kernel"], name.split("_")
        tile = next([int(n) for n in word.split("x")] for word in words if "x" in word)
        options = {{"s": "num_stages", "w": "num_warps"}[w[0]]: int(w[1:]) for w in words if re.fullmatch(r"[sw]\d+", w)}
        named = {} if kernel == "mm_ptr" else {"WS": "ws" in words}
        if kernel == "attn_fwd":
            # by the program that made them: M x D x N with the number of warps in the name, M x N x D without
            extents = dict(zip(("BM", "D", "BN") if "num_warps" in options else ("BM", "BN", "D"), tile))
            for stages in (2, 3):
                yield {"num_warps": 4, **options, **named, **extents, "num_stages": stages}
            return
        programs = {"NSM": 3 if "plain" in words or "wide" in words else 4} if kernel == "mm_persistent" else {}
        yield {**options, **named, **programs, **dict(zip(("BM", "BN", "BK"), tile))}

    def test_of_every_capture(self) -> None:
        kernels = loaded(HERE, "captures")
        folders = sorted(folder for folder in (HERE / "captures").iterdir() if folder.is_dir())
        for folder in folders:
            with self.subTest(folder.name):
                launch = json.loads((folder / "launch.json").read_text())
                tensors = {path.stem: numpy.load(path) for path in folder.glob("*.npy")}
                arguments = [self.argument(a, tensors) for a in launch["args"]]
                ran = (folder / f"{folder.name}.ttgir").read_text()
                kernel = getattr(kernels, launch["kernel"])
                candidates = self.constants(folder.name, launch)
                self.assertTrue(any(makes(ran, kernel, *arguments, grid=launch["grid"], **c) for c in candidates))
        self.assertEqual(26, len(folders))

    def test_their_bits(self) -> None:
        """What a run leaves is what the chip left; by day of three of them."""
        kernels = loaded(HERE, "captures")
        folders = sorted(folder for folder in (HERE / "captures").iterdir() if folder.is_dir())
        for folder in folders if os.environ.get("TCSPEC_NIGHTLY") else folders[3:20:8]:
            with self.subTest(folder.name):
                launch = json.loads((folder / "launch.json").read_text())
                held = {path.stem: numpy.load(path) for path in folder.glob("*.npy")}
                (output,) = launch["outputs"]
                tensors = {**held, output: numpy.zeros_like(held[output])}
                arguments = [self.argument(a, tensors) for a in launch["args"]]
                *_, constants = self.constants(folder.name, launch)
                run = tcspec.run(getattr(kernels, launch["kernel"]), *arguments, grid=launch["grid"], hazards=False, **constants)
                (result,) = run.result.values()
                numpy.testing.assert_array_equal(held[output].view("uint16"), result.view("uint16"))

    @staticmethod
    def argument(a: Any, tensors: Mapping[str, Any]) -> Any:
        if isinstance(a, (int, float)):
            return a
        return tensors[a] if isinstance(a, str) else descriptor(tensors[a["tensor"]], a["block"])


class Modules(unittest.TestCase):
    """The modules of two chips that ``kernels.py`` compiled from types alone."""

    def test_of_every_module(self) -> None:
        source = (HERE / "kernels.py").read_text()
        names: dict[str, Any] = {"__name__": "kernels_of_modules"}
        # its jobs, without the loop that compiles them
        head = source[: source.index("for cc in ")].replace("os.makedirs(out, exist_ok=True)", "").replace("sys.argv[1]", "''")
        exec(compile(head, str(HERE / "kernels.py"), "exec"), names)
        texts = sorted((HERE / "modules").glob("*.ttgir"))
        for path in texts:
            with self.subTest(path.name):
                name, chip = re.fullmatch(r"(.*)_sm(\d+)", path.stem).groups()  # type: ignore[union-attr]
                kernel, signature, constants, options = names["jobs"][name]
                arguments = [self.argument(said) for said in signature.values()]
                wanted = path.read_text()
                self.assertTrue(makes(wanted, kernel, *arguments, grid=1, target=f"sm_{chip}", **constants, **options))
        self.assertEqual(45, len(texts))

    @staticmethod
    def argument(said: str) -> Any:
        """One of this type that is specialised as they were: all numbers are multiples of 16."""
        if said.startswith("*"):
            return Array(_ELEMENTS[said[1:]], (1024,))
        blocks = re.fullmatch(r"tensordesc<(\w+)\[(\d+),(\d+)\]>", said)
        if blocks is not None:
            return descriptor(Array(_ELEMENTS[blocks[1]], (1024, 1024)), [int(blocks[2]), int(blocks[3])])
        return 256 if said == "i32" else 0.5


class OfGluon(unittest.TestCase):
    """Gluon kernels with all their mistakes."""

    def test_of_every_text(self) -> None:
        folder = HERE / "gluon"
        texts = sorted((folder / "texts").glob("*.ttgir"))
        for path in texts:
            name, _, wrong = path.stem.partition(".")
            with self.subTest(path.stem):
                launch = loaded(folder, name).LAUNCH
                arguments = [self.argument(a, launch["tensors"]) for a in launch["args"]]
                options = {"grid": launch["grid"], "target": launch["target"], "num_warps": launch["warps"]}
                constants = {**launch.get("constants", {}), "WRONG": wrong}
                self.assertTrue(makes(path.read_text(), launch["kernel"], *arguments, **options, **constants))
        self.assertGreater(len(texts), 60)

    @staticmethod
    def argument(a: Any, tensors: Mapping[str, Any]) -> Any:
        if isinstance(a, (int, float)):
            return a
        if isinstance(a, str):
            return Array(*tensors[a])
        dtype, shape = tensors[a["tensor"]]
        high, wide = a["block"]
        layout = NVMMASharedLayout.get_default_for([max(high, 32), wide], {"f16": float16, "f32": float32}[dtype])
        return descriptor(Array(dtype, shape), a["block"], layout)


if __name__ == "__main__":
    unittest.main()
