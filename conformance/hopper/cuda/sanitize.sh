#!/usr/bin/env bash
# What compute-sanitizer says of every kernel here, a line a kernel and tool; then of the broken twins (those that can hang get ten seconds).
here=$(cd "$(dirname "$0")" && pwd)
ask() {
  left=$(mktemp -d)
  said=$(TWIN=$3 timeout 12 compute-sanitizer --tool "$2" --print-limit 3 python3 "$4/run.py" --one "$1" "$left" 2>&1)
  rc=$?
  rm -rf "$left"
  echo "$1${3:+ broken$3} $2 rc=$rc: $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY|Error|Invalid|Uninit|hazard|Divergent|Barrier|divergent|misaligned|ok on|assert' <<<"$said" | tr -s '= ' ' ' | head -4 | tr '\n' ';' | cut -c1-400)"
}
export -f ask
kernels=$(cd "$here" && ls */launch.json | xargs -n1 dirname)
{
  for tool in racecheck memcheck synccheck initcheck; do for k in $kernels; do echo "$k $tool 0"; done; done
  python3 - "$here" <<'P'
import json, sys
tools = {"out-of-bounds": "memcheck", "misaligned": "memcheck", "divergent-barrier": "synccheck", "uninitialised": "initcheck"}
for f in json.load(open(sys.argv[1] + "/faults.json")):
    print(f["kernel"], tools.get(f["kind"], "racecheck"), f["twin"])
P
} | xargs -P 12 -L 1 bash -c 'ask "$0" "$1" "${2#0}" "'"$here"'"'
