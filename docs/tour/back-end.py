"""A back end for `tcspec score`: it answers questions about swizzles and skips every other one. docs/Score.md explains it."""
import json, sys

def addresses(q):
    width = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1, "e4m3": 1}.get(q["dtype"])
    if width is None or q["tile"] is not None:
        raise NotImplementedError
    rows, columns = q["shape"]
    if q["swizzle"] not in (16, 32, 64, 128) or columns * width != q["swizzle"]:
        raise ValueError("a row is one span")
    chunks = q["swizzle"] // 16 - 1
    plain = [q["base"] + i * width for i in range(rows * columns)]
    return {"addresses": {"dtype": "u32", "shape": q["shape"], "bits": [b ^ ((b >> 7 & chunks) << 4) for b in plain]}}

for line in sys.stdin:
    request = json.loads(line)
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    try:
        if request["method"] != "ask/swizzle":
            raise NotImplementedError
        reply["result"] = addresses(request["params"])
    except NotImplementedError:
        reply["error"] = {"code": -32601, "message": "method not found"}
    except ValueError as e:
        reply["error"] = {"code": 1, "message": str(e)}
    print(json.dumps(reply), flush=True)
