"""A tensor core that was never looked at: every product exact, every sum rounded to the nearest f32, one after another."""
import json
import struct
import sys


def f16(pattern):
    return struct.unpack("<e", struct.pack("<H", pattern))[0]


def f32(pattern):
    return struct.unpack("<f", struct.pack("<I", pattern))[0]


def pattern32(value):
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0xFF800000 if value < 0 else 0x7F800000


def dot(question):
    a, b, c = question["a"], question["b"], question["c"]
    if (a["dtype"], b["dtype"], c["dtype"]) != ("f16", "f16", "f32"):
        raise NotImplementedError
    (batch, m, k), n = a["shape"], b["shape"][2]
    if b["shape"] != [batch, k, n] or c["shape"] != [batch, m, n]:
        raise ValueError("shape")
    out = []
    for z in range(batch):
        for i in range(m):
            for j in range(n):
                total = f32(c["bits"][(z * m + i) * n + j])
                for p in range(k):
                    term = f16(a["bits"][(z * m + i) * k + p]) * f16(b["bits"][(z * k + p) * n + j])
                    total = f32(pattern32(total + term))
                out.append(0x7FFFFFFF if total != total else pattern32(total))
    return {"d": {"dtype": "f32", "shape": [batch, m, n], "bits": out}}


for line in sys.stdin:
    request = json.loads(line)
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    try:
        if request["method"] != "ask/dot":
            raise NotImplementedError
        reply["result"] = dot(request["params"])
    except NotImplementedError:
        reply["error"] = {"code": -32601, "message": "method not found"}
    except ValueError as error:
        reply["error"] = {"code": 1, "message": str(error)}
    print(json.dumps(reply), flush=True)
