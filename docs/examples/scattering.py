#!/usr/bin/env python3
"""Encounters of a star with a binary star, three equal masses: cross sections of exchange and ionisation.

    scattering.py GDR [--v V] [--n N] [--seed S] [--eta ETA] [--kernel K] [--machine M] [--threads T] [--keep FOLDER]

Units: G = m = a = 1, a the binary's semi-major axis; V in units of v_c, at which the total energy is 0. The kernel is
encounter.vsm, or encounter.cc, which runs each experiment to a time of its own. What is not resolved then goes on from
its last state; a star that is far from a binary star and bound to it comes back on its ellipse first. Prints one line of
JSON.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import shutil
import subprocess
import tempfile

KERNEL = pathlib.Path(__file__).resolve().parent / "encounter.vsm"
CRITICAL = math.sqrt(1.5)  # v_c^2 = G m1 m2 (m1 + m2 + m3) / (m3 (m1 + m2) a) [Hut and Bahcall 1983]
FAR = 12.0  # distance from which the star comes, and beyond which an encounter may be over, in a
PAIRS = ((0, 1, 2), (0, 2, 1), (1, 2, 0))  # two bodies, and the third one
STEPS = 24000  # most steps of a stage, a multiple of the round
ROUND = 200
STAGES = 24
LONGEST = 4  # doublings of a stage's time


def short(x):
    """A number of 24 bits, so that the host starts from the same numbers as the board."""
    return math.ldexp(round(math.frexp(x)[0] * 2**24), math.frexp(x)[1] - 24)


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def start(rng, v, b_max):
    """Positions and velocities of bodies 1 and 2 relative to body 0: the binary is 0 and 1."""
    e = math.sqrt(rng.random())  # thermal: f(e) = 2 e
    mean = 2 * math.pi * rng.random()
    anomaly = mean
    for _ in range(200):
        anomaly -= (anomaly - e * math.sin(anomaly) - mean) / (1 - e * math.cos(anomaly))
    across = math.sqrt(1 - e * e)
    speed = math.sqrt(2) / (1 - e * math.cos(anomaly))
    orbit = (math.cos(anomaly) - e, across * math.sin(anomaly), 0)
    motion = (-speed * math.sin(anomaly), speed * across * math.cos(anomaly), 0)
    q = [rng.gauss(0, 1) for _ in range(4)]  # a rotation at random
    size = math.sqrt(dot(q, q))
    w, x, y, z = (c / size for c in q)
    turn = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    binary = [dot(row, orbit) for row in turn]
    inside = [dot(row, motion) for row in turn]
    b = b_max * math.sqrt(rng.random())
    # From infinity to FAR on the hyperbola about the binary's centre: energy and angular momentum are kept.
    sideways = b * v / FAR
    inward = math.sqrt(v * v + 2 * 3 / FAR - sideways * sideways)
    third = [-FAR + binary[0] / 2, binary[1] / 2, binary[2] / 2]
    moves = [inward + inside[0] / 2, sideways + inside[1] / 2, inside[2] / 2]
    return [short(c) for c in binary + third + inside + moves]


def bodies(state):
    zero = [0.0, 0.0, 0.0]
    return (zero, state[0:3], state[3:6]), (zero, state[6:9], state[9:12])


def minus(a, b):
    return [p - q for p, q in zip(a, b)]


def energy(state):
    x, v = bodies(state)
    centre = [sum(each[k] for each in v) / 3 for k in range(3)]
    kinetic = sum(dot(d, d) for d in (minus(each, centre) for each in v)) / 2
    return kinetic - sum(1 / math.dist(x[i], x[j]) for i, j, _ in PAIRS)


def parted(state, pair):
    """A pair's separation and relative velocity, then the third body's to the pair's centre."""
    (i, j, k), (x, v) = pair, bodies(state)
    centre = [(p + q) / 2 for p, q in zip(x[i], x[j])]
    drift = [(p + q) / 2 for p, q in zip(v[i], v[j])]
    return minus(x[j], x[i]), minus(v[j], v[i]), minus(x[k], centre), minus(v[k], drift)


def joined(pair, d, u, far, away):
    """The state of which parted() gives these."""
    place, motion = dict(zip(pair, ([-c / 2 for c in d], [c / 2 for c in d], far))), dict(
        zip(pair, ([-c / 2 for c in u], [c / 2 for c in u], away)))
    return sum((minus(of[n], of[0]) for of in (place, motion) for n in (1, 2)), [])


def outcome(state):
    """What has become of three bodies: "flyby", "exchange", "ionisation", or None if it is not over."""
    x, _ = bodies(state)
    inner = []
    for pair in PAIRS:
        d, u, far, away = parted(state, pair)
        distance = math.sqrt(dot(far, far))
        leaves = dot(away, away) / 2 > 3 / distance and dot(far, away) > 0 and distance > FAR
        inner.append((dot(u, u) / 2 - 2 / math.sqrt(dot(d, d)), leaves, dot(d, u) > 0))
    if all(bound > 0 and apart for bound, _, apart in inner):
        return "ionisation" if all(math.dist(x[i], x[j]) > FAR / 4 for i, j, _ in PAIRS) else None
    pair = min(range(3), key=lambda n: inner[n][0])
    if inner[pair][0] >= 0 or not inner[pair][1]:
        return None
    return "flyby" if pair == 0 else "exchange"


def later(d, u, mu, time):
    """Place and velocity on an ellipse after a time: Lagrange's f and g, Kepler's equation by bisection."""
    r = math.sqrt(dot(d, d))
    a = 1 / (2 / r - dot(u, u) / mu)
    n = math.sqrt(mu / a**3)
    cosine, sine = 1 - r / a, dot(d, u) / math.sqrt(mu * a)  # e cos E and e sin E
    mean = math.fmod(n * time, 2 * math.pi)
    low, high = 0.0, 2 * math.pi
    for _ in range(60):
        x = (low + high) / 2
        if x - cosine * math.sin(x) + sine * (1 - math.cos(x)) < mean:
            low = x
        else:
            high = x
    f, g = 1 - a / r * (1 - math.cos(x)), (mean - x + math.sin(x)) / n
    then = a * (1 - cosine * math.cos(x) + sine * math.sin(x))
    df, dg = -math.sqrt(mu * a) / (r * then) * math.sin(x), 1 - a / then * (1 - math.cos(x))
    return [f * p + g * q for p, q in zip(d, u)], [df * p + dg * q for p, q in zip(d, u)]


def returned(state):
    """The state in which a body that leaves a pair beyond FAR, and is bound to it, comes back to its distance: pair and
    body go on along their ellipses. Any other state as it is."""
    def energy_inside(pair):
        d, u, _, _ = parted(state, pair)
        return dot(u, u) / 2 - 2 / math.sqrt(dot(d, d))

    pair = min(PAIRS, key=energy_inside)
    d, u, far, away = parted(state, pair)
    distance, outward = math.sqrt(dot(far, far)), dot(far, away)
    binding = 3 / distance - dot(away, away) / 2
    if energy_inside(pair) >= 0 or distance <= FAR or outward <= 0 or binding <= 0:
        return state
    a = 3 / (2 * binding)
    cosine, sine = 1 - distance / a, outward / math.sqrt(3 * a)  # e cos E and e sin E
    time = 2 * (math.pi - math.atan2(sine, cosine) + sine) * math.sqrt(a**3 / 3)
    apsis = [(dot(away, away) - 3 / distance) * p - outward * q for p, q in zip(far, away)]
    size = math.sqrt(dot(apsis, apsis))

    def mirrored(c):
        along = 2 * dot(c, apsis) / size**2
        return [along * p - q for p, q in zip(apsis, c)]

    return joined(pair, *later(d, u, 2, time), mirrored(far), [-c for c in mirrored(away)])


def run(gdr, starts, until, eta, folder, options, kernel=KERNEL):
    """States at `until`, numbers of steps, and the report."""
    columns = [f"from_x[{k}]" for k in range(6)] + [f"from_v[{k}]" for k in range(6)] + ["until"]
    with open(folder / "starts.csv", "w") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([*map(repr, one), until] for one in starts)
    command = [gdr, "run", kernel, "--i", "starts.csv", "--steps", str(STEPS), "--round", str(ROUND)]
    command += ["--param", f"eta={eta}", "--output", "ends.csv", "--quiet", "--json", "report.json", *options]
    subprocess.run(command, cwd=folder, check=True)
    with open(folder / "ends.csv") as file:
        rows = [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]
    report = json.loads((folder / "report.json").read_text())
    return [row[:12] for row in rows], [int(row[13]) for row in rows], report


def cross_section(counted, n, b_max):
    """In pi a^2, and its standard deviation."""
    area = b_max * b_max
    return area * counted / n, area * math.sqrt(max(counted, 1)) / n


def scatter(gdr, v_over_critical, n, seed, eta, folder, options=(), kernel=KERNEL):
    rng = random.Random(seed)
    v = v_over_critical * CRITICAL
    b_max = 4 / v_over_critical + 1.5  # Hut and Bahcall (1983) stay below it
    starts = [start(rng, v, b_max) for _ in range(n)]
    states, begun = list(starts), [energy(one) for one in starts]
    outcomes = [None] * n
    errors = [0.0] * n
    steps, occupancy, seconds = 0, 0.0, 0.0
    until = 2.5 * FAR / v
    for stage in range(STAGES):
        left = [k for k in range(n) if outcomes[k] is None]
        if not left:
            break
        ends, taken, report = run(gdr, [states[k] for k in left], until, eta, folder, options, kernel)
        occupancy = occupancy or report["experiments"]["occupancy"]
        seconds += report["emulated_seconds"]
        steps += sum(taken)
        for k, end in zip(left, ends):
            outcomes[k] = outcome(end)
            errors[k] = abs(energy(end) - begun[k])
            states[k] = end if outcomes[k] else returned(end)
        until = 2.5 * FAR / CRITICAL * 2 ** min(stage, LONGEST)
    ordered = sorted(errors)
    result = {"v": v_over_critical, "n": n, "eta": eta, "b_max": b_max, "steps": steps, "occupancy": occupancy,
              "emulated_seconds": seconds, "unresolved": outcomes.count(None),
              "energy_error_median": ordered[n // 2], "energy_error_99": ordered[n * 99 // 100],
              "energy_error_max": ordered[-1], "energy_errors_above_1e-3": sum(error > 1e-3 for error in errors)}
    for kind in ("exchange", "ionisation"):
        counted = outcomes.count(kind)
        result[kind] = {"counted": counted, **dict(zip(("sigma", "error"), cross_section(counted, n, b_max)))}
    return result, list(zip(outcomes, errors))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("gdr")
    parser.add_argument("--v", type=float, default=4.0)
    parser.add_argument("--n", type=int, default=2048)
    parser.add_argument("--seed", type=int, default=1983)
    parser.add_argument("--eta", type=float, default=0.02)
    parser.add_argument("--kernel", type=pathlib.Path, default=KERNEL)
    parser.add_argument("--machine", default="model450", help="a chip has 2,048 places, few of which are busy at the end")
    parser.add_argument("--threads", default="0")
    parser.add_argument("--keep", help="folder in which each encounter's outcome and energy error are left")
    arguments = parser.parse_args()
    gdr = pathlib.Path(shutil.which(arguments.gdr) or arguments.gdr).resolve()
    options = ("--machine", arguments.machine, "--threads", arguments.threads)
    with tempfile.TemporaryDirectory() as folder:
        result, encounters = scatter(gdr, arguments.v, arguments.n, arguments.seed, arguments.eta, pathlib.Path(folder), options,
                                     arguments.kernel.resolve())
    if arguments.keep:
        with open(pathlib.Path(arguments.keep) / f"encounters-{arguments.v:g}.csv", "w") as file:
            writer = csv.writer(file)
            writer.writerow(["outcome", "energy_error"])
            writer.writerows((kind or "unresolved", error) for kind, error in encounters)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
