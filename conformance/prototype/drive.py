"""Drives a second engine, written in another language by other means, over skeletons (see README.md).

usage: drive.py ENGINE.py draw SEED N            N random skeletons of the engine's own generator, then its small kernels
       drive.py ENGINE.py explore [LIMIT]        stdin: skeletons; stdout: skeleton TAB states race visibility fault deadlock exit
       drive.py ENGINE.py judge                  stdin: skeleton TAB schedule; stdout: skeleton TAB schedule TAB verdict as JSON
"""
import importlib.util
import json
import random
import sys


def engine(path):
    spec = importlib.util.spec_from_file_location("engine", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- the notation of skeletons


def atom(text):
    where, name = text.split(".", 1)
    return ("g", None, name) if where == "g" else (where[0], int(where[1:]), name)


def atoms(text):
    return tuple(atom(a) for a in text.split(",") if a)


def parse(E, line):
    """-> program, and per agent the skeleton index of each kept operation (predicated-off ones are dropped)"""
    head, *rest = line.split(" | ")
    bars = []
    for word in head.split():
        name, _, count = word.rpartition(":")
        name, _, cta = name.rpartition("@")
        bars.append(((int(cta), name), int(count)))
    keys = [b for b, _ in bars]
    ref = lambda t: keys[int(t[1:])]
    agents, bodies, index = [], [], []
    for piece in rest:
        label, _, body = piece.partition(":")
        name, _, cta = label.strip().rpartition("@")
        agents.append((name, int(cta)))
        ops, at = [], []
        for i, text in enumerate(t for t in body.split(";") if t.strip()):
            words = text.split()
            kind, args = words[0], [w for w in words[1:] if w not in ("~", "^", "!")]
            if "!" in words:
                continue
            flags = dict(rel="~" not in words, tc="^" in words)
            if ">" in args:
                cut = args.index(">")
                before, after = args[:cut], args[cut + 1 :]
            if kind in ("rd", "wr"):
                op = E.Op("r", r=atoms(args[0])) if kind == "rd" else E.Op("w", w=atoms(args[0]))
            elif kind == "arr":
                op = E.Op("arr", bars=tuple(map(ref, args[0].split(","))), **flags)
            elif kind in ("arx", "exp"):
                op = E.Op("arrexp" if kind == "arx" else "exp", bars=(ref(args[0]),), n=int(args[1]), **flags)
            elif kind == "wait":
                op = E.Op("wait", bars=(ref(args[0]),), par=int(args[1]), **flags)
            elif kind == "ld":
                dests = tuple((atoms(w), ref(b), int(n)) for w, b, n in (a.split(":") for a in after))
                op = E.Op("tma", r=atoms("".join(before)), dests=dests)
            elif kind in ("st", "wg"):
                op = E.Op(kind, r=atoms("".join(before)), w=atoms("".join(after)))
            elif kind == "mma":
                reads = atoms("".join(before))
                op = E.Op("mma", r=tuple(a for a in reads if a[0] != "t"), tr=tuple(a for a in reads if a[0] == "t"), w=atoms("".join(after)))
            elif kind == "bw":
                op = E.Op("bw", n=int(args[0]), sc=args[1])
            elif kind == "ww":
                op = E.Op("ww", n=int(args[0]))
            elif kind == "fen":
                op = E.Op("fen", sc=args[0])
            elif kind == "rdv":
                op = E.Op("rdv", id=args[0], mem=tuple(map(int, args[1].split(","))), **flags)
            elif kind == "com":
                op = E.Op("com", bars=tuple(map(ref, args[0].split(","))))
            elif kind in ("tld", "tst", "dea"):
                op = E.Op(kind, r=atoms(args[0])) if kind == "tld" else E.Op(kind, w=atoms(args[0]))
            elif kind in ("bc", "wc", "wld", "wst", "bef", "aft"):
                op = E.Op(kind)
            else:
                raise ValueError("no such operation here: " + text)
            ops.append(op)
            at.append(i)
        bodies.append(ops)
        index.append(at)
    program = E.Prog("skeleton", agents, dict(bars))
    program.ops = bodies
    return program, index


def show(P):
    word = lambda t: "-".join(str(x) for x in t) if isinstance(t, tuple) else str(t)
    keys = list(P.bars)
    ref = lambda b: "#%d" % keys.index(b)
    at = lambda a: ("g." if a[0] == "g" else "%s%d." % (a[0], a[1])) + word(a[2:])
    many = lambda l: ",".join(at(a) for a in l)

    def op(o):
        marks = (" ~" if not o.rel else "") + (" ^" if o.tc else "")
        k = o.k
        if k in "rw":
            return ("rd " if k == "r" else "wr ") + many(o.r or o.w)
        if k == "arr":
            return "arr " + ",".join(map(ref, o.bars)) + marks
        if k in ("arrexp", "exp"):
            return "%s %s %d" % ("arx" if k == "arrexp" else "exp", ref(o.bars[0]), o.n) + (marks if k == "arrexp" else "")
        if k == "wait":
            return "wait %s %d" % (ref(o.bars[0]), o.par) + marks
        if k == "tma":
            return ("ld %s > " % many(o.r)).replace("ld  >", "ld >") + " ".join("%s:%s:%d" % (many(w), ref(b), n) for w, b, n in o.dests)
        if k in ("st", "wg"):
            return "%s %s > %s" % (k, many(o.r), many(o.w))
        if k == "mma":
            return "mma %s > %s" % (many(tuple(o.r) + tuple(o.tr)), many(o.w))
        if k == "bw":
            return "bw %d %s" % (o.n, "full" if o.sc == "full" else "read")
        if k == "ww":
            return "ww %d" % o.n
        if k == "fen":
            return "fen " + o.sc
        if k == "rdv":
            return "rdv %s %s" % (word(o.id), ",".join(map(str, o.mem))) + marks
        if k == "com":
            return "com " + ",".join(map(ref, o.bars))
        if k in ("tld", "tst", "dea"):
            return k + " " + many(o.r or o.w)
        return k

    head = " ".join("%s@%d:%d" % (word(b[1:]), b[0], n) for b, n in P.bars.items())
    return " | ".join([head] + [("%s@%d: %s" % (n, c, "; ".join(map(op, o)))).strip() for (n, c), o in zip(P.agents, P.ops)])


# ---- the engine's answers


def explored(E, line, limit):
    P, at = parse(E, line)
    R = E.explore(P, limit, stop=False)
    if R is None:
        return None
    race = {tuple(sorted((a[:2], b[:2]))) for a, b in R["race"]}
    return [R["states"], len(race), len(R["vis"]), len(R["fault"]), len(R["dead"]), len(R["exit"])]


class Follow:
    """Stands in for the engine's random chooser."""

    def __init__(self, choices, at):
        kept = [c for c in choices if c[0] != "x" or int(c.split(".")[1]) in at[int(c[1:].split(".")[0])]]
        self.todo = [c if c[0] == "p" else c.split(".")[0] for c in kept]
        self.at, self.lost = at, False

    def choice(self, enabled):
        if self.todo:
            want = self.todo.pop(0)
            for e in enabled:
                if self.name(e) == want:
                    return e
        self.lost = True
        return enabled[0]

    def name(self, event):
        kind, v = event
        return "p%d.%d.%d" % (v[1], self.at[v[1]][v[2]], v[4]) if kind == "p" else "%s%d" % (kind, v)


def judged(E, line, schedule):
    P, at = parse(E, line)
    follow = Follow(schedule.split(), at)
    seeded, E.random.Random = E.random.Random, lambda seed: follow
    try:
        D = E.run(P)
    finally:
        E.random.Random = seeded
    if follow.lost or follow.todo:
        return None
    verdict, _ = D.verdict()
    return {
        "verdict": verdict,
        "fails": sorted(c for c in D.C if D.C[c]),
        "findings": sorted({f[0] for f in D.find}),
    }


def main():
    path, mode, *args = sys.argv[1:]
    E = engine(path)
    if mode == "draw":
        rng = random.Random(int(args[0]))
        for _ in range(int(args[1])):
            P = E.rand_prog(rng) if rng.random() < 0.5 else E.mutate(rng, E.ring(rng), rng.choice([0, 0, 1, 1, 1, 2, 2, 3]))
            print(show(P))
        for name in sorted(E.ZOO):
            print(show(E.ZOO[name]()))
    elif mode == "explore":
        limit = int(args[0]) if args else 4000
        for line in sys.stdin:
            found = explored(E, line.rstrip("\n"), limit)
            if found:
                print("%s\t%s" % (line.rstrip("\n"), " ".join(map(str, found))))
    elif mode == "judge":
        for line in sys.stdin:
            skeleton, schedule = line.rstrip("\n").split("\t")
            found = judged(E, skeleton, schedule)
            if found:
                print("%s\t%s\t%s" % (skeleton, schedule, json.dumps(found, separators=(",", ":"))))


if __name__ == "__main__":
    main()
