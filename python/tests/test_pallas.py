"""The exporter of Pallas kernels, in every version of JAX that it knows (npm run test:python runs this file once for each)."""

from __future__ import annotations

import functools
import inspect
import json
import os
import pathlib
import sys
import threading

import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

jax = pytest.importorskip("jax")
pytest.importorskip("jax.experimental.pallas.mosaic_gpu")

import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax.experimental import pallas as pl  # noqa: E402
from jax.experimental.pallas import mosaic_gpu as plgpu  # noqa: E402

import pallas_kernels  # noqa: E402
import shipped  # noqa: E402
import structure  # noqa: E402
from tcspec import pallas  # noqa: E402
from tcspec.pallas.layouts import layout_of  # noqa: E402
from tcspec.pallas.operations import CALLS, _LAX, _TABLE  # noqa: E402
from tcspec.pallas.versions import TABLE, known  # noqa: E402

OLDER = jax.__version__ == "0.10.2"
CASES = {**pallas_kernels.CASES}
OF_0_10_2 = ["called"]
OF_0_11_2 = ["masked_arrival", "newer_arithmetic", "reduced_load", "warp_products"]
for name in OF_0_10_2 if OLDER else OF_0_11_2:
    CASES[name] = getattr(pallas_kernels, name)


@functools.cache
def exported(name: str) -> dict:
    function, shapes = CASES[name]()
    (export,) = pallas.export(function, *shapes)
    return json.loads(export.text())


def equations(document: dict) -> list[dict]:
    return [eqn for jaxpr in document["jaxprs"] for eqn in jaxpr["eqns"]]


def simple(body, out=((256,), jnp.float32), **options):
    return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(*out), **options)


def copied(x_gmem, out_gmem):
    out_gmem[...] = x_gmem[...]


ROW = jax.ShapeDtypeStruct((256,), jnp.float32)


# ---------------------------------------------------------------- what a document is


@pytest.mark.parametrize("name", CASES)
def test_a_small_kernel_is_well_formed(name):
    structure.check(exported(name))


def test_every_operation_stands_in_some_kernel():
    found = {eqn["op"] for name in CASES for eqn in equations(exported(name))}
    of_one_version = set().union(*(version.primitives for version in TABLE.values()), {"jaxpr_call"})
    unseen = structure.OPERATIONS - found
    assert unseen <= of_one_version - (known().primitives - {"one_minus_square"})


def test_every_lowered_primitive_is_known():
    from jax._src.pallas.mosaic_gpu import lowering

    lowered = {primitive.name for rules in lowering.mosaic_lowering_rules.values() for primitive in rules}
    within_lowering = {"_copysign", "wgmma"}
    across_devices = {"multimem_store", "multimem_load_reduce", "semaphore_signal_multicast"}
    calls = set(CALLS)
    assert lowered - set(_TABLE) - _LAX - known().primitives - calls == within_lowering | across_devices


def test_what_is_broken_is_seen():
    document = json.loads(json.dumps(exported("copies")))
    document["jaxprs"][-1]["eqns"][0]["out"] = [{"v": 0, "type": {"dtype": "f32", "shape": []}}]
    with pytest.raises(structure.Malformed):
        structure.check(document)
    document = json.loads(json.dumps(exported("warpgroup_products")))
    product = next(eqn for eqn in equations(document) if eqn["op"] == "wgmma")
    product["uses"]["b"]["view"].pop()
    with pytest.raises(structure.Malformed):
        structure.check(document)


# ---------------------------------------------------------------- the same in every version


def flattened(document: dict) -> list[str]:
    """A document as lines: what it says, without the producer, and lines of files for locations. The default lowering is left to the kernel."""
    files, locations = document["files"], document["locations"]

    def place(number):
        chain = []
        while number is not None:
            location = locations[number]
            if "/jax/" not in files[location["file"]]:
                chain.append(f"{location['line']} {location['function']}")
            number = location.get("caller")
        return chain

    lines = [document["kernel"]]
    for number, jaxpr in enumerate(document["jaxprs"]):
        lines.append({"jaxpr": number, "in": jaxpr["in"], "out": jaxpr["out"]})
        lines += [{**eqn, "at": place(eqn.get("at"))} for eqn in jaxpr["eqns"]]
    return [json.dumps(line, sort_keys=True) for line in lines]


DIFFERENT = {"checks", "pipelines", "scheduled_work", "work_queue"}  # JAX traces them otherwise in other versions


@pytest.mark.parametrize("name", sorted(set(pallas_kernels.CASES) - DIFFERENT))
def test_a_document_is_the_same_in_every_version(name):
    kept = HERE / "documents" / f"{name}.jsonl"
    lines = flattened(exported(name))
    if os.environ.get("TCSPEC_REGENERATE"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text("\n".join(lines) + "\n")
    assert lines == kept.read_text().splitlines()


# ---------------------------------------------------------------- what ships, and what is written here


@pytest.mark.parametrize("name", shipped.PROGRAMS)
def test_what_ships_with_jax(name):
    try:
        traced = shipped.PROGRAMS[name]()
    except pallas.Refused as refused:
        assert name in ("all_gather_f32_128", "reduce_scatter_f32_128")
        assert refused.code == "not-exported" and "works on the memories of several devices" in str(refused)
        return
    for export in traced.exports:
        structure.check(json.loads(export.text()))
        files = export.document["files"]
        assert any("pallas/ops/gpu" in file for file in files)


def test_the_tutorial_and_the_pairs():
    from kernels import pairs, tutorial

    for function, (m, n, k), config in tutorial.KERNELS:
        shapes = jax.ShapeDtypeStruct((m, k), jnp.float16), jax.ShapeDtypeStruct((k, n), jnp.float16)
        for export in pallas.export(function, *shapes, config):
            structure.check(export.document)
    for name in pairs.names():
        pair = pairs.named(name)
        for right in (True, False):
            try:
                exports = pallas.export(pair.make(right), *pair.inputs())
            except pallas.Refused as refused:
                assert not OLDER and "pallas_call is not lowered to Mosaic GPU" in str(refused)
                continue
            for export in exports:
                structure.check(export.document)


# ---------------------------------------------------------------- places


def line_of(function, text):
    lines, start = inspect.getsourcelines(function)
    return next(start + k for k, line in enumerate(lines) if text in line)


def chain(document, number):
    found = []
    while number is not None:
        location = document["locations"][number]
        found.append((location["line"], location["function"], location["text"]))
        number = location.get("caller")
    return found


def test_equations_stand_at_their_lines():
    @jax.jit
    def jitted(x):
        return x * 5

    def helper(x_gmem, k):
        return x_gmem[...] * k  # in the helper

    def body(x_gmem, out_gmem):
        def step(k, total):
            return total + helper(x_gmem, 3)  # in the loop

        total = lax.fori_loop(0, 4, step, jnp.zeros((256,), jnp.float32))  # the loop
        out_gmem[...] = jnp.where(total > 1, jitted(total), 0)  # chosen

    (export,) = pallas.export(simple(body), ROW)
    document = export.document
    (read,) = [eqn for eqn in equations(document) if eqn["op"] == "get"]
    assert [function for _, function, _ in chain(document, read["at"])] == ["helper", "step", "body"]
    assert [line for line, _, _ in chain(document, read["at"])] == [
        line_of(helper, "in the helper"),
        line_of(body, "in the loop"),
        line_of(body, "# the loop"),
    ]
    assert chain(document, read["at"])[0][2] == "return x_gmem[...] * k  # in the helper"
    (product,) = [eqn for eqn in equations(document) if eqn["op"] == "mul" and {"k": 5.0, "dtype": "f32"} in eqn["in"]]
    assert chain(document, product["at"]) == [
        (line_of(test_equations_stand_at_their_lines, "x * 5"), "jitted", "return x * 5")
    ]
    calls = [eqn for eqn in equations(document) if eqn["op"] == "call"]
    assert {chain(document, call["at"])[0][0] for call in calls} == {line_of(body, "# chosen")}
    where = next(call for call in calls if call["params"]["name"] == "_where")
    assert all("at" not in eqn for eqn in document["jaxprs"][where["jaxprs"]["body"]]["eqns"])


def test_what_jax_emits_keeps_its_own_frames_ahead_of_the_users():
    document = exported("pipelines")
    copy = next(eqn for eqn in equations(document) if eqn["op"] == "copy_gmem_to_smem")
    frames = chain(document, copy["at"])
    assert frames[0][1] == "copy_in" and frames[-1][1] == "body"
    names = {file.rsplit("/", 1)[-1] for file in document["files"]}
    assert names == {"pallas_kernels.py", "pipeline.py", "helpers.py"}
    step = next(
        eqn for eqn in equations(document) if eqn["op"] == "swap" and chain(document, eqn["at"])[0][1] == "step"
    )
    assert chain(document, step["at"])[0][2] == "out_smem[...] = x_smem[...] + indices[0].astype(F16)"


def test_a_kernel_of_the_backward_pass_stands_at_its_own_lines():
    def backward(x_gmem, out_gmem):
        out_gmem[...] = x_gmem[...] * 7  # in the derivative

    @jax.custom_vjp
    def function(x):
        return simple(doubled)(x)

    function.defvjp(lambda x: (function(x), None), lambda _, cotangent: (simple(backward)(cotangent),))
    exports = pallas.export(jax.grad(lambda x: function(x).sum()), ROW)
    document = exports[-1].document
    (product,) = [eqn for eqn in equations(document) if eqn["op"] == "mul"]
    assert chain(document, product["at"])[0][:2] == (line_of(backward, "in the derivative"), "backward")
    from jax._src.interpreters import ad

    assert ad._name_stack_ctx.__module__ == ad.__name__


def test_parameters_name_operands_and_allocations():
    document = exported("copies")
    assert [operand["name"] for operand in document["kernel"]["operands"]] == ["x_gmem", "out_gmem"]
    names = [var.get("name") for jaxpr in document["jaxprs"] for var in jaxpr["in"]]
    assert {"x_smem", "arrived"} <= set(names)


def added(x_gmem, absent, pair, z_gmem, sums):
    assert absent is None
    z_gmem[...] = x_gmem[...] + pair["a"][...] + pair["b"][...]
    sums[...] = x_gmem[...]


def test_an_argument_of_no_operands_or_of_several_shifts_no_name():
    kernel = plgpu.kernel(added, out_type=[ROW, ROW])
    (export,) = pallas.export(lambda x, a, b: kernel(x, None, {"a": a, "b": b}), ROW, ROW, ROW)
    assert [operand.name for operand in export.operands] == ["x_gmem", "pair", "pair_2", "z_gmem", "sums"]

    def one(x_gmem, absent, out_gmem):
        out_gmem[...] = x_gmem[...]

    (export,) = pallas.export(lambda x: simple(one)(x, None), ROW)
    assert [operand.name for operand in export.operands] == ["x_gmem", "out_gmem"]


def test_names_are_distinct_without_the_users():
    def body(*refs):
        refs[2][...] = refs[0][...] + refs[1][...]

    (export,) = pallas.export(simple(body), ROW, ROW)
    assert [operand.name for operand in export.operands] == ["operand0", "operand1", "operand2"]
    assert [operand.role for operand in export.operands] == ["in", "in", "out"]


# ---------------------------------------------------------------- the chip


def sized(x):
    count = jax.devices()[0].core_count
    return simple(copied, grid=(count,), grid_names=("block",))(x)


def test_devices_look_like_the_asked_chip_while_a_function_is_traced():
    for sms in (132, 3):
        (export,) = pallas.export(sized, ROW, sms=sms)
        assert export.document["kernel"]["mesh"]["grid"] == [sms]
    assert not hasattr(jax.devices()[0], "core_count")


def test_a_device_that_has_a_count_of_its_own_keeps_it(monkeypatch):
    monkeypatch.setattr(jax.Device, "core_count", property(lambda device: 4), raising=False)
    (export,) = pallas.export(sized, ROW, sms=132)
    assert export.document["kernel"]["mesh"]["grid"] == [132]
    assert jax.devices()[0].core_count == 4


def test_an_exception_of_the_kernel_comes_through_and_leaves_nothing():
    class Mine(Exception):
        pass

    raised = Mine("mine")
    seen = []

    def body(x_gmem, out_gmem):
        seen.append(jax.local_devices()[0].core_count)
        raise raised

    with pytest.raises(Mine) as caught:
        pallas.trace(simple(body), ROW)
    assert caught.value is raised and seen == [132]
    assert not hasattr(jax.devices()[0], "core_count")
    left = [
        name
        for name, module in list(sys.modules.items())
        if name.startswith("jax") and getattr(module, "cuda_versions", None) is not None
    ]
    assert left == []


def test_threads_have_chips_of_their_own():
    found = {}
    ready = threading.Barrier(2)

    def one(sms):
        def function(x):
            ready.wait()
            return sized(x)

        found[sms] = pallas.export(function, ROW, sms=sms)[0].document["kernel"]["mesh"]["grid"]

    threads = [threading.Thread(target=one, args=(sms,)) for sms in (5, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {5: [5], 7: [7]}
    assert not hasattr(jax.devices()[0], "core_count")


# ---------------------------------------------------------------- what is refused


def refusal(function, *arguments):
    with pytest.raises(pallas.Refused) as caught:
        pallas.trace(function, *arguments)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_version_that_is_not_known(monkeypatch):
    monkeypatch.setattr(jax, "__version__", "0.12.0")
    refused = refusal(simple(copied), ROW)
    assert (refused.code, str(refused)) == ("jax-version", "expected JAX 0.10.2 or 0.11.2, found 0.12.0")


def test_inline_mgpu():
    def body(x_gmem, out_gmem):
        @plgpu.inline_mgpu()
        def block(context):
            context.tma_descriptors

        block()  # here

    refused = refusal(simple(body), ROW)
    assert refused.code == "inline-mgpu"
    assert str(refused).startswith(f"{__file__}:{line_of(body, '# here')}: inline_mgpu: ")
    assert "LaunchContext.tma_descriptors" in str(refused)
    assert "with the primitives of plgpu" in str(refused)


def test_a_primitive_that_is_not_known():
    def body(x_gmem, out_gmem):
        out_gmem[...] = lax.cumsum(x_gmem[...])

    refused = refusal(simple(body), ROW)
    assert refused.code == "primitive"
    assert f"{__file__}:{line_of(body, 'cumsum')}: the primitive cumsum of JAX {jax.__version__} is not" in str(refused)


def test_a_primitive_of_a_function_of_jax_that_is_not_known():
    def body(x_gmem, out_gmem):
        out_gmem[...] = jnp.sort(x_gmem[...])

    refused = refusal(simple(body), ROW)
    assert refused.code == "primitive"
    assert f"{__file__}:{line_of(body, 'sort')}: the primitive sort of JAX {jax.__version__} is not" in str(refused)


def test_a_function_without_a_kernel():
    refused = refusal(jnp.sin, ROW)
    assert refused.code == "no-kernel" and str(refused).startswith("sin: ")


@pytest.mark.skipif(OLDER, reason="0.10.2 lowers it")
def test_pallas_call_where_it_is_not_lowered():
    function, shapes = pallas_kernels.called()
    refused = refusal(function, *shapes)
    assert refused.code == "not-exported" and "pallas_kernels.py:" in str(refused)


def test_pallas_call_for_another_compiler():
    from jax.experimental.pallas import tpu

    others = [(tpu.CompilerParams(), ".CompilerParams")]
    if not OLDER:  # where what says nothing is for Mosaic GPU
        others.append((None, "no parameters"))
    for params, found in others:
        refused = refusal(pl.pallas_call(copied, out_shape=ROW, compiler_params=params), ROW)
        assert refused.code == "not-exported"
        assert str(refused).startswith(f"{__file__}:") and str(refused).endswith(found)
        assert "is for another compiler: expected compiler_params=plgpu.CompilerParams()" in str(refused)


# ---------------------------------------------------------------- layouts


def test_layouts_keep_their_names():
    assert layout_of(plgpu.Layout.WGMMA) == {"name": "WGMMA"}
    assert layout_of(plgpu.Layout.WGMMA.reduce(1)) == {"reduce": 1, "of": {"name": "WGMMA"}}
    assert layout_of(plgpu.Layout.WG_STRIDED((4, 64), vec_size=2)) == {"name": "WG_STRIDED", "args": [[4, 64], 2]}
    assert layout_of(plgpu.Layout.WG_SPLAT((4,))) == {"name": "WG_SPLAT", "args": [[4]]}
    # what it is depends on the shape, and the element type that it names
    assert layout_of(plgpu.Layout.SMEM_GMEM_COPY((64, 64), jnp.float16, swizzle=128)) == {
        "tiled": {"tiling": [[32, 64], [8, 64], [4, 64], [8]], "warp": [-7], "lane": [-3, -2], "vec": -1}
    }
    assert layout_of(plgpu.TMEMLayout.SCALES_LAYOUT) == {"name": "SCALES_LAYOUT"}


def test_layouts_get_their_names_back():
    for named in plgpu.Layout:
        try:
            layout = named.to_mgpu()
        except TypeError:
            continue
        found = layout_of(layout)
        assert "name" in found and plgpu.Layout[found["name"]].to_mgpu() == layout
    assert layout_of(plgpu.Layout.WGMMA.to_mgpu().reduce((1,))) == {"reduce": 1, "of": {"name": "WGMMA"}}
    assert layout_of(plgpu.Layout.WG_STRIDED((256,), 2).to_mgpu()) == {"name": "WG_STRIDED", "args": [[256], 2]}
    assert layout_of(plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT.to_mgpu()) == {"name": "SPARSE_METADATA_LAYOUT"}


def test_a_layout_without_a_name_stands_as_its_tiles():
    tiling = plgpu.Tiling(((64, 16), (16, 8), (8, 2), (2,)))
    layout = plgpu.Layout.TILED(tiling, warp_dims=(plgpu.Replicated(4),), lane_dims=(-4, -3), vector_dim=-1)
    try:
        found = layout_of(layout)
    except ValueError:  # not one of a warpgroup in this version
        return
    assert found["tiled"]["tiling"] == [[64, 16], [16, 8], [8, 2], [2]]
    assert found["tiled"]["warp"] == [{"replicated": 4}] and found["tiled"]["vec"] == -1


def test_tensor_memory_says_how_it_lies():
    types = [
        var["type"]
        for name in ("tensor_memory_forms", "tensor_memory_products")
        for jaxpr in exported(name)["jaxprs"]
        for var in jaxpr["in"]
    ]
    layouts = {json.dumps(found["layout"]) for found in types if found.get("ref") == "tmem"}
    assert layouts == {
        json.dumps({"name": "TMEM_DEFAULT", "args": [1]}),
        json.dumps({"name": "TMEM_DEFAULT", "args": [2]}),
        json.dumps({"name": "TMEM_HALF_LANE", "args": [64, 1]}),
    }


# ---------------------------------------------------------------- what JAX does around the kernels


def doubled(x_gmem, out_gmem):
    out_gmem[...] = x_gmem[...] * 2


def evaluated(function, *arguments, kernel=lambda inputs: [inputs[0] * 2]):
    launches = []

    def on_kernel(export, inputs):
        launches.append(export.name)
        assert [operand.shape for operand in export.inputs] == [array.shape for array in inputs]
        return kernel(inputs)

    traced = pallas.trace(function, *arguments)
    return pallas.evaluate(traced, arguments, on_kernel), launches, traced


def test_evaluate_calls_back_for_each_launch():
    def function(x, y):
        kernel = simple(doubled)
        return {"sum": kernel(x + 1) + kernel(y), "y": y}

    x, y = numpy.arange(256, dtype=numpy.float32), numpy.ones(256, numpy.float32)
    found, launches, traced = evaluated(function, x, y)
    assert launches == ["doubled", "doubled"]
    assert len(traced.exports) == (2 if OLDER else 1)  # 0.11.2 traces the kernel once
    numpy.testing.assert_array_equal(found["sum"], (x + 1) * 2 + 2)
    assert isinstance(found["y"], numpy.ndarray)


def test_evaluate_walks_what_holds_a_kernel():
    kernel = simple(doubled)

    @jax.jit
    def function(x, n):
        x = lax.fori_loop(0, 3, lambda _, x: kernel(x), x)
        x = lax.cond(n > 0, kernel, lambda x: x, x)
        _, stacked = lax.scan(lambda carry, row: (carry, kernel(row) + carry), jnp.float32(1), jnp.stack([x, x + 1]))
        return lax.while_loop(lambda x: x[1, 1] < 1000, lambda x: x * 4, stacked)

    x = numpy.arange(256, dtype=numpy.float32)
    found, launches, _ = evaluated(function, x, numpy.int32(1))
    assert len(launches) == 6
    expected = numpy.stack([x * 16, x * 16 + 1]) * 2 + 1
    while expected[1, 1] < 1000:
        expected = expected * 4
    numpy.testing.assert_array_equal(found, expected)


def test_evaluate_a_vmapped_kernel():
    def per_batch(inputs):
        return [inputs[0] * 2]

    x = numpy.arange(512, dtype=numpy.float32).reshape(2, 256)
    found, launches, traced = evaluated(jax.vmap(simple(doubled)), x, kernel=per_batch)
    assert launches == ["doubled"] and traced.exports[0].document["kernel"]["mesh"]["grid"] == [2]
    structure.check(traced.exports[0].document)
    numpy.testing.assert_array_equal(found, x * 2)


@pytest.mark.filterwarnings("ignore:.*core_map is deprecated")
def test_evaluate_a_core_map_over_references():
    mesh = plgpu.Mesh(grid=(2,), grid_names=("block",))

    def function(x):
        def stateful(refs):
            x_ref, out_ref = refs

            @pl.core_map(mesh)
            def _body():
                out_ref[...] = x_ref[...] * 2

        _, out = pl.run_state(stateful)((x, jnp.zeros_like(x)))
        return out

    x = numpy.arange(256, dtype=numpy.float32)

    def kernel(inputs):
        return [
            2 * numpy.maximum(*inputs) if array is min(inputs, key=lambda a: a.sum()) else array for array in inputs
        ]

    found, _, traced = evaluated(function, x, kernel=kernel)
    (export,) = traced.exports
    structure.check(export.document)
    assert export.document["kernel"]["form"] == "core_map"
    assert [operand.role for operand in export.operands] == ["inout", "inout"]
    numpy.testing.assert_array_equal(found, x * 2)


def test_a_kernel_of_a_mesh():
    mesh = plgpu.Mesh(grid=(2,), grid_names=("block",))

    def function(x):
        state = jax.new_ref(x)
        pl.kernel(lambda ref: ref.__setitem__(..., ref[...] * 2), mesh=mesh, out_type=())(state)
        return pl.kernel(doubled, mesh=mesh, out_type=ROW)(jax.freeze(state))

    try:
        found, launches, traced = evaluated(function, numpy.ones(256, numpy.float32))
    except ValueError as error:
        assert OLDER and "JaxprInputEffect" in str(error)  # 0.10.2 takes no references there
        return
    assert launches[1] == "doubled" and (found == 4).all()
    assert [operand.name for operand in traced.exports[1].operands] == ["x_gmem", "out_gmem"]
    assert [export.document["kernel"]["form"] for export in traced.exports] == ["core_map", "core_map"]


def test_evaluate_refuses_other_shapes_and_other_outputs():
    traced = pallas.trace(simple(doubled), ROW)
    with pytest.raises(ValueError, match="expected the arguments of the trace"):
        pallas.evaluate(traced, (numpy.zeros(128, numpy.float32),), lambda export, inputs: inputs)
    with pytest.raises(ValueError, match="expected 1 outputs of a launch, found 0"):
        pallas.evaluate(traced, (numpy.zeros(256, numpy.float32),), lambda export, inputs: [])


def test_what_is_no_array_is_passed_as_it_is():
    def function(x, factor, *, name):
        assert isinstance(factor, int) and name == "here"
        return simple(copied)(x * factor)

    traced = pallas.trace(function, ROW, 3, name="here")
    found = pallas.evaluate(traced, (numpy.ones(256, numpy.float32), 3), lambda export, inputs: inputs)
    assert (found == 3).all()
