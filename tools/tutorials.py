"""Triton's tutorials as they are shipped, each launch judged and each result compared: the table of docs/Tutorials.md.

    PYTHONPATH=python python tools/tutorials.py /path/to/triton [--target sm_90 sm_100] [--only 03 gluon/05] [--report]

``/path/to/triton`` is a checkout of Triton 3.6.0: nothing is fetched, and nothing in it is changed. Triton 3.6.0 and torch (that of the CPU does) have to be
installed. The host code of a tutorial runs as it stands: where it launches a kernel, ``tcspec`` judges the launch and computes it, and what the kernel
wrote goes into the tutorial's own tensors; everything else is torch, on the CPU. So arguments, descriptors, configurations and references are the
tutorial's, and only the sizes are ours: ``CASES`` has a call of the tutorial's functions for each kernel.

A row is a kernel on a chip: the verdict of ``check`` (no data), that of ``run``, and whether the result is torch's within the tutorial's own tolerance.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import importlib
import io
import sys
import types
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import tcspec
import torch
import triton
from tcspec.triton.kernels import call, name_of
from torch.overrides import TorchFunctionMode
from triton.backends.compiler import GPUTarget

CHIPS = {"sm_90": (9, 0), "sm_100": (10, 0)}


# ---------------------------------------------------------------- a chip that is not there


class OnCpu(TorchFunctionMode):
    """Tensors of the chip are those of the CPU."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        said = dict(kwargs or {})
        if said.get("device") is not None:
            said["device"] = "cpu"
        here = tuple("cpu" if isinstance(one, str) and one.startswith("cuda") else one for one in args)
        return function(*here, **said)


class Driver:
    """What host code asks Triton's driver for."""

    def __init__(self, chip: str) -> None:
        major, minor = CHIPS[chip]
        self._target = GPUTarget("cuda", 10 * major + minor, 32)
        said = {"multiprocessor_count": 4, "max_num_regs": 65536, "max_shared_mem": 232448, "warpSize": 32}
        self.utils = types.SimpleNamespace(get_device_properties=lambda device: said)

    def get_current_target(self) -> GPUTarget:
        return self._target

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_current_device(self) -> int:
        return 0


@dataclass
class Asked:
    """A launch, and what was found."""

    kernel: str
    verdict: str
    ran: str
    checked: Any = field(repr=False, default=None)
    made: Any = field(repr=False, default=None)


class Chip:
    """While it is entered, a launch is judged and computed in place of being launched."""

    def __init__(self, name: str, configs: Mapping[str, Any] | None = None) -> None:
        self.name, self.configs = name, configs or {}
        self.asked: list[Asked] = []
        self._undo: list[Callable[[], None]] = []
        #: tensors that host code has asked for their addresses
        self.addressed: dict[int, torch.Tensor] = {}

    def __enter__(self) -> "Chip":
        triton.runtime.driver.set_active(Driver(self.name))
        self._set(triton.runtime.jit.KernelInterface, "__getitem__", lambda kernel, grid: functools.partial(self.launch, kernel, grid))
        self._set(triton.runtime.jit.JITFunction, "warmup", lambda kernel, *args, grid, **said: Compiled(self, kernel, said))
        self._set(triton.testing.Mark, "run", lambda *args, **said: None)
        self._set(torch.Tensor, "data_ptr", lambda tensor: self._remembered(tensor))
        self._set(torch.cuda, "get_device_capability", lambda *_: CHIPS[self.name])
        self._set(torch.cuda, "get_device_properties", lambda *_: types.SimpleNamespace(multi_processor_count=4, name=self.name))
        mode = OnCpu()
        mode.__enter__()
        self._undo.append(lambda: mode.__exit__(None, None, None))
        return self

    def __exit__(self, *_: Any) -> None:
        while self._undo:
            self._undo.pop()()

    def _remembered(self, tensor: torch.Tensor) -> int:
        address = _data_ptr(tensor)
        if tensor.numel():
            self.addressed[address] = tensor
        return address

    def _named(self, argument: Any) -> Any:
        """The tensors whose addresses a tensor holds, in its place: host code has asked each of them for its address."""
        if not torch.is_tensor(argument) or argument.dtype != torch.int64 or argument.ndim != 1:
            return argument
        found = [self.addressed.get(address) for address in argument.tolist()]
        return argument if not found or any(one is None for one in found) else tcspec.pointers(found)

    def _set(self, owner: Any, name: str, value: Any) -> None:
        before = getattr(owner, name)
        setattr(owner, name, value)
        self._undo.append(lambda: setattr(owner, name, before))

    def launch(self, kernel: Any, grid: Any, *arguments: Any, **said: Any) -> None:
        name = name_of(kernel)
        found = Asked(name, "not asked", "not asked")
        self.asked.append(found)
        asked = {"target": self.name, **said}
        if name in self.configs:
            asked["config"] = self.configs[name]
        bound = call(kernel, arguments, said, grid, asked.get("config")).bound
        arguments, said = tuple(self._named(one) for one in arguments), {key: self._named(one) for key, one in said.items()}
        asked |= said
        try:
            found.checked = tcspec.check(kernel, *arguments, grid=grid, **asked)
            found.verdict = found.checked.verdict
            found.made = tcspec.run(kernel, *arguments, grid=grid, **asked)
            found.ran = found.made.verdict
        except tcspec.Refused as refused:
            if found.checked is None:
                found.verdict = f"refused: {refused}"
            else:
                found.ran = f"refused: {refused}"
            raise
        for argument, array in found.made.outputs.items():
            value = _held_by(bound, argument, self.addressed)
            tensor = getattr(value, "base", value) if not torch.is_tensor(value) else value
            fetched = torch.frombuffer(bytearray(array.tobytes()), dtype=tensor.dtype)
            with torch.no_grad():
                tensor.copy_(fetched.reshape(tensor.shape))


_data_ptr = torch.Tensor.data_ptr


def _held_by(bound: Mapping[str, Any], name: str, addressed: Mapping[int, Any]) -> Any:
    """The tensor of an output: an argument, or the one whose address stands there (``group_c_ptrs[0]``)."""
    holder, _, place = name.partition("[")
    return bound[name] if not place else addressed[int(bound[holder][int(place[:-1])])]


class Compiled:
    """What ``warmup`` gives: some registers, some shared memory, and the kernel with its options."""

    n_regs = 32

    def __init__(self, chip: Chip, kernel: Any, said: Mapping[str, Any]) -> None:
        options = {name: value for name, value in said.items() if name not in kernel.arg_names}
        self._launch = lambda grid: functools.partial(chip.launch, kernel, grid, **options)
        self.metadata = types.SimpleNamespace(shared=4096)

    def _init_handles(self) -> None:
        pass

    def __getitem__(self, grid: Any) -> Any:
        return self._launch(grid)


# ---------------------------------------------------------------- a tutorial


class _Launched(Exception):
    """A statement at the top of a tutorial launches a kernel: it is left there."""


def _leave(*_: Any, **__: Any) -> None:
    raise _Launched


def tutorial(folder: Path, name: str, chip: Chip) -> Any:
    """The module. Those of Triton also launch and measure when they are imported: each of their statements is run by itself, up to where it launches."""
    path = next((folder / name).parent.glob(f"{Path(name).name}-*.py"))
    if "gluon" in name:
        sys.path.insert(0, str(path.parent))
        try:
            for known in [one for one in sys.modules if getattr(sys.modules[one], "__file__", None) and Path(str(sys.modules[one].__file__)).parent == path.parent]:
                del sys.modules[known]
            return importlib.import_module(path.stem)
        finally:
            sys.path.pop(0)
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    launch, chip.launch = chip.launch, _leave  # type: ignore[method-assign]
    try:
        for statement in ast.parse(path.read_text(), str(path)).body:
            code = compile(ast.Module([statement], []), str(path), "exec")
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(code, module.__dict__)
            except Exception:
                if isinstance(statement, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)) and "torch.autograd" not in ast.unparse(statement):
                    raise
    finally:
        chip.launch = launch  # type: ignore[method-assign]
    return module


def near(found: Any, expected: Any, **tolerance: float) -> None:
    torch.testing.assert_close(found.float(), expected.float(), **(tolerance or {"atol": 0, "rtol": 0}))


def half(*shape: int) -> Any:
    return torch.randn(*shape, dtype=torch.float32).to(torch.float16)


@dataclass(frozen=True)
class Case:
    """A call of a tutorial's own functions, at a small size."""

    tutorial: str
    name: str
    act: Callable[[Any], None]
    chips: Sequence[str] = ("sm_90", "sm_100")
    configs: Mapping[str, Any] = field(default_factory=dict)


def _persistent(function: str, **said: Any) -> Callable[[Any], None]:
    def act(m: Any) -> None:
        a, b = half(160, 96), half(136, 96)
        near(getattr(m, function)(a, b, **said), a.float() @ b.float().T, atol=5e-2, rtol=1e-2)

    return act


def _pointers(function: str) -> Callable[[Any], None]:
    def act(m: Any) -> None:
        a, b = half(160, 96), half(96, 136)
        near(getattr(m, function)(a, b), a.float() @ b.float(), atol=5e-2, rtol=1e-2)

    return act


def _matmul_8(m: Any) -> None:
    a, b = half(96, 96).to(torch.float8_e5m2), half(64, 96).to(torch.float8_e5m2)
    near(m.matmul(a, b.T), a.float() @ b.float().T, atol=0.125, rtol=1e-2)


def _softmax(m: Any) -> None:
    x = torch.randn(5, 200)
    near(m.softmax(x), torch.softmax(x, dim=1), atol=1e-5, rtol=1e-4)


def _add(m: Any) -> None:
    x, y = torch.rand(2500), torch.rand(2500)
    near(m.add(x, y), x + y)


def _dropout(m: Any) -> None:
    x = torch.randn(1300)
    kept = (torch.rand(1300) > 0.5).to(torch.int32)
    near(m.dropout(x, x_keep=kept, p=0.5), torch.where(kept != 0, x / 0.5, 0.0))


def _seeded_dropout(m: Any) -> None:
    x = torch.randn(1300)
    y, again = m.seeded_dropout(x, p=0.5, seed=123), m.seeded_dropout(x, p=0.5, seed=123)
    near(y, again)
    near(y[y != 0], (x / 0.5)[y != 0])
    assert 0.4 < (y != 0).float().mean() < 0.6


def _layer_norm(m: Any) -> None:
    m.test_layer_norm(5, 300, torch.float16, device="cpu")


def _asin(m: Any) -> None:
    x, y = torch.rand(1500), torch.zeros(1500)
    m.asin_kernel[(2,)](x, y, 1500, BLOCK_SIZE=1024)
    near(y, torch.asin(x), atol=1e-6, rtol=1e-6)


def _attention(causal: bool, specialised: bool, context: int = 128) -> Callable[[Any], None]:
    def act(m: Any) -> None:
        q, k, v = (0.5 * torch.randn(1, 2, context, 64) for _ in range(3))
        q, k, v = (x.to(torch.float16).requires_grad_() for x in (q, k, v))
        gradient = half(1, 2, context, 64)
        weights = q.float() @ k.float().transpose(2, 3) * 0.5
        if causal:
            weights = weights.masked_fill(torch.ones(context, context).tril() == 0, float("-inf"))
        expected = (torch.softmax(weights, -1).to(torch.float16) @ v).half()
        expected.backward(gradient)
        wanted = [x.grad.clone() for x in (q, k, v)]
        for x in (q, k, v):
            x.grad = None
        found = m.attention(q, k, v, causal, 0.5, specialised).half()
        near(found, expected, atol=1e-2, rtol=0)
        if causal:
            found.backward(gradient)
            for x, grad in zip((q, k, v), wanted):
                near(x.grad, grad, atol=1e-2, rtol=0)

    return act


def _attention_8(m: Any) -> None:
    q, k, v = (0.5 * torch.randn(1, 1, 128, 64) for _ in range(3))
    v8 = v.permute(0, 1, 3, 2).contiguous().permute(0, 1, 3, 2).to(torch.float8_e5m2)
    found = m.attention(q.to(torch.float8_e5m2), k.to(torch.float8_e5m2), v8, False, 0.5, False)
    near(found, torch.softmax(q @ k.transpose(2, 3) * 0.5, -1) @ v, atol=0.2, rtol=0.2)


def _grouped(function: str, transposed: bool) -> Callable[[Any], None]:
    def act(m: Any) -> None:
        a = [half(128, 64), half(128, 128)]
        b = [half(64, 128), half(128, 128)]
        found = getattr(m, function)(a, [x.T.contiguous() for x in b] if transposed else b)
        for x, y, z in zip(a, b, found):
            near(z, x.float() @ y.float(), atol=5e-2, rtol=1e-2)

    return act


def _scaled(kind: str) -> Callable[[Any], None]:
    def act(m: Any) -> None:
        a, sa, b, sb, *reps, configs, expected = m.initialize_block_scaled(128, 256, 512, kind, compute_reference=True)
        found = m.block_scaled_matmul(a, sa, b, sb, torch.float16, 128, 256, 512, *reps, configs)
        near(found, expected, atol=1e-3, rtol=1e-3)

    return act


def _tiled(act: Callable[[Any, Any, Any, Any], None], m: int, n: int, k: int, transposed: bool = False) -> Callable[[Any], None]:
    def whole(module: Any) -> None:
        a, b, c = half(m, k), half(*((n, k) if transposed else (k, n))), torch.empty(m, n, dtype=torch.float16)
        act(module, a, b, c)
        near(c, a.float() @ (b.T if transposed else b).float(), atol=1e-1, rtol=1e-3)

    return whole


def _small(act: Callable[..., None], m: int, n: int, k: int) -> Callable[[Any], None]:
    def whole(module: Any) -> None:
        a, b, c, d = half(m, k), half(k, n), torch.randn(m, n), torch.empty(m, n)
        act(module, a, b, c, d)
        near(d, a.float() @ b.float() + c, atol=1e-3, rtol=1e-1)

    return whole


def _copied(act: Callable[[Any, Any, Any], None], *shape: int) -> Callable[[Any], None]:
    def whole(module: Any) -> None:
        x = torch.randn(*shape)
        y = torch.empty_like(x)
        act(module, x, y)
        near(y, x)

    return whole


def _added(act: Callable[[Any, Any, Any, Any], None], *shape: int) -> Callable[[Any], None]:
    def whole(module: Any) -> None:
        a, b = torch.randn(*shape), torch.randn(*shape)
        c = torch.empty_like(a)
        act(module, a, b, c)
        near(c, a + b)

    return whole


def _layout(m: Any) -> Any:
    return m.gl.BlockedLayout([2], [32], [4], [0])


def _plain(m: Any) -> Any:
    return m.gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=1, order=[1, 0])


BLACKWELL, HOPPER = ("sm_100",), ("sm_90",)
CASES: Sequence[Case] = [
    Case("01", "add", _add),
    Case("02", "softmax", _softmax),
    Case("03", "matmul, fp16", _pointers("matmul")),
    Case("03", "matmul, fp16, 64 x 32", _pointers("matmul"), configs={"matmul_kernel": 6}),
    Case("03", "matmul, fp8", _matmul_8, configs={"matmul_kernel": 4}),
    Case("04", "dropout", _dropout),
    Case("04", "seeded dropout", _seeded_dropout),
    Case("05", "layer norm, forward and backward", _layer_norm),
    Case("06", "attention, causal, forward and backward", _attention(True, False)),
    Case("06", "attention, two blocks", _attention(False, False, 256)),
    Case("06", "attention, warp-specialised", _attention(False, True)),
    Case("06", "attention, causal, warp-specialised", _attention(True, True)),
    Case("06", "attention, fp8", _attention_8),
    Case("07", "asin", _asin),
    Case("08", "grouped", _grouped("group_gemm_fn", False)),
    Case("08", "grouped, TMA", _grouped("group_gemm_tma_fn", True)),
    Case("09", "matmul", _pointers("matmul")),
    Case("09", "matmul_persistent", _pointers("matmul_persistent")),
    Case("09", "matmul_tma", _persistent("matmul_tma", warp_specialize=False)),
    Case("09", "matmul_tma, warp-specialised", _persistent("matmul_tma", warp_specialize=True), BLACKWELL),
    Case("09", "matmul_tma_persistent", _persistent("matmul_tma_persistent", warp_specialize=False)),
    Case("09", "matmul_tma_persistent, warp-specialised", _persistent("matmul_tma_persistent", warp_specialize=True), BLACKWELL),
    Case("09", "matmul_descriptor_persistent", _persistent("matmul_descriptor_persistent", warp_specialize=False)),
    Case("09", "matmul_descriptor_persistent, warp-specialised", _persistent("matmul_descriptor_persistent", warp_specialize=True)),
    *(Case("10", f"block scaled, {kind}", _scaled(kind), BLACKWELL) for kind in ("nvfp4", "mxfp4", "mxfp8", "mixed")),
    Case("11", "add, dependent launch", _add),
    Case("gluon/01", "copy_scalar", _copied(lambda m, x, y: m.copy_scalar(x, y), 1)),
    Case("gluon/01", "memcpy", _copied(lambda m, x, y: m.memcpy(x, y, 64), 100)),
    Case("gluon/01", "memcpy, autotuned", _copied(lambda m, x, y: m.memcpy_autotune(x, y), 100)),
    Case("gluon/02", "memcpy_1d", _copied(lambda m, x, y: m.memcpy_1d_impl(x, y, 256, _layout(m), num_warps=4), 1000)),
    Case("gluon/02", "memcpy_2d", _copied(lambda m, x, y: m.memcpy_2d_impl(x, y, 128, 256, m.gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0]), num_warps=4), 100, 300)),
    Case("gluon/02", "memcpy_2d_inout", _copied(lambda m, x, y: m.memcpy_2d_inout(x.T, y.T), 150, 140)),
    Case("gluon/03", "memcpy, cp.async", _copied(lambda m, x, y: m.memcpy_1d_cpasync(x, y, 256), 1000)),
    Case("gluon/03", "add", _added(lambda m, *abc: m.elementwise_add(*abc), 40, 150)),
    Case("gluon/03", "add, cp.async", _added(lambda m, *abc: m.elementwise_add_cpasync(*abc, _plain(m)), 40, 150)),
    *(Case("gluon/03", f"add, pipelined, {n} buffers", _added(lambda m, *abc, n=n: m.elementwise_add_pipelined(*abc, num_buffers=n), 40, 250)) for n in (1, 2, 3)),
    Case("gluon/04", "memcpy, TMA", _copied(lambda m, x, y: m.memcpy_1d_tma(x, y, 64), 500)),
    *(Case("gluon/04", f"add, TMA, {n} buffers", _added(lambda m, *abc, n=n: m.elementwise_add_tma(*abc, num_buffers=n), 40, 252)) for n in (1, 2, 3)),
    Case("gluon/05", "small product", _small(lambda m, *abcd: m.small_mma(*abcd, 16), 64, 32, 32), HOPPER),
    Case("gluon/05", "small product, left operand in registers", _small(lambda m, *abcd: m.small_mma(*abcd, 16, True), 64, 32, 32), HOPPER),
    Case("gluon/05", "matmul", _tiled(lambda m, *abc: m.blocked_matmul(*abc, 64, 64, 64, False, 4), 104, 72, 176), HOPPER),
    Case("gluon/05", "matmul, transposed", _tiled(lambda m, *abc: m.blocked_matmul(*abc, 64, 64, 64, True, 4), 104, 72, 176, True), HOPPER),
    Case("gluon/05", "matmul, 8 warps", _tiled(lambda m, *abc: m.blocked_matmul(*abc, 128, 128, 128, False, 8), 136, 104, 176), HOPPER),
    Case("gluon/05", "matmul, pipelined", _tiled(lambda m, *abc: m.blocked_matmul_pipelined(*abc, 64, 64, 64, 4), 104, 72, 176), HOPPER),
    Case("gluon/05", "matmul, pipelined, 8 warps", _tiled(lambda m, *abc: m.blocked_matmul_pipelined(*abc, 128, 128, 128, 8), 136, 104, 176), HOPPER),
    Case("gluon/06", "tensor memory there and back", _copied(lambda m, x, y: m.tmem_example_kernel[(1,)](x, y, 64, 64, num_warps=4), 64, 64), BLACKWELL),
    Case("gluon/06", "tensor memory there and back, 8 warps", _copied(lambda m, x, y: m.tmem_example_kernel[(1,)](x, y, 128, 128, num_warps=8), 128, 128), BLACKWELL),
    *(
        Case("gluon/06", f"small product, {m} x {n} x {k}{', left operand in tensor memory' if left else ''}{', commit' if commit else ''}, {warps} warps",
             _small(lambda module, *abcd, m=m, n=n, left=left, commit=commit, warps=warps: module.small_mma(*abcd, (min(128, m), n), left, commit, warps), m, n, k), BLACKWELL)
        for m, n, k, left, commit, warps in ((128, 128, 128, False, False, 4), (128, 128, 128, True, True, 4), (64, 128, 128, False, True, 4), (64, 128, 128, True, False, 4), (256, 64, 64, True, True, 8))
    ),
    Case("gluon/06", "matmul", _tiled(lambda m, *abc: m.blocked_matmul(*abc, 64, 64, 64, False, 4), 104, 72, 176), BLACKWELL),
    Case("gluon/06", "matmul, transposed, 8 warps", _tiled(lambda m, *abc: m.blocked_matmul(*abc, 128, 128, 128, True, 8), 136, 104, 176, True), BLACKWELL),
    Case("gluon/06", "matmul, pipelined", _tiled(lambda m, *abc: m.blocked_matmul_pipelined(*abc, 64, 64, 64, 4), 104, 72, 304), BLACKWELL),
    Case("gluon/06", "matmul, pipelined, 128, two steps", _tiled(lambda m, *abc: m.blocked_matmul_pipelined(*abc, 128, 128, 64, 4), 136, 104, 128), BLACKWELL),
    *(
        Case("gluon/07", f"matmul, pipelined, {n} buffers", _tiled(lambda m, *abc, n=n: m.matmul_pipelined(*abc, 64, 64, 64, n, 4), 104, 72, 304))
        for n in (2, 3, 4)
    ),
    *(
        Case("gluon/07", f"matmul, persistent, {n} buffers", _tiled(lambda m, *abc, n=n: m.persistent_matmul(*abc, 64, 64, 64, n, 4, m.schedulers[0]), 200, 136, 304))
        for n in (2, 3)
    ),
    *(
        Case("gluon/07", f"matmul, persistent, pipelined, {n} buffers, {('rows', 'groups of 1', 'groups of 8')[s]}",
             _tiled(lambda m, *abc, n=n, s=s: m.persistent_matmul_pipelined(*abc, 64, 64, 64, n, 4, m.schedulers[s]), 200, 136, 304))
        for n, s in ((3, 0), (4, 0), (3, 2), (4, 1))
    ),
    *(
        Case("gluon/08", f"add, warp-specialised, {n} buffers", _added(lambda m, *abc, n=n: m.elementwise_add_warp_specialized(*abc, num_load_buffers=n, num_store_buffers=n), 40, 252))
        for n in (1, 2)
    ),
    *(
        Case("gluon/08", f"matmul, warp-specialised, {n} buffers", _tiled(lambda m, *abc, n=n: m.matmul_warp_specialized(*abc, 128, 256, 64, n, 4, 4, m.t7.schedulers[2]), 200, 280, 176), BLACKWELL)
        for n in (2, 4)
    ),
]


# ---------------------------------------------------------------- the table


@dataclass(frozen=True)
class Row:
    case: Case
    chip: str
    asked: Sequence[Asked]
    result: str


def row(folder: Path, case: Case, chip: str) -> Row:
    torch.manual_seed(0)
    with Chip(chip, case.configs) as there:
        try:
            case.act(tutorial(folder, case.tutorial, there))
            result = "right"
        except tcspec.Refused as refused:
            result = f"refused: {refused}"
        except AssertionError as wrong:
            result = "wrong: " + " ".join(str(wrong).split())
        except Exception as raised:
            result = f"{type(raised).__name__}: " + " ".join(str(raised).split())
        return Row(case, chip, there.asked, result)


def found_in(asked: Asked) -> str:
    """The verdict, with the hazards and notes of both questions."""
    documents = [one for one in (asked.checked, asked.made) if one is not None]
    ids = sorted({finding.id for one in documents for finding in one.findings})
    notes = sorted({note.id for one in documents for note in one.notes} - set(ids))
    ran = "" if asked.ran == asked.verdict else f", run: {asked.ran}"
    return f"{asked.verdict}{ran}{''.join(f' {id}' for id in ids)}{'' if not notes else f' ({chr(32).join(notes)})'}"


def main() -> None:
    words = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    words.add_argument("triton", type=Path)
    words.add_argument("--target", nargs="+", default=list(CHIPS), choices=list(CHIPS))
    words.add_argument("--only", nargs="+", help="tutorials, by the beginning of their names, or words of a case")
    words.add_argument("--report", action="store_true", help="print what is said of each launch that is not ok")
    said = words.parse_args()
    warnings.simplefilter("ignore")
    folder = said.triton / "python" / "tutorials"
    for case in CASES:
        if said.only and not any(f"{case.tutorial} {case.name}".startswith(word) or word in case.name.split() for word in said.only):
            continue
        for chip in said.target:
            if chip not in case.chips:
                continue
            made = row(folder, case, chip)
            print(f"| {case.tutorial} | {case.name} | {chip} | {'; '.join(f'`{one.kernel}` {found_in(one)}' for one in made.asked)} | {made.result} |", flush=True)
            if said.report:
                for one in made.asked:
                    if one.verdict != "ok":
                        print(one.checked.report() if one.checked is not None else one.verdict)
                    elif one.ran != "ok" and one.made is not None:
                        print(one.made.report())


if __name__ == "__main__":
    main()
