"""Makes the PTX of every kernel here and of its broken twins, and faults.json from the marks in the sources; argv: names of kernels (all if none).

The source is compiled in its own folder, so that `.file 1` is its name alone; headers of the toolkit keep their names without a folder."""
import json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ARCH = "sm_90a"
TWIN = re.compile(r"^// twin (\d+) ([a-z-]+): (.*)$")

def text(source, broken):
    folder = os.path.dirname(source)
    out = os.path.join(folder, ".made.ptx")
    subprocess.run(["nvcc", "-ptx", f"-arch={ARCH}", "-std=c++17", "-lineinfo", f"-DBROKEN={broken}", os.path.basename(source), "-o", ".made.ptx"], cwd=folder, check=True)
    made = open(out).read()
    os.remove(out)
    # folders of the machine that compiled it say nothing
    return re.sub(r'(\.file\s+\d+ )"[^"]*/([^"/]+)"', r'\1"\2"', made)

def twins(source):
    lines = open(source).read().split("\n")
    for line in lines:
        m = TWIN.match(line)
        if m:
            n = int(m[1])
            yield {"twin": n, "kind": m[2], "lines": [i + 1 for i, l in enumerate(lines) if f"//@{n}" in re.findall(r"//@\d+", l)], "about": m[3]}

def main(names):
    kernels = sorted(d for d in os.listdir(HERE) if os.path.exists(os.path.join(HERE, d, d + ".cu")))
    faults = []
    for kernel in kernels:
        source = os.path.join(HERE, kernel, kernel + ".cu")
        found = list(twins(source))
        if not names or kernel in names:
            for old in os.listdir(os.path.join(HERE, kernel)):
                if old.endswith(".ptx"):
                    os.remove(os.path.join(HERE, kernel, old))
            for n in [0] + [t["twin"] for t in found]:
                with open(os.path.join(HERE, kernel, f"broken{n}.ptx" if n else kernel + ".ptx"), "w") as f:
                    f.write(text(source, n))
        faults += [{"kernel": kernel, "twin": t["twin"], "source": f"{kernel}/{kernel}.cu", "ptx": f"{kernel}/broken{t['twin']}.ptx", "kind": t["kind"], "lines": t["lines"], "about": t["about"]} for t in found]
    with open(os.path.join(HERE, "faults.json"), "w") as f:
        f.write("[\n" + ",\n".join(" " + json.dumps(x) for x in faults) + "\n]\n")
    print(len(kernels), "kernels,", len(faults), "twins")

if __name__ == "__main__":
    main(sys.argv[1:])
