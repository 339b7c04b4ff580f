"""Questions to a warm process from Python: the median and the 99th percentile of a layout in milliseconds, layouts a second, and a check."""

import json
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from tcspec.client import Client  # noqa: E402


def times(act, count):
    found = []
    for _ in range(count):
        start = time.perf_counter()
        act()
        found.append(1000 * (time.perf_counter() - start))
    return found


with Client(sys.argv[1:]) as tcspec:
    start = time.perf_counter()
    tcspec.version()
    first = 1000 * (time.perf_counter() - start)
    ask = lambda: tcspec.layout("WGMMA", shape=[64, 16])  # noqa: E731
    check = lambda: tcspec.check("zoo/R1")  # noqa: E731
    times(ask, 300)
    layout = sorted(times(ask, 1000))

    threads = [threading.Thread(target=times, args=(ask, 250)) for _ in range(4)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = 1000 / (time.perf_counter() - start)

    times(check, 30)
    print(
        json.dumps(
            {
                "first": first,
                "layout": statistics.median(layout),
                "slowest": layout[989],
                "alone": 1000 / statistics.mean(layout),
                "together": together,
                "check": statistics.median(times(check, 50)),
            }
        )
    )
