"""What every ``tcspec.jaxpr/1`` document has to be: scopes, types, views and the shapes of operations, checked without JAX.

python structure.py FILE.jaxpr.json ...
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

_BITS = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64, "e4m3": 8, "e5m2": 8, "e8m0": 8, "e2m1": 4, "i1": 8}
_BITS.update({f"{letter}{bits}": bits for letter in "iu" for bits in (2, 4, 8, 16, 32, 64)})

_ELEMENTWISE = """abs add and atan2 clamp clz cos div eq erf exp exp2 ge gt integer_pow le log log2 logistic lt max min mul ne neg not
one_minus_square or rem round rsqrt select_n shift_left shift_right_arithmetic shift_right_logical sign sin sqrt square sub tanh xor
layout_cast multiple_of""".split()
_SHAPED = """bitcast_convert_type broadcast_in_dim concatenate convert_element_type iota mma reduce_max reduce_min reduce_prod reduce_sum reshape
slice squeeze""".split()
_EFFECTS = """commit_group commit_smem commit_tmem wait_load_tmem griddepcontrol_wait griddepcontrol_launch_dependents wait_smem_to_gmem
wait_gmem_to_smem wgmma_wait set_max_registers print_layout debug_print check delay inline_ptx""".split()
_USES = {
    "get": {"ref"},
    "swap": {"ref"},
    "copy_gmem_to_smem": {"src", "dst"},
    "copy_smem_to_gmem": {"src", "dst"},
    "barrier_arrive": {"barrier"},
    "barrier_wait": {"barrier"},
    "barrier_test": {"barrier"},
    "wgmma": {"acc", "b"},
    "wgmma_accumulator_load": {"acc"},
    "wgmma_accumulator_store": {"acc"},
    "tcgen05_mma": {"acc", "a", "b"},
    "tcgen05_commit_arrive": {"barrier"},
    "async_load_tmem": {"ref"},
    "async_store_tmem": {"ref"},
    "async_copy_smem_to_tmem": {"smem", "tmem"},
    "async_copy_scales_to_tmem": {"smem", "tmem"},
    "async_copy_sparse_metadata_to_tmem": {"smem", "tmem"},
    "async_prefetch": {"ref"},
    "async_store_smem": {"ref", "barrier"},
    "semaphore_signal": {"semaphore"},
    "semaphore_signal_parallel": {"semaphores"},
    "semaphore_wait": {"semaphore"},
    "semaphore_read": {"semaphore"},
    "try_cluster_cancel": {"result", "barrier"},
    "query_cluster_cancel": {"result"},
    "atomic_store": {"ref"},
    "print_layout": set(),
    "jaxpr_call": {"refs"},
}
_CONTROL = "scan while cond call inline_mgpu run_scoped run_state core_map jaxpr_call".split()
_OTHER = "axis_index program_id block_id grid_dim optimization_barrier get_global".split()
OPERATIONS = frozenset([*_ELEMENTWISE, *_SHAPED, *_EFFECTS, *_USES, *_CONTROL, *_OTHER])


class Malformed(AssertionError):
    """A document that is not what it has to be, with the place in it."""


def check(document: dict[str, Any]) -> None:
    """Raises, if a document is malformed."""
    _Checker(document).document()


class _Checker:
    def __init__(self, document: dict[str, Any]) -> None:
        self.whole = document
        self.at = ""
        self.scope: dict[int, dict[str, Any]] = {}
        self.numbered: set[int] = set()

    def expect(self, condition: Any, what: str) -> None:
        if not condition:
            raise Malformed(f"{self.at}: {what}")

    def document(self) -> None:
        whole = self.whole
        self.expect(
            set(whole) == {"schema", "producer", "kernel", "jaxprs", "files", "locations"}, f"members {sorted(whole)}"
        )
        self.expect(whole["schema"] == "tcspec.jaxpr/1", f"schema {whole['schema']}")
        json.dumps(whole, allow_nan=False)
        for number, location in enumerate(whole["locations"]):
            self.at = f"location {number}"
            self.expect(0 <= location["file"] < len(whole["files"]), "no such file")
            self.expect(
                location.get("caller") is None or location["caller"] < number, "a caller stands ahead of what it calls"
            )
        for number, jaxpr in enumerate(whole["jaxprs"]):
            self.jaxpr(number, jaxpr)
        self.kernel()

    def kernel(self) -> None:
        kernel = self.whole["kernel"]
        self.at = f"kernel {kernel['name']}"
        mesh = kernel["mesh"]
        self.expect(len(mesh["grid"]) == len(mesh["gridNames"]), "a name for each axis of the grid")
        self.expect(len(mesh["cluster"]) == len(mesh["clusterNames"]), "a name for each axis of the cluster")
        names = [operand["name"] for operand in kernel["operands"]]
        self.expect(len(set(names)) == len(names), f"names are distinct: {names}")
        ins = self.whole["jaxprs"][kernel["body"]]["in"]
        self.expect(len(ins) == len(names), f"{len(names)} operands, {len(ins)} inputs of the body")
        for var, operand in zip(ins, kernel["operands"]):
            found = var["type"]
            self.expect(found.get("ref", "gmem") == "gmem", f"{operand['name']} lies in global memory, not {found}")
            self.expect(
                (found["dtype"], found["shape"]) == (operand["dtype"], operand["shape"]), f"{operand['name']}: {found}"
            )

    def jaxpr(self, number: int, jaxpr: dict[str, Any]) -> None:
        self.scope = {}
        self.at = f"jaxpr {number}"
        for var in jaxpr["in"]:
            self.variable(var)
        for k, eqn in enumerate(jaxpr["eqns"]):
            self.at = f"jaxpr {number}, equation {k}, {eqn['op']}"
            self.equation(eqn)
        self.at = f"jaxpr {number}, outputs"
        for value in jaxpr["out"]:
            self.typed(value)

    def variable(self, var: dict[str, Any]) -> None:
        self.expect(var["v"] not in self.numbered, f"variable {var['v']} is numbered once")
        self.numbered.add(var["v"])
        self.type(var["type"])
        self.scope[var["v"]] = var["type"]

    def type(self, found: dict[str, Any]) -> None:
        if "barrier" in found:
            self.expect(
                set(found["barrier"]) == {"shape", "numArrivals", "ordersTensorCore", "cluster"}, f"barrier {found}"
            )
        elif "semaphore" in found:
            self.expect(found["semaphore"]["kind"] in ("regular", "barrier"), f"semaphore {found}")
        else:
            self.expect(found["dtype"] in _BITS, f"dtype {found['dtype']}")
            self.expect(all(isinstance(n, int) and n >= 0 for n in found["shape"]), f"shape {found['shape']}")
            if "ref" in found:
                self.expect(found["ref"] in ("gmem", "smem", "tmem", "regs"), f"memory {found['ref']}")
            for group in found.get("union", []):
                for member in group:
                    self.type(member)

    def typed(self, value: Any) -> dict[str, Any]:
        """The type of a value."""
        if "v" in value:
            self.expect(value["v"] in self.scope, f"variable {value['v']} is not in scope")
            return self.scope[value["v"]]
        if "array" in value:
            return {"dtype": value["array"]["dtype"], "shape": value["array"]["shape"]}
        self.expect(isinstance(value["k"], (int, float)) or value["k"] in ("inf", "-inf", "nan"), f"constant {value}")
        self.expect(value["dtype"] in _BITS, f"constant {value}")
        return {"dtype": value["dtype"], "shape": []}

    def viewed(self, use: dict[str, Any]) -> dict[str, Any]:
        """The type of a reference behind its view."""
        found = dict(self.typed(use["ref"]))
        self.expect("ref" in found or "barrier" in found or "semaphore" in found, f"{use['ref']} is a reference")
        kind = next((kind for kind in ("barrier", "semaphore") if kind in found), None)
        shape = list(found[kind]["shape"] if kind else found["shape"])
        for transform in use.get("view", []):
            ((name, value),) = transform.items()
            shape = self.transformed(found, shape, name, value)
        return {**found, "shape": shape}

    def transformed(self, found: dict[str, Any], shape: list[int], name: str, value: Any) -> list[int]:
        if name == "index":
            self.expect(len(value) == len(shape), f"an index for each of {shape}: {value}")
            sizes: list[int] = []
            for entry, size in zip(value, shape):
                if "at" in entry:
                    self.expect(self.typed(entry["at"])["shape"] == [], "an index is a number")
                elif "gather" in entry:
                    sizes += self.typed(entry["gather"])["shape"]
                else:
                    self.expect(0 < entry["size"] <= size, f"a slice of {entry['size']} from {size}")
                    start = entry["from"]
                    self.typed(start)
                    self.expect(
                        "v" in start or start["k"] + (entry["size"] - 1) * entry["stride"] < size, f"{entry} of {size}"
                    )
                    sizes.append(entry["size"])
            return sizes
        if name == "unswizzle":
            self.expect(
                shape[-1] * _BITS[found["dtype"]] == value * 8, f"rows of {value} bytes: {shape} of {found['dtype']}"
            )
            return shape
        if name == "untile":
            rank = len(value)
            self.expect(shape[-rank:] == value, f"tiles of {value}: {shape}")
            outer = shape[:-rank]
            return outer[:-rank] + [n * t for n, t in zip(outer[-rank:], value)]
        if name == "transpose":
            self.expect(sorted(value) == list(range(len(shape))), f"transpose {value} of {shape}")
            return [shape[axis] for axis in value]
        if name == "reshape":
            self.expect(math.prod(value) == math.prod(shape), f"reshape {shape} to {value}")
            return list(value)
        if name == "bitcast":
            bits, found["dtype"] = _BITS[found["dtype"]], value
            if bits == _BITS[value]:
                return shape
            axis = -2 if len(shape) > 1 else -1
            for candidate in (axis, -1):
                total = shape[candidate] * bits
                if total % _BITS[value] == 0:
                    return [
                        *shape[: len(shape) + candidate],
                        total // _BITS[value],
                        *(shape[len(shape) + candidate + 1 :]),
                    ]
        if name == "extract":
            self.expect("union" in found, "only of a union")
            found["dtype"] = value["dtype"]
            found.pop("union")
            return list(value["shape"])
        if name == "expandLeading":
            return [*value, shape[0], shape[1] // math.prod(value)]
        if name in ("clusterRef", "peer", "multicast"):
            return shape
        raise Malformed(f"{self.at}: transform {name}")

    def equation(self, eqn: dict[str, Any]) -> None:
        op = eqn["op"]
        self.expect(op in OPERATIONS, "an operation of the document")
        self.expect(set(eqn) <= {"op", "in", "uses", "params", "jaxprs", "out", "at"}, f"members {sorted(eqn)}")
        self.expect(eqn.get("at") is None or 0 <= eqn["at"] < len(self.whole["locations"]), "no such location")
        uses = eqn.get("uses", {})
        self.expect(_USES.get(op, set()) <= set(uses), f"uses {sorted(uses)}, expected {sorted(_USES.get(op, set()))}")
        values = [None if value is None else self.typed(value) for value in eqn.get("in", [])]
        views = {
            name: [self.viewed(each) for each in use] if isinstance(use, list) else self.viewed(use)
            for name, use in uses.items()
        }
        outs = [None if var is None else var["type"] for var in eqn.get("out", [])]
        self.operation(op, eqn, values, views, outs)
        for var in eqn.get("out", []):
            if var is not None:
                self.variable(var)

    def body(self, number: Any) -> dict[str, Any]:
        self.expect(isinstance(number, int) and 0 <= number < len(self.whole["jaxprs"]), f"no jaxpr {number}")
        return self.whole["jaxprs"][number]

    def same(self, found: Any, expected: Any, what: str) -> None:
        if found is None or expected is None:
            return
        keys = ("dtype", "shape", "barrier", "semaphore") if "ref" in found or "ref" in expected else ("dtype", "shape")
        if {**found, "shape": 0}.get("barrier") or {**found}.get("semaphore"):
            keys = ("barrier", "semaphore")
        self.expect(
            all(found.get(key) == expected.get(key) for key in keys), f"{what}: found {found}, expected {expected}"
        )

    def inputs(self, number: Any, types: list[Any], what: str) -> None:
        ins = self.body(number)["in"]
        self.expect(len(ins) == len(types), f"{what} takes {len(ins)}, given {len(types)}")
        for var, found in zip(ins, types):
            self.same(found, var["type"], what)

    def operation(
        self, op: str, eqn: dict[str, Any], values: list[Any], views: dict[str, Any], outs: list[Any]
    ) -> None:
        params, jaxprs = eqn.get("params", {}), eqn.get("jaxprs", {})
        match op:
            case "get":
                self.same(outs[0], {k: views["ref"][k] for k in ("dtype", "shape")}, "what is read")
            case "swap" | "atomic_store" | "async_store_tmem" | "async_store_smem":
                self.same(values[0], {k: views["ref"][k] for k in ("dtype", "shape")}, "what is stored")
            case "copy_gmem_to_smem" | "copy_smem_to_gmem":
                src, dst = views["src"]["shape"], views["dst"]["shape"]
                if not params.get("leaderTracked"):
                    self.expect(src == dst, f"copies {src} to {dst}")
                self.expect(views["src"]["dtype"] == views["dst"]["dtype"], "one dtype")
                self.expect(len(values) == (1 if params["predicate"] else 0), "a predicate is in")
            case "barrier_arrive" | "barrier_wait" | "barrier_test" | "tcgen05_commit_arrive":
                self.expect(
                    "barrier" in views["barrier"] and math.prod(views["barrier"]["shape"]) == 1,
                    f"one barrier: {views['barrier']}",
                )
            case "wgmma":
                a = views.get("a") or values[0]
                m, n, k = views["acc"]["shape"][0], views["acc"]["shape"][1], a["shape"][1]
                self.expect(
                    a["shape"] == [m, k] and views["b"]["shape"] == [k, n],
                    f"{a['shape']} by {views['b']['shape']} into {m} x {n}",
                )
            case "tcgen05_mma":
                acc, a, b = (views[name]["shape"] for name in ("acc", "a", "b"))
                wide = 2 if params.get("collectiveAxis") else 1
                sparse = 2 if "aSparseMetadata" in views else 1
                self.expect(
                    a[0] == acc[0] and a[1] * sparse == b[0] and b[1] * wide == acc[1], f"{a} by {b} into {acc}"
                )
                self.expect(params["arrive"] == ("barrier" in views), "it arrives on its barrier")
            case "async_load_tmem":
                self.same(outs[0], {k: views["ref"][k] for k in ("dtype", "shape")}, "what is loaded")
            case "wgmma_accumulator_load":
                self.same(outs[0], {k: views["acc"][k] for k in ("dtype", "shape")}, "what is loaded")
            case "semaphore_signal" | "semaphore_wait" | "semaphore_read":
                self.expect(
                    "semaphore" in views["semaphore"] and views["semaphore"]["shape"] == [], f"one semaphore: {views}"
                )
            case "scan":
                consts, carry = params["numConsts"], params["numCarry"]
                stacked = [None if t is None else {**t, "shape": t["shape"][1:]} for t in values[consts + carry :]]
                self.inputs(jaxprs["body"], [*values[: consts + carry], *stacked], "the body")
                self.expect(len(self.body(jaxprs["body"])["out"]) == len(outs), "outputs of the body")
            case "while":
                condition, body = params["condConsts"], params["bodyConsts"]
                carried = values[condition + body :]
                self.inputs(jaxprs["cond"], [*values[:condition], *carried], "the condition")
                self.inputs(jaxprs["body"], [*values[condition : condition + body], *carried], "the body")
                self.expect(len(outs) == len(carried), "outputs are what is carried")
            case "cond":
                self.expect(len(jaxprs["branches"]) >= 2, "two branches")
                for branch in jaxprs["branches"]:
                    self.inputs(branch, values[1:], "a branch")
                    self.expect(len(self.body(branch)["out"]) == len(outs), "outputs of a branch")
            case "call" | "inline_mgpu" | "core_map":
                self.inputs(jaxprs["body"], values, "the body")
            case "run_state":
                flags = params.get("initialized", [True] * len(values))
                given = iter(values)
                self.inputs(jaxprs["body"], [next(given) if flag else None for flag in flags], "the body")
            case "run_scoped":
                self.inputs(jaxprs["body"], [*values, *[None] * params["allocations"]], "the body")
                self.expect(len(self.body(jaxprs["body"])["out"]) == len(outs), "outputs of the body")
            case "jaxpr_call":
                ins = [var["type"] for var in self.body(jaxprs["body"])["in"]]
                self.expect(len(ins) == len(views["refs"]), f"the body takes {len(ins)}")
                for found, taken in zip(views["refs"], ins):  # the body has the shape as it lies, the view that of its author
                    same = found["dtype"] == taken["dtype"] and math.prod(found["shape"]) == math.prod(taken["shape"])
                    self.expect(same, f"{found} for {taken}")


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path) as file:
            check(json.load(file))
    print(f"{len(sys.argv) - 1} documents")
