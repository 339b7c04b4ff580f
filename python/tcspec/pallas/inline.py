"""Blocks of Mosaic GPU in the midst of a kernel (``plgpu.inline_mgpu``), read back into what JAX traces.

JAX does not look into such a block: it is called when the kernel is lowered, with arrays as registers and references as memory. Here it is called when
the kernel is exported, with stand-ins that do with JAX's own operations what they are asked for, so that the block becomes a jaxpr that is called:

| a block that asks for                                        | becomes                                                    |
|--------------------------------------------------------------|------------------------------------------------------------|
| ``FragmentedArray.splat``, ``load_tiled``, ``load_untiled``, ``load_strided`` | a full array; ``plgpu.load`` in that layout |
| ``+ - * / & | ^``, ``max``, ``min``, ``astype``, ``reshape``, ``broadcast_in_dim``, ``to_layout`` | the operation of ``lax``; a ``layout_cast`` |
| ``foreach``: a function of an element and its indices         | the same of all elements at once                            |
| ``store_tiled``, ``store_untiled``, ``memref.store``, ``memref.load`` | a store, a load                                    |
| ``ctx.async_copy`` to global memory, ``ctx.await_async_copy``, ``commit_shared`` | ``plgpu.copy_smem_to_gmem`` and its wait; ``commit_smem`` |
| ``gpu.block_id``, ``gpu.grid_dim``, arithmetic on scalars     | the place in the launch; the operation of ``lax``            |
| PTX without results (``llvm.inline_asm``), fences and waits of ``nvvm``, ``gpu.barrier`` | ``inline_ptx``, the text that it is in PTX |
| ``warpgroup_barrier``                                        | an operation of that name                                  |

A scalar is a value of MLIR, made in a module that is thrown away, and read back from the operations that made it. What else a block does, it is refused
for, by its name.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Sequence

from .errors import Refused

__all__ = ["jaxpr_of_block", "EFFECTS", "PLACES"]

#: the operations of a launch that JAX has no operation for
PLACES = ("block_id", "grid_dim")
#: what a block does that JAX has no operation for, and that gives nothing
EFFECTS = ("inline_ptx", "warpgroup_barrier")

_lock = threading.RLock()


def _unknown(what: str) -> Refused:
    return Refused(
        "inline-mgpu",
        f"holds code of Mosaic GPU that is not read here, {what}: write the block with the primitives of plgpu, or judge the kernel as the PTX that jaxlib "
        'dumps of it (level="ptx", ptx=PATH)',
    )


def jaxpr_of_block(params: dict[str, Any], avals: Sequence[Any]) -> Any:
    """The closed jaxpr of a block, of the operands of its equation."""
    from jax._src import api_util, core, linear_util
    from jax._src.interpreters import partial_eval

    def block(*operands: Any) -> Any:
        with _lock:
            return _Block(params).called(operands)

    debug = api_util.debug_info("inline_mgpu", block, avals, {})
    jaxpr, _, consts, *_ = partial_eval.trace_to_jaxpr_dynamic(linear_util.wrap_init(block, debug_info=debug), list(avals))
    return core.ClosedJaxpr(jaxpr, consts)


def _place(name: str, dim: int) -> Any:
    """A coordinate of the launch, as an equation."""
    import jax
    from jax._src import core

    primitive = _places.get(name)
    if primitive is None:
        primitive = _places[name] = core.Primitive(name)
        primitive.def_abstract_eval(lambda **_: core.ShapedArray((), jax.numpy.dtype("int32")))
    return primitive.bind(dim=dim)


_places: dict[str, Any] = {}


def _effect(name: str, *operands: Any, **params: Any) -> None:
    """An effect, as an equation."""
    from jax._src import core
    from jax._src.pallas.mosaic_gpu import core as gpu_core

    primitive = _effects.get(name)
    if primitive is None:
        primitive = _effects[name] = core.Primitive(name)
        primitive.multiple_results = True
        primitive.def_effectful_abstract_eval(lambda *_, **__: ((), {gpu_core._memory_effect}))
    primitive.bind(*operands, **params)


_effects: dict[str, Any] = {}


def _ptx_of(operation: Any) -> str | None:
    """The text of an operation that orders, in PTX."""
    said = {key: str(operation.attributes[key]).rstrip(">").split("<")[-1] for key in ("kind", "space") if key in operation.attributes}
    match operation.name, said:
        case "nvvm.fence.proxy", {"kind": "async.shared", "space": space}:
            return f"fence.proxy.async.shared::{space}"
        case "nvvm.fence.proxy", {"kind": ("async" | "async.global") as kind}:
            return f"fence.proxy.{kind}"
        case "nvvm.tcgen05.wait", {"kind": ("load" | "store") as kind}:
            return f"tcgen05.wait::{kind[0]}{'d' if kind == 'load' else 't'}.sync.aligned"
        case "nvvm.tcgen05.fence", {"kind": ("before" | "after") as kind}:
            return f"tcgen05.fence::{kind}_thread_sync"
        case ("gpu.barrier" | "nvvm.barrier0"), _:
            return "bar.sync 0"
        case "llvm.inline_asm", _:
            constraints = operation.attributes["constraints"].value
            gives = [result for result in operation.results if str(result.type) != "!llvm.void"]
            return None if gives or set(constraints.split(",")) - {"r", ""} else operation.attributes["asm_string"].value
        case _:
            return None


def _dtype(type_: Any, signed: bool | None) -> Any:
    import jax.numpy

    text = str(type_)
    if text == "index":
        return jax.numpy.dtype("int32")
    if text.startswith("i") and text[1:].isdigit():
        bits = int(text[1:])
        return jax.numpy.dtype("bool" if bits == 1 else f"{'int' if signed is not False else 'uint'}{bits}")
    named = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}
    if text not in named:
        raise _unknown(f"elements of {text}")
    return jax.numpy.dtype(named[text])


_SCALARS: dict[str, str] = {
    **{f"arith.{n}": n[:3] for n in ("addi", "addf", "subi", "subf", "muli", "mulf")},
    **{"arith.divsi": "div", "arith.divui": "div", "arith.divf": "div", "arith.remsi": "rem", "arith.remui": "rem"},
    **{"arith.andi": "bitwise_and", "arith.ori": "bitwise_or", "arith.xori": "bitwise_xor"},
}
_CASTS = frozenset({f"arith.{n}" for n in ("index_cast", "index_castui", "sitofp", "fptosi", "extf", "truncf")})


class _Block:
    """One call of a block: what its values of MLIR stand for, and how far its operations have been read."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.params = params
        self.values: dict[Any, Any] = {}
        self.refs: dict[Any, Any] = {}
        #: indices of an element that stands for all: the array, and the dimension
        self.places: dict[Any, tuple[_Array, int]] = {}
        self.block: Any = None
        self.read = 0

    # ------------------------------------------------------------ the call

    def called(self, operands: Sequence[Any]) -> Any:
        import jax
        from jax._src.interpreters import mlir
        from jax._src.lib.mlir import ir
        from jax._src.state import types as state
        from jax.experimental.mosaic.gpu import utils
        from jax.experimental.pallas import mosaic_gpu as plgpu

        params = self.params
        given = iter(operands)
        arguments = [next(given) for _ in range(params["pytree_args"].num_leaves)]
        transforms = params["pytree_ref_transforms"].unflatten(list(given))
        transforms = [None] * len(arguments) if transforms is None else list(transforms)
        with mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.create()
            with ir.InsertionPoint(module.body), _standing_in(self):
                self.block = module.body
                stand_ins = []
                for argument, type_, applied in zip(arguments, params["flat_arg_types"], transforms):
                    if isinstance(type_, plgpu.RefType):
                        ref = state.TransformedRef(argument, tuple(applied)) if applied else argument
                        stand_ins.append(self.ref(ref, type_.transforms))
                    elif argument.shape:
                        stand_ins.append(_Array(self, plgpu.layout_cast(argument, type_), type_.to_mgpu()))
                    else:
                        value = self._value(utils.dtype_to_ir_type(argument.dtype), argument)
                        stand_ins.append(_Array.of_scalar(self, value, argument))
                returned = params["mgpu_fn"](_Context(self), *jax.tree.unflatten(params["pytree_args"], stand_ins))
                self.flush()
                leaves = jax.tree.leaves(returned, is_leaf=lambda x: isinstance(x, _Array))
                results = []
                for leaf, type_ in zip(leaves, params["flat_ret_ty"], strict=True):
                    array = leaf.array
                    results.append(plgpu.layout_cast(array, type_.layout) if type_.shape and type_.layout is not None else array)
                return results

    def ref(self, ref: Any, transforms: Sequence[Any]) -> Any:
        """A reference as a value of MLIR, in the shape that a block sees under these transforms."""
        from jax._src.lib.mlir import ir
        from jax.experimental.mosaic.gpu import utils

        shape = list(ref.shape)
        for transform in transforms:
            tiling = getattr(transform, "tiling", None)
            if tiling is not None:
                cut = len(shape) - len(tiling)
                shape = [*shape[:cut], *(n // t for n, t in zip(shape[cut:], tiling)), *tiling]
            elif not hasattr(transform, "swizzle"):
                raise _unknown(f"a reference under {type(transform).__name__}")
        value = self._value(ir.MemRefType.get(shape, utils.dtype_to_ir_type(ref.dtype)), None)
        self.refs[value] = (ref, tuple(transforms))
        return value

    def _value(self, type_: Any, meaning: Any) -> Any:
        from jax._src.lib.mlir.dialects import builtin

        value = builtin.UnrealizedConversionCastOp([type_], []).results[0]
        if meaning is not None:
            self.values[value] = meaning
        return value

    # ------------------------------------------------------------ scalars

    def scalar(self, value: Any) -> Any:
        """What a value of MLIR is, by the operations that made it."""
        import jax

        if isinstance(value, _Array):
            return value.array
        if value in self.places:
            array, dim = self.places[value]
            return jax.lax.broadcasted_iota(jax.numpy.dtype("int32"), array.shape, dim)
        if value in self.values:
            return self.values[value]
        operation = getattr(value.owner, "operation", value.owner)
        found: Any
        match operation.name:
            case "arith.constant":
                dtype = _dtype(value.type, None)
                attribute = operation.attributes["value"]
                found = jax.numpy.asarray(getattr(attribute, "value", attribute), dtype)
            case "gpu.block_id" | "gpu.grid_dim":
                dim = "xyz".index(str(operation.attributes["dimension"]).rstrip(">")[-1])
                found = _place(operation.name.removeprefix("gpu."), dim)
            case name if name in _CASTS:
                found = jax.lax.convert_element_type(self.scalar(operation.operands[0]), _dtype(value.type, None))
            case name if name in _SCALARS:
                of = getattr(jax.lax, _SCALARS[name])
                found = of(*_alike([self.scalar(operand) for operand in operation.operands]))
            case name:
                raise _unknown(f"operation {name}")
        self.values[value] = found
        return found

    # ------------------------------------------------------------ effects

    def flush(self) -> None:
        """What the block has done in MLIR since it was last looked at, in that order."""
        operations = list(self.block.operations)
        since, self.read = operations[self.read :], len(operations)
        for view in since:
            operation = view.operation
            name = operation.name
            if name == "memref.store":
                value, ref, *indices = operation.operands
                stored = self.scalar(value).astype(self.known(ref)[0].dtype)
                if self.is_of_all([value, *indices]):
                    self.store_all(stored, ref, indices)
                else:
                    self.at(ref, indices)[...] = stored
            elif name == "memref.load":
                ref, *indices = operation.operands
                self.values[operation.results[0]] = self.load_all(ref, indices) if self.is_of_all(indices) else self.at(ref, indices)[...]
            elif (text := _ptx_of(operation)) is not None:
                _effect("inline_ptx", *(self.scalar(operand) for operand in operation.operands), text=text)
            elif name == "scf.if" and all(
                inner.operation.name == "scf.yield" for region in operation.regions for b in region for inner in b.operations
            ):
                continue
            elif not (name in _SCALARS or name in _CASTS or name in ("arith.constant", "gpu.block_id", "gpu.grid_dim", "builtin.unrealized_conversion_cast")):
                raise _unknown(f"operation {name}")

    def at(self, ref: Any, indices: Sequence[Any]) -> Any:
        logical, transforms = self.known(ref)
        if transforms:
            raise _unknown("an element of a reference under transforms")
        return logical.at[tuple(self.scalar(index) for index in indices)] if indices else logical

    # ------------------------------------------------------------ an element that stands for all

    def of_each(self, array: _Array, function: Callable[..., Any]) -> Any:
        """What a function of an element and its indices gives, of all elements."""
        from jax._src.lib.mlir import ir

        self.flush()
        indices = [self._value(ir.IndexType.get(), None) for _ in array.shape]
        for dim, index in enumerate(indices):
            self.places[index] = (array, dim)
        made = function(self._value(array.mlir_dtype, array.array), tuple(indices))
        self.flush()
        return made

    def is_of_all(self, values: Sequence[Any]) -> bool:
        """Whether a value is an index of such an element, or follows from one."""
        import jax

        return any(value in self.places or jax.numpy.shape(self.scalar(value)) != () for value in values)

    def dims(self, indices: Sequence[Any]) -> tuple[_Array, list[int]]:
        """The array, and its dimensions that indices go along."""
        found = [self.places[index] for index in indices if index in self.places]
        dims = [dim for _, dim in found]
        if len(found) != len(indices) or len({id(array) for array, _ in found}) != 1 or len(set(dims)) != len(dims):
            raise _unknown("an element of a reference at computed places in foreach")
        return found[0][0], dims

    def load_all(self, ref: Any, indices: Sequence[Any]) -> Any:
        """Along some dimensions of an array what lies in a reference, and along the others the same."""
        import jax
        from jax.experimental.pallas import mosaic_gpu as plgpu

        array, dims = self.dims(indices)
        logical = self.at(ref, [])
        if dims != sorted(dims) or [array.shape[dim] for dim in dims] != list(logical.shape):
            raise _unknown("a reference of another shape than the array in foreach")
        others = tuple(dim for dim in range(len(array.shape)) if dim not in dims)
        layout = array.layout.reduce(others) if others else array.layout
        loaded = plgpu.load(logical, (), layout=_layout(layout), optimized=False)
        return jax.lax.broadcast_in_dim(loaded, array.shape, tuple(dims)) if others else loaded

    def store_all(self, stored: Any, ref: Any, indices: Sequence[Any]) -> None:
        array, dims = self.dims(indices)
        logical = self.at(ref, [])
        if dims != list(range(len(array.shape))) or tuple(logical.shape) != array.shape or stored.shape != array.shape:
            raise _unknown("a store that is not of the whole array in foreach")
        logical[...] = stored

    def known(self, ref: Any) -> Any:
        if ref not in self.refs:
            raise _unknown("a view of a reference")
        return self.refs[ref]

    def tile(self, ref: Any, swizzle: int) -> Any:
        """A reference that is loaded or stored as tiles, which it must be."""
        logical, transforms = self.known(ref)
        found = next((t.swizzle for t in transforms if hasattr(t, "swizzle")), 16)
        if found != int(swizzle):
            raise _unknown(f"a swizzle of {int(swizzle)} bytes of a reference that has {found}")
        return logical

    def sliced(self, ref: Any, index: Any) -> Any:
        self.flush()
        logical, transforms = self.known(ref)
        indices = index if isinstance(index, tuple) else (index,)
        tiled = max((len(t.tiling) for t in transforms if hasattr(t, "tiling")), default=0)
        if len(indices) > len(logical.shape) - tiled:
            raise _unknown("a part of a tile of a reference")
        made = []
        for one in indices:
            if isinstance(one, slice):
                made.append(one)
            elif hasattr(one, "base") and hasattr(one, "length"):
                from jax.experimental import pallas as pl

                made.append(pl.ds(one.base if isinstance(one.base, int) else self.scalar(one.base), one.length))
            else:
                made.append(one if isinstance(one, int) else self.scalar(one))
        return self.ref(logical.at[tuple(made)], transforms)


def _alike(operands: Sequence[Any]) -> Sequence[Any]:
    """Operands of one shape: a scalar beside an array is the same everywhere."""
    import jax

    shape = max((jax.numpy.shape(one) for one in operands), key=len)
    return [one if jax.numpy.shape(one) == shape else jax.lax.broadcast_in_dim(one, shape, ()) for one in operands]


# ---------------------------------------------------------------- what stands in


def _layout(layout: Any) -> Any:
    """A layout of Mosaic GPU as one of plgpu."""
    from jax.experimental.mosaic.gpu import fragmented_array as fa
    from jax.experimental.pallas import mosaic_gpu as plgpu

    if isinstance(layout, fa.WGStridedFragLayout):
        return plgpu.Layout.WG_STRIDED(layout.shape, layout.vec_size)
    if isinstance(layout, fa.WGSplatFragLayout):
        return plgpu.Layout.WG_SPLAT(layout.shape)
    return plgpu.Layout.TILED(layout.tiling, layout.warp_dims, layout.lane_dims, layout.vector_dim)


_current: list[_Block] = []


class _Array:
    """A ``FragmentedArray``: an array of JAX, and its layout."""

    def __init__(self, block: _Block, array: Any, layout: Any, register: Any = None) -> None:
        self.block, self.array, self.layout, self._register = block, array, layout, register

    @classmethod
    def of_scalar(cls, block: _Block, value: Any, array: Any) -> _Array:
        from jax.experimental.mosaic.gpu import fragmented_array as fa

        return cls(block, array, fa.WGSplatFragLayout(()), value)

    # ------------------------------------------------------------ made

    @classmethod
    def splat(cls, value: Any, shape: Any, layout: Any = None, *, is_signed: bool | None = None) -> _Array:
        import jax
        from jax.experimental.mosaic.gpu import fragmented_array as fa

        block = _current[-1]
        block.flush()
        scalar = block.scalar(value).astype(_dtype(value.type, is_signed))
        if not shape:
            return cls.of_scalar(block, value, scalar)
        array = jax.lax.broadcast_in_dim(scalar, tuple(shape), ())
        return cls(block, array, layout or fa.WGSplatFragLayout(tuple(shape)))

    @classmethod
    def _loaded(cls, ref: Any, layout: Any, optimized: bool) -> _Array:
        from jax.experimental.pallas import mosaic_gpu as plgpu

        return cls(_current[-1], plgpu.load(ref, (), layout=_layout(layout), optimized=optimized), layout)

    @classmethod
    def load_tiled(cls, ref: Any, swizzle: int, *, is_signed: bool | None = None, layout: Any = None, optimized: bool = True) -> _Array:
        from jax.experimental.mosaic.gpu import fragmented_array as fa

        del is_signed  # as the reference has it
        block = _current[-1]
        block.flush()
        return cls._loaded(block.tile(ref, swizzle), layout or fa.WGMMA_LAYOUT, optimized)

    @classmethod
    def load_untiled(cls, ref: Any, *, layout: Any, swizzle: int = 16, is_signed: bool | None = None, optimized: bool = True) -> _Array:
        return cls.load_tiled(ref, swizzle, is_signed=is_signed, layout=layout, optimized=optimized)

    @classmethod
    def load_strided(cls, ref: Any, *, is_signed: bool | None = None, vec_size: int | None = None) -> _Array:
        from jax.experimental.mosaic.gpu import fragmented_array as fa

        del is_signed
        block = _current[-1]
        block.flush()
        logical = block.tile(ref, 16)
        layout = fa.WGStridedFragLayout.from_shaped_type(ref.type) if vec_size is None else fa.WGStridedFragLayout(tuple(logical.shape), vec_size)
        return cls._loaded(logical, layout, True)

    # ------------------------------------------------------------ said of it

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def mlir_dtype(self) -> Any:
        from jax.experimental.mosaic.gpu import utils

        return utils.dtype_to_ir_type(self.array.dtype)

    @property
    def is_signed(self) -> bool | None:
        from jax.experimental.mosaic.gpu import utils

        return utils.is_signed(self.array.dtype)

    @property
    def registers(self) -> Any:
        import numpy

        if self.shape:
            raise _unknown("the registers of an array")
        if self._register is None:
            self._register = self.block._value(self.mlir_dtype, self.array)
        held = numpy.empty((), dtype=object)
        held[()] = self._register
        return held

    def __getattr__(self, name: str) -> Any:
        raise _unknown(f"FragmentedArray.{name}")

    # ------------------------------------------------------------ elements

    def _other(self, other: Any) -> Any:
        import jax

        value = other.array if isinstance(other, _Array) else other
        if not isinstance(other, (_Array, int, float)):
            value = self.block.scalar(other)
        value = jax.numpy.asarray(value, self.array.dtype)
        return value if value.shape == self.shape else jax.lax.broadcast_in_dim(value, self.shape, ())

    def _made(self, array: Any, other: Any = None) -> _Array:
        from jax.experimental.mosaic.gpu import fragmented_array as fa

        layout = self.layout
        if isinstance(layout, fa.WGSplatFragLayout) and isinstance(other, _Array):
            layout = other.layout
        return _Array(self.block, array, layout)

    def _binary(self, of: str, other: Any, swapped: bool = False) -> _Array:
        import jax

        if not self.shape and isinstance(other, _Array) and other.shape:
            return other._binary(of, self, not swapped)
        x, y = self.array, self._other(other)
        return self._made(getattr(jax.lax, of)(*((y, x) if swapped else (x, y))), other)

    def __neg__(self) -> _Array:
        import jax

        return self._made(jax.lax.neg(self.array))

    def max(self, other: Any) -> _Array:
        return self._binary("max", other)

    def min(self, other: Any) -> _Array:
        return self._binary("min", other)

    def astype(self, new_dtype: Any, *, is_signed: bool | None = None) -> _Array:
        import jax

        return self._made(jax.lax.convert_element_type(self.array, _dtype(new_dtype, is_signed)))

    def foreach(self, function: Callable[..., Any], *, create_array: bool = False, is_signed: bool | None = None) -> _Array | None:
        made = self.block.of_each(self, function)
        if not create_array:
            return None
        array, _ = _alike([self.block.scalar(made), self.array])
        return self._made(array.astype(_dtype(made.type, is_signed)))

    # ------------------------------------------------------------ shapes and layouts

    def _in(self, array: Any, layout: Any) -> _Array:
        from jax.experimental.pallas import mosaic_gpu as plgpu

        return _Array(self.block, plgpu.layout_cast(array, _layout(layout)), layout)

    def to_layout(self, new_layout: Any) -> _Array:
        return self._in(self.array, new_layout)

    def broadcast_in_dim(self, shape: Any, source_dimensions: Any, layout: Any) -> _Array:
        import jax

        return self._in(jax.lax.broadcast_in_dim(self.array, tuple(shape), tuple(source_dimensions)), layout)

    # ------------------------------------------------------------ stored

    def store_tiled(self, ref: Any, swizzle: int = 16, optimized: bool = True) -> None:
        del optimized  # the layout decides
        self.block.flush()
        self.block.tile(ref, 16 if swizzle is None else swizzle)[...] = self.array

    def store_untiled(self, ref: Any, *, swizzle: int = 16, optimized: bool = True) -> None:
        self.store_tiled(ref, swizzle, optimized)


def _operator(of: str, swapped: bool) -> Callable[[_Array, Any], _Array]:
    return lambda self, other: self._binary(of, other, swapped)


for _name, _of in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor")):
    setattr(_Array, f"__{_name}__", _operator(_of, False))
    setattr(_Array, f"__r{_name}__", _operator(_of, True))


class _Context:
    """A ``LaunchContext``."""

    def __init__(self, block: _Block) -> None:
        self._block = block

    def async_copy(self, *, src_ref: Any, dst_ref: Any, **how: Any) -> None:
        from jax.experimental.pallas import mosaic_gpu as plgpu

        self._block.flush()
        source, destination = (self._block.known(ref) for ref in (src_ref, dst_ref))
        others = {k: v for k, v in how.items() if k not in ("swizzle", "gmem_transform", "arrive") and v is not None}
        if "barrier" in how or others or destination[1]:
            raise _unknown(f"async_copy with {', '.join(others) or 'a barrier'}")
        self._block.tile(src_ref, how.get("swizzle") or 16)
        plgpu.copy_smem_to_gmem(source[0], destination[0], commit_group=how.get("arrive") is not False)

    def await_async_copy(self, allow_groups: int, await_read_only: bool = False, **others: Any) -> None:
        from jax.experimental.pallas import mosaic_gpu as plgpu

        if others:
            raise _unknown(f"await_async_copy with {', '.join(others)}")
        self._block.flush()
        plgpu.wait_smem_to_gmem(allow_groups, wait_read_only=await_read_only)

    def __getattr__(self, name: str) -> Any:
        raise _unknown(f"LaunchContext.{name}")


@contextmanager
def _standing_in(block: _Block) -> Iterator[None]:
    """While a block is called, what it asks of Mosaic GPU's modules is asked of the stand-ins."""
    from jax._src.lib.mlir import ir
    from jax._src.lib.mlir.dialects import arith
    from jax.experimental.mosaic import gpu
    from jax.experimental.pallas import mosaic_gpu as plgpu

    def commit_shared() -> None:
        block.flush()
        plgpu.commit_smem()

    def warpgroup_barrier() -> None:
        block.flush()
        _effect("warpgroup_barrier")

    def single_thread_predicate(*_: Any, **__: Any) -> Any:
        return arith.constant(ir.IntegerType.get_signless(1), 1)

    stand_ins = {
        "FragmentedArray": _Array,
        "commit_shared": commit_shared,
        "memref_slice": block.sliced,
        "warpgroup_barrier": warpgroup_barrier,
        "single_thread_predicate": single_thread_predicate,
    }
    places = [m for m in (gpu, gpu.utils, gpu.fragmented_array) for _ in (0,)]
    kept = [(module, name, getattr(module, name)) for module in places for name in stand_ins if hasattr(module, name)]
    for module, name, _ in kept:
        setattr(module, name, stand_ins[name])
    _current.append(block)
    try:
        yield
    finally:
        _current.pop()
        for module, name, own in kept:
            setattr(module, name, own)
