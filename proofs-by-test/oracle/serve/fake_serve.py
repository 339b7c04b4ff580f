"""What a client may meet: a process that answers as its methods are called, at once, late, wrongly or not at all."""

import json
import os
import sys
import threading
import time

lock = threading.Lock()
cancelled = set()


def say(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def answer(number, method, params):
    if method == "version":
        say({"id": number, "result": {"pid": os.getpid(), "words": sys.argv[1:]}})
    elif method == "layout":
        time.sleep(params.get("wait", 0))
        if params.get("progress"):
            say({"method": "$/progress", "params": {"token": number, "value": {"done": 1, "of": 2}}})
        say({"id": number, "result": params})
    elif method == "check":
        while number not in cancelled:
            time.sleep(0.005)
        say({"id": number, "error": {"code": -32800, "message": "x", "data": {"code": "cancelled"}}})
    elif method == "run":
        tensor = {"dtype": "bf16", "shape": [2], "base64": "gD8AAA=="}
        say({"id": number, "result": {"files": {"c.npy": tensor, "t.svg": "<svg/>"}}})
    elif method == "trace":
        print("it is over", file=sys.stderr, flush=True)
        os._exit(3)
    elif method == "banks":
        say({"id": number, "error": {"code": 3, "message": "x", "data": {"code": "busy"}}})
    elif method == "tmem":
        say({"id": number, "error": {"code": 2, "message": "x", "data": {"code": "too-large"}}})
    elif method == "cute":
        say({"id": number, "error": {"code": 1, "message": "why", "data": {"code": "cute.exact"}}})
    else:
        say({"id": number, "error": {"code": -32601, "message": "x", "data": {"code": "method"}}})


for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "$/cancelRequest":
        cancelled.add(request["params"]["id"])
    else:
        threading.Thread(
            target=answer, args=(request["id"], request["method"], request["params"]), daemon=True
        ).start()
