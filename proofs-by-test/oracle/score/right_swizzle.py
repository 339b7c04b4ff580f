"""A back end that knows one thing: where elements lie under a swizzle. Written from docs/Score.md and docs/Vectors.md."""
import json
import sys

BITS = {"f32": 32, "i32": 32, "u32": 32, "tf32": 32, "f64": 64, "f16": 16, "bf16": 16, "i16": 16, "u16": 16}


def shift(address, span):
    """Chunks of 16 bytes change places inside a span: the number of the chunk is XORed with the number of the 128-byte line."""
    chunks = span // 16 - 1
    return address ^ ((address >> 7 & chunks) << 4)


def addresses(question):
    shape, tile, span = question["shape"], question["tile"], question["swizzle"]
    bits = BITS.get(question["dtype"], 8)
    if span not in (16, 32, 64, 128):
        raise ValueError("span")
    cut = tile or []
    if len(cut) > len(shape) or any(t < 1 or n % t for n, t in zip(shape[len(shape) - len(cut):], cut)):
        raise ValueError("tile")
    minor = (tile or shape)[-1]
    if minor * bits != span * 8:
        raise ValueError("row")
    tiles = [n // t for n, t in zip(shape, [1] * (len(shape) - len(cut)) + cut)]
    inner = [1] * (len(shape) - len(cut)) + cut
    out = []
    for flat in range(size(shape)):
        index = unravel(flat, shape)
        at = 0
        for i, t, n in zip(index, inner, tiles):
            at = at * n + i // t
        for i, t in zip(index, inner):
            at = at * t + i % t
        out.append(shift(question["base"] + at * bits // 8, span))
    return {"addresses": {"dtype": "u32", "shape": shape, "bits": out}}


def size(shape):
    total = 1
    for extent in shape:
        total *= extent
    return total


def unravel(flat, shape):
    index = []
    for extent in reversed(shape):
        index.append(flat % extent)
        flat //= extent
    return index[::-1]


for line in sys.stdin:
    request = json.loads(line)
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] != "ask/swizzle" or request["params"]["dtype"] in ("e2m1", "e2m3", "e3m2", "i4", "u4"):
        reply["error"] = {"code": -32601, "message": "method not found"}
    else:
        try:
            reply["result"] = addresses(request["params"])
        except ValueError as error:
            reply["error"] = {"code": 1, "message": str(error), "data": {"code": str(error)}}
    print(json.dumps(reply), flush=True)
